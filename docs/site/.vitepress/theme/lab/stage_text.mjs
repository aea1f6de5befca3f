// The parts of a chapter's main.cu that belong to a stage: the editor folds the rest.

/** A declaration at the outermost level begins in the first column, below an empty line. */
function paragraphs(lines) {
    const found = [];
    lines.forEach((line, at) => {
        const begins = /^[^\s}]/.test(line) && (at === 0 || lines[at - 1].trim() === '');
        if (begins || found.length === 0) found.push({ first: at + 1, text: '' });
        const last = found.at(-1);
        last.text += `${line}\n`;
        if (line.trim() !== '') last.last = at + 1;
    });
    return found.map((each) => ({ ...each, names: namesOf(each.text) }));
}

const FUNCTION = /^(?!#|\/\/)[^\n;={]*?\b(\w+)\((?:[^;{]*)\)[^;{]*\{/gm;
const ATTRIBUTE = /\b__launch_bounds__\s*\([^)]*\)/g;
const CONSTANT = /^constexpr [^=;\n]*?\b(\w+) =/gm;
const TYPE = /^(?:struct|class) (\w+)/gm;

/** {host, device}: names that a paragraph declares. Constants and types serve both sides. */
function namesOf(text) {
    const code = text.replace(ATTRIBUTE, '');
    const names = (pattern) => [...code.matchAll(pattern)].map(([, name]) => name);
    const isDevice = /__device__|__global__/.test(code);
    const both = [...names(CONSTANT), ...names(TYPE)];
    return isDevice
        ? { host: [], device: [...names(FUNCTION), ...both] }
        : { host: names(FUNCTION), device: both };
}

const words = (text) => new Set(text.replace(/\/\/.*$/gm, '').match(/\b[A-Za-z_]\w*\b/g) ?? []);

/**
 * The lines of a stage: its launcher, its kernels, and what those use from the file.
 * @returns [{first, last}] in order; empty if there is no such stage
 */
export function linesOfStage(text, stage) {
    const all = paragraphs(text.split('\n'));
    const shown = new Set(
        all.filter(
            ({ names: { host, device } }) => host.includes(stage) || device.includes(`${stage}_kernel`),
        ),
    );
    for (const each of shown) {
        const used = words(each.text);
        for (const other of all) if (other.names.device.some((name) => used.has(name))) shown.add(other);
    }
    return all.filter((each) => shown.has(each)).map(({ first, last }) => ({ first, last }));
}

/** The stretches between these lines: [{first, last}]. */
export function restOf(shown, lineCount) {
    const rest = [];
    let next = 1;
    for (const { first, last } of [...shown, { first: lineCount + 1, last: lineCount + 1 }]) {
        if (first - next >= 2) rest.push({ first: next, last: first - 1 });
        next = last + 1;
    }
    return shown.length ? rest : [];
}
