// Programs that were made when the site was built: no compiler is needed to run them.
//
// ready/index.json lists them; ready/NAME.json holds a program's files and sources, ready/NAME.wasm its
// code (build_ready.mjs).

/** [{name, chapter, source, stages}] */
export async function readyPrograms({ load }) {
    return asJson(await load('ready/index.json'));
}

/** A Program, which chain.mjs's is like. */
export async function loadReady(name, { load }) {
    const [wasm, rest] = await Promise.all([load(`ready/${name}.wasm`), load(`ready/${name}.json`)]);
    return { wasm, ...asJson(rest) };
}

const asJson = (content) =>
    JSON.parse(typeof content === 'string' ? content : new TextDecoder().decode(content));

/** How a program of a chapter is asked for one stage; it has options of its own. */
export function stageArguments({ stage, n, input, seed, order, mode }) {
    const words = ['--stage', stage];
    if (n) words.push('--n', String(n));
    if (input) words.push('--input', input);
    if (seed !== undefined) words.push('--seed', String(seed));
    if (order) words.push('--order', order);
    if (mode === 'count') words.push('--explain', '--json');
    if (mode === 'faults') words.push('--faults');
    if (mode === 'play') words.push('--faults', '--trace', '/trace');
    return words;
}
