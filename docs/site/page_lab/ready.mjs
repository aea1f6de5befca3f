// Programs that were made when the site was built: no compiler is needed to run them.
//
// ready/index.json lists them: [{name, chapter, source, stages, inputs, sizes}], the last two for a chapter;
// ready/NAME.json holds a program's files and sources, ready/NAME.wasm its code (build_ready.mjs).

import { execute } from './execute.mjs';

/** A Program, of the same form as chain.mjs's. */
export async function loadReady(name, { load }) {
    const [wasm, rest] = await Promise.all([load(`ready/${name}.wasm`), load(`ready/${name}.json`)]);
    return { wasm, ...asJson(rest) };
}

/** {path: text} of all that its source may include. */
export async function sourcesOf(name, { load }) {
    return asJson(await load(`ready/${name}.json`)).sources;
}

const asJson = (content) =>
    JSON.parse(typeof content === 'string' ? content : new TextDecoder().decode(content));

/** The options of a chapter's program for one stage. */
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

/** Runs a stage of a chapter's program: the result has the form of execute()'s. */
export async function executeStage(program, options) {
    const { mode, device, withoutBarrier, timeLimit, hostLimit, looked } = options;
    const { stdout = () => {}, stderr = () => {} } = options;
    let printed = '';
    let complained = '';
    const isJson = mode === 'count';
    const result = await execute(program, {
        mode: 'run',
        args: stageArguments(options),
        device,
        withoutBarrier,
        timeLimit,
        hostLimit,
        looked,
        stdout(text) {
            printed += text;
            if (!isJson) stdout(text);
        },
        stderr(text) {
            complained += text;
            stderr(text);
        },
    });
    const { faults: _, ...rest } = result;
    if (isJson && printed.startsWith('{')) return { ...rest, counts: JSON.parse(printed) };
    rest.wrong = wrongResult(printed, complained);
    if (mode === 'faults' || mode === 'play') return { ...rest, faults: stageFaults(printed) };
    return rest;
}

/** What the harness says about a wrong result; '' if it is right. */
function wrongResult(printed, complained) {
    const found = /^\w+: .*\bWRONG: (.*)$/m.exec(printed) ?? /^\w+: stage \w+: (.*)$/m.exec(complained);
    return found?.[1] ?? '';
}

/** The reports in what --faults has printed: paragraphs below a line "STAGE: …". */
function stageFaults(printed) {
    const [, ...paragraphs] = printed.split(/\n{2,}/);
    const isNotice = (text) => /^(?:The trace holds|Only 48 MB of the device memory) /.test(text);
    return paragraphs
        .map((text) => text.trim())
        .filter(
            (text) =>
                text &&
                !isNotice(text) &&
                !/^\w+: (?:no fault found|skipped: .*)?(?: WRONG: .*)?$/.test(text),
        )
        .map((text) => ({ text }));
}
