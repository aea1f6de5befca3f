// What a stage has changed in the code: the difference between it and the stage before, in a few lines.
import { CHAPTERS, textOf } from './places.mjs';
import { stageSources } from './sources.mjs';

/** The most lines that are coloured. */
export const MOST = 20;

/** This share of a function's lines must be unchanged for its changes to be shown; otherwise all are new. */
const ALIKE = 1 / 3;

const withoutComment = (line) => line.replace(/\/\/.*$/, '');

/** The definitions of a file that are not inside another one: {name, file, first, lines}; lines count from 1. */
export function definitions(text, file) {
    const lines = text.split('\n');
    const found = [];
    for (let at = 0; at < lines.length; ++at) {
        if (!/^[A-Za-z_]/.test(lines[at]) || /^(?:namespace|using|extern|static_assert)\b/.test(lines[at]))
            continue;
        const first = at;
        let depth = 0;
        for (; at < lines.length; ++at) {
            const code = withoutComment(lines[at].replace(/"(?:[^"\\]|\\.)*"/g, ''));
            depth += (code.match(/\{/g) ?? []).length - (code.match(/\}/g) ?? []).length;
            if (depth === 0 && /[;}]\s*$/.test(code)) break;
        }
        const mine = lines.slice(first, at + 1);
        const head = mine
            .join(' ')
            .replace(/^(?:template <[^{(]*?>\s+(?=[\w_]))+/, '')
            .replace(/__launch_bounds__\([^)]*\)/, '');
        const [, name] = /^(?:struct|class) (\w+)/.exec(head) ?? /(\w+)\(/.exec(head.split('=')[0]) ?? [];
        if (name) found.push({ name, file, first: first + 1, lines: mine });
    }
    return found;
}

const chapters = new Map();

/** All definitions of a chapter's stages, and for each stage the one below its comment. */
function sourcesOf(chapter) {
    if (chapters.has(chapter)) return chapters.get(chapter);
    const { folder } = CHAPTERS.find(({ id }) => id === chapter);
    const all = [];
    const told = new Map();
    for (const file of stageSources(folder)) {
        const text = textOf(file);
        const mine = definitions(text, file);
        all.push(...mine);
        for (const comment of text.matchAll(/^\/\/ (\w+): (?:.*\n\/\/ )*?Removes: /gm)) {
            const line = text.slice(0, comment.index).split('\n').length;
            told.set(
                comment[1],
                mine.find(({ first }) => first > line),
            );
        }
    }
    const found = { all, told };
    chapters.set(chapter, found);
    return found;
}

/** What a definition uses from the chapter, directly or not. */
function reached(all, from) {
    const found = new Set();
    const wanted = [from];
    while (wanted.length) {
        const now = wanted.pop();
        if (found.has(now)) continue;
        found.add(now);
        const words = new Set(
            now.lines
                .map(withoutComment)
                .join('\n')
                .match(/(?<!std::)\b\w+/g),
        );
        for (const each of all) if (words.has(each.name)) wanted.push(each);
    }
    return found;
}

/** The lines of two texts, as {sign, text}: ' ' in both, '-' in the first only, '+' in the second only. */
export function difference(before, now, key = (line) => line.trim()) {
    const [a, b] = [before.map(key), now.map(key)];
    const common = Array.from({ length: a.length + 1 }, () => new Array(b.length + 1).fill(0));
    for (let i = a.length - 1; i >= 0; --i)
        for (let j = b.length - 1; j >= 0; --j)
            common[i][j] =
                a[i] === b[j] ? common[i + 1][j + 1] + 1 : Math.max(common[i + 1][j], common[i][j + 1]);
    const found = [];
    for (let [i, j] = [0, 0]; i < a.length || j < b.length;) {
        if (i < a.length && j < b.length && a[i] === b[j]) {
            found.push({ sign: ' ', text: now[j++] });
            ++i;
        } else if (i < a.length && (j === b.length || common[i + 1][j] >= common[i][j + 1])) {
            found.push({ sign: '-', text: before[i++] });
        } else found.push({ sign: '+', text: now[j++] });
    }
    return found;
}

const isCode = (line) => line.trim() !== '' && !/^\s*\/\//.test(line);

const added = (code) => code.map((text) => ({ sign: '+', text }));
const isKernel = ({ lines }) => lines.some((line) => line.includes('__global__'));

/** What changes from one function to another; if little is left unchanged, only the new one. */
function changes(before, now, names) {
    const code = now.lines.filter(isCode);
    if (!before || isKernel(before) !== isKernel(now)) return added(code);
    const own = new RegExp(`\\b(?:${names.join('|')})(?=_kernel\\b|\\b)`, 'g');
    const found = difference(before.lines.filter(isCode), code, (line) => line.trim().replace(own, ''));
    const same = found.filter(({ sign }) => sign === ' ').length;
    return same < ALIKE * code.length || found.length - same > MOST ? added(code) : found;
}

/** Changed lines with one line of context, separated by null. */
function hunks(lines) {
    const near = (at) => [at - 1, at, at + 1].some((each) => (lines[each]?.sign ?? ' ') !== ' ');
    const found = [];
    lines.forEach((line, at) => {
        if (near(at)) found.push(line);
        else if (found.length && found.at(-1) !== null) found.push(null);
    });
    if (found.at(-1) === null) found.pop();
    return found;
}

/**
 * How the code of a stage differs from that of `beside` (null: there is none, so it is shown as it is):
 * {file, first, lines, isCut}. `first`: the number of its first line in `file`; `lines`: [{sign, text}], or
 * null where some are left out; `isCut`: more has changed than is shown. The kernel comes first, then the new
 * things that it uses, then the launch.
 */
export function stepCode(chapter, stage, beside) {
    const { all, told } = sourcesOf(chapter);
    const launcher = (name) => all.find((each) => each.name === name);
    const mainOf = (name) => told.get(name) ?? launcher(name);
    const main = mainOf(stage);
    if (!main) throw new Error(`${chapter}: there is no code of ${stage}`);
    const place = { file: main.file, first: main.first };
    if (!beside) {
        const lines = main.lines.filter(isCode).map((text) => ({ sign: ' ', text }));
        return { ...place, lines: lines.slice(0, MOST), isCut: lines.length > MOST };
    }
    const own = [...new Set([main, launcher(stage) ?? main])];
    const old = [...new Set([mainOf(beside), launcher(beside) ?? mainOf(beside)])];
    const known = new Set(old.flatMap((each) => [...reached(all, each)]));
    const used = new Set(own.flatMap((each) => [...reached(all, each)]));
    const isNew = (each) => !known.has(each) && !own.includes(each) && !told.has(each.name);
    const ofPart = (each) =>
        changes(each === main && old.length === own.length ? old[0] : old.at(-1), each, [stage, beside]);
    const parts = [
        ofPart(main),
        ...[...used].filter(isNew).map((each) => changes(null, each)),
        ...own.slice(1).map(ofPart),
    ].filter((part) => part.some(({ sign }) => sign !== ' '));
    return { ...place, ...cut(parts.flatMap((part, i) => [...(i > 0 ? [null] : []), ...hunks(part)])) };
}

/** The first lines, up to as many as are coloured. */
function cut(lines) {
    const isChanged = (line) => line && line.sign !== ' ';
    const coloured = lines.flatMap((line, at) => (isChanged(line) ? [at] : []));
    if (coloured.length <= MOST) return { lines, isCut: false };
    return { lines: lines.slice(0, coloured[MOST - 1] + 1), isCut: true };
}
