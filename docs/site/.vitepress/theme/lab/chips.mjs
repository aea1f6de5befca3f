// Changes worth trying, found in the text: barriers, padding, block sizes, strides.

import { t } from '../language.mjs';

// Bounded, because a text that is not a program must not take long.
const KERNEL = /__global__[^;{]{0,400}?\b(\w+)\s*\([^;{]{0,4000}\)\s*\{/g;
/** A kernel, or a function that kernels call. */
const ON_DEVICE = /(?:__global__|__device__)[^;{}=]{0,400}?\b(\w+)\s*\([^;{]{0,4000}\)\s*\{/g;
const BARRIER = /^(\s*)(__syncthreads\(\);)(.*)$/;
const REMOVED = /^(\s*)\/\/ (__syncthreads\(\);)(.*)$/;
/** Rows of a tile in shared memory that are, or could be, one item longer than necessary. */
const PADDED = /^(\s*__shared__ \w+ \w+\[(\w+)\]\[\2)( \+ 1)?(\];.*)$/;
const NUMBER = /\bconstexpr\s+(?:unsigned|int|unsigned int|std::size_t|size_t)\s+(\w+)\s*=\s*(\d+)\s*;/;
/** The number of functions whose changes are offered: the first ones, if a program has more. */
const MAX_GROUPS = 12;
const SIZES = { block: [32, 64, 128, 256], stride: [1, 2, 8, 32] };

function kindOf(name) {
    if (/^k?(?:block_?size|block|threads|block_?threads)$/i.test(name)) return 'block';
    return /^k?stride$/i.test(name) ? 'stride' : '';
}

/** The kernels of a text, with their first and last lines. */
export const kernels = (text) => functions(text, KERNEL);

/** Returns (place) => its line; places may come in any order. */
function linesOf(text) {
    const ends = [];
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) ends.push(at);
    return (place) => {
        let [low, high] = [0, ends.length];
        while (low < high) {
            const middle = (low + high) >> 1;
            if (ends[middle] < place) low = middle + 1;
            else high = middle;
        }
        return low + 1;
    };
}

function functions(text, pattern) {
    const lineOf = linesOf(text);
    return [...text.matchAll(pattern)].map((found) => {
        const open = found.index + found[0].length;
        let depth = 1;
        let at = open;
        while (at < text.length && depth > 0) depth += { '{': 1, '}': -1 }[text[at++]] ?? 0;
        return { name: found[1], first: lineOf(found.index), last: lineOf(at) };
    });
}

/** [{kernel, chips: [{label, title, pressed, apply(text) -> text}]}]; those of the whole program have no kernel.
 *  `only`: [{first, last}], the lines that matter; null: all. `stage`: if it has a kernel of its own, the kernel
 *  of another stage that it falls back on is left out. */
export function chips(text, only = null, stage = '') {
    const own = `${stage}_kernel`;
    const all = kernels(text).map(({ name }) => name);
    const others = all.includes(own) ? all.filter((name) => name !== own) : [];
    const lines = text.split('\n');
    const matters = (at) => !only || only.some(({ first, last }) => first <= at + 1 && at < last);
    const withLine = (at, line) => () => lines.map((old, i) => (i === at ? line : old)).join('\n');
    const groups = functions(text, ON_DEVICE)
        .filter(({ name }) => !others.includes(name))
        .map(({ name, first, last }) => {
            const found = [];
            for (let at = first - 1; at < last; ++at) {
                const [, tile, , padding, tail] = PADDED.exec(lines[at]) ?? [];
                if (tile && matters(at))
                    found.push({
                        label: padding
                            ? t`remove the padding of line ${at + 1}`
                            : t`make the rows of line ${at + 1} one item longer`,
                        apply: withLine(at, `${tile}${padding ? '' : ' + 1'}${tail}`),
                    });
                const barrier = BARRIER.exec(lines[at]);
                const removed = REMOVED.exec(lines[at]);
                const [, indent, call, rest] = barrier ?? removed ?? [];
                if (!call || !matters(at)) continue;
                found.push({
                    label: barrier
                        ? t`remove the barrier of line ${at + 1}`
                        : t`put the barrier of line ${at + 1} back`,
                    apply: withLine(at, barrier ? `${indent}// ${call}${rest}` : `${indent}${call}${rest}`),
                });
            }
            return { kernel: name, chips: found };
        })
        .filter((group) => group.chips.length > 0)
        .slice(0, MAX_GROUPS);
    const numbers = lines.flatMap((line, at) => {
        const [, name, value] = NUMBER.exec(line) ?? [];
        const kind = name && kindOf(name);
        if (!kind || !matters(at)) return [];
        return SIZES[kind].map((size, i) => ({
            label: i === 0 ? `${kind === 'block' ? t`block size` : t`stride`} ${size}` : String(size),
            title: `${name} = ${size}`,
            pressed: Number(value) === size,
            apply: withLine(at, line.replace(/=\s*\d+/, `= ${size}`)),
        }));
    });
    return [...groups, { kernel: '', chips: numbers }].filter((group) => group.chips.length > 0);
}
