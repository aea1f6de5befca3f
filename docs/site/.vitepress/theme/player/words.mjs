// What a step does, in words: for the line below the picture, and for screen readers.
import { WAITS } from './measures.mjs';

const VERBS = {
    load: 'load from',
    store: 'store to',
    atomic: 'update, one after the other,',
};

/** A number in at most `most` characters. */
export function short(value, most = 4) {
    if (value === null || value === undefined) return '';
    if (typeof value === 'string') return { Infinity: '∞', '-Infinity': '-∞', NaN: 'NaN' }[value] ?? '…';
    const text = String(value);
    if (text.length <= most) return text;
    if (Number.isInteger(value)) {
        const size = Math.abs(value);
        for (const [unit, letter] of [
            [1e12, 'T'],
            [1e9, 'G'],
            [1e6, 'M'],
            [1e3, 'k'],
        ]) {
            if (size >= unit) return `${Math.round(value / unit)}${letter}`;
        }
    }
    for (let digits = 3; digits >= 0; --digits) {
        const fixed = value.toFixed(digits).replace(/^(-?)0\./, '$1.');
        if (fixed.length <= most) return fixed;
    }
    return value.toExponential(0).replace('e+', 'e');
}

function count(number, word) {
    return `${number} ${word}${number === 1 ? '' : 's'}`;
}

function span(numbers) {
    const sorted = [...new Set(numbers)].sort((a, b) => a - b);
    if (sorted.length === 1) return String(sorted[0]);
    const isRow = sorted.at(-1) - sorted[0] === sorted.length - 1;
    return isRow
        ? `${sorted[0]} to ${sorted.at(-1)}`
        : `${sorted.slice(0, 4).join(', ')}${sorted.length > 4 ? ', …' : ''}`;
}

function who({ groups }) {
    const warps = new Set(groups.map(({ b, w }) => `${b} ${w}`));
    const lanes = groups.reduce((sum, group) => sum + group.lanes.length, 0);
    const blocks = new Set(groups.map(({ b }) => b));
    const names = span(groups.map(({ w }) => w));
    const of = blocks.size > 1 ? ` of ${count(blocks.size, 'block')}` : '';
    const busy = `${lanes} of ${warps.size * 32} lanes work`;
    return `${warps.size === 1 ? 'Warp' : 'Warps'} ${names}${of}: ${busy}`;
}

/** Does a step cost more than it must: lanes that stand by, sectors, wavefronts? */
export function isWasteful({ kind, groups }) {
    if (WAITS.has(kind)) return false;
    return groups.some(
        ({ lanes, sectors, wavefronts, least, turns }) =>
            lanes.length < 32 || (sectors?.size ?? 0) > least || wavefronts > least || turns > 1,
    );
}

/** Which warps of the block wait at the barrier already, while the step is done. */
function waiting(playback, { groups }) {
    const [{ b }] = groups;
    const count = Math.ceil(playback.launch.threads / 32);
    const all = Array.from({ length: count }, (_, warp) => warp);
    const busy = new Set(groups.filter((group) => group.b === b).map(({ w }) => w));
    const found = all.filter((warp) => !busy.has(warp) && playback.waits(b, warp));
    if (found.length === 0) return [];
    const names = `${found.length === 1 ? 'warp' : 'warps'} ${span(found)} ${found.length === 1 ? 'waits' : 'wait'}`;
    return [`${names} for ${busy.size === 1 ? 'it' : 'them'} at the barrier`];
}

function faultInWords({ text, line, thread, block, does, other }, { lines }) {
    const place = (number) => `line ${lines[number][1]}`;
    if (thread === undefined) return `Fault: ${text}.`;
    const first = `thread ${thread} of block ${block} ${does} in ${place(line)}`;
    if (!other) return `Fault: ${text}: ${first}.`;
    const whose =
        other.thread === undefined ? 'another thread' : `thread ${other.thread} of block ${other.block}`;
    return `Fault: ${text}. ${first[0].toUpperCase()}${first.slice(1)}; ${whose} ${other.does} in ${place(other.line)}. Nothing orders the two.`;
}

function cost({ kind, groups }) {
    const sum = (name) => groups.reduce((total, group) => total + (group[name] ?? 0), 0);
    const parts = [];
    const touched = groups.reduce((total, group) => total + (group.sectors?.size ?? 0), 0);
    const least = sum('least');
    if (touched) parts.push(`${count(touched, 'sector')}${touched > least ? `, ${least} would do` : ''}`);
    const passes = sum('wavefronts');
    if (passes > least) parts.push(`bank conflicts: ${count(passes, 'wavefront')} instead of ${least}`);
    const queue = Math.max(...groups.map(({ turns }) => turns ?? 0));
    if (kind === 'atomic' && queue > 1) parts.push(`${queue} lanes take turns on one word`);
    return parts;
}

/** One sentence or two about the step that was done last. */
export function describe(playback) {
    const step = playback.current;
    if (step === null) return 'The start: nothing has run yet.';
    for (const fault of playback.faults) return faultInWords(fault, playback.trace);
    if (step.kind === 'barrier') {
        return `Barrier: all threads of ${step.groups.length === 1 ? 'the block' : count(step.groups.length, 'block')} have arrived, and go on.`;
    }
    if (step.kind === 'syncwarp') {
        const names = span(step.groups.map(({ w }) => w));
        return names.includes('to') || names.includes(',')
            ? `Warps ${names}: the lanes of each wait for each other.`
            : `Warp ${names}: its lanes wait for each other.`;
    }
    const parts = [who(step)];
    if (step.kind === 'shuffle') parts.push('each gets a register of another lane');
    else if (step.kind === 'vote') parts.push('they vote');
    else {
        const array = step.groups[0].array;
        const what = array.space === 'shared' ? `${array.title} in shared memory` : 'global memory';
        const [first] = step.groups;
        const example =
            first.at.length === 1 && step.groups.length === 1
                ? `, item ${first.at[0]} is ${playback.values[first.a][first.at[0]] ?? 'unset'}`
                : '';
        parts.push(`${VERBS[step.kind]} ${what}${example}`, ...cost(step));
    }
    parts.push(...waiting(playback, step));
    return `${parts.join('; ')}.`;
}
