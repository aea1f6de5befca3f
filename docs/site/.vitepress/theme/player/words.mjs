// What a step does, in words: for the line below the picture, and for screen readers.
import { counted as count, t } from '../language.mjs';
import { WAITS } from './measures.mjs';

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

function span(numbers) {
    const sorted = [...new Set(numbers)].sort((a, b) => a - b);
    if (sorted.length === 1) return String(sorted[0]);
    const isRow = sorted.at(-1) - sorted[0] === sorted.length - 1;
    return isRow
        ? t`${sorted[0]} to ${sorted.at(-1)}`
        : `${sorted.slice(0, 4).join(t`, `)}${sorted.length > 4 ? t`, …` : ''}`;
}

function who({ groups }) {
    const warps = new Set(groups.map(({ b, w }) => `${b} ${w}`));
    const lanes = groups.reduce((sum, group) => sum + group.lanes.length, 0);
    const blocks = new Set(groups.map(({ b }) => b));
    const names = span(groups.map(({ w }) => w));
    const of = blocks.size > 1 ? t` of ${count(blocks.size, 'block')}` : '';
    const busy = t`${lanes} of ${warps.size * 32} lanes work`;
    return warps.size === 1 ? t`Warp ${names}${of}: ${busy}` : t`Warps ${names}${of}: ${busy}`;
}

/** Does a step cost more than necessary: idle lanes, sectors, wavefronts? */
export function isWasteful({ kind, groups }) {
    if (WAITS.has(kind)) return false;
    return groups.some(
        ({ lanes, sectors, wavefronts, least, turns }) =>
            lanes.length < 32 || (sectors?.size ?? 0) > least || wavefronts > least || turns > 1,
    );
}

/** Which warps of the block are already waiting at the barrier during this step. */
function waiting(playback, { groups }) {
    const [{ b }] = groups;
    const all = Array.from({ length: Math.ceil(playback.launch.threads / 32) }, (_, warp) => warp);
    const busy = new Set(groups.filter((group) => group.b === b).map(({ w }) => w));
    const found = all.filter((warp) => !busy.has(warp) && playback.waits(b, warp));
    if (found.length === 0) return [];
    const names = span(found);
    const who = found.length === 1 ? t`warp ${names} waits` : t`warps ${names} wait`;
    return [busy.size === 1 ? t`${who} for it at the barrier` : t`${who} for them at the barrier`];
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
    if (touched) parts.push(`${count(touched, 'sector')}${touched > least ? t`, ${least} would do` : ''}`);
    const passes = sum('wavefronts');
    if (passes > least) parts.push(t`bank conflicts: ${count(passes, 'wavefront')} instead of ${least}`);
    const queue = Math.max(...groups.map(({ turns }) => turns ?? 0));
    if (kind === 'atomic' && queue > 1) parts.push(t`${queue} lanes take turns on one word`);
    return parts;
}

/** One or two sentences about the last step. */
export function describe(playback) {
    const step = playback.current;
    if (step === null) return t`The start: nothing has run yet.`;
    for (const fault of playback.faults) return faultInWords(fault, playback.trace);
    if (step.kind === 'barrier') {
        return t`Barrier: all threads of ${step.groups.length === 1 ? t`the block` : count(step.groups.length, 'block')} have arrived and continue.`;
    }
    if (step.kind === 'syncwarp') {
        const names = span(step.groups.map(({ w }) => w));
        return /\D/.test(names)
            ? t`Warps ${names}: the lanes of each wait for each other.`
            : t`Warp ${names}: its lanes wait for each other.`;
    }
    const parts = [who(step)];
    if (step.kind === 'shuffle') parts.push(t`each reads a register of another lane`);
    else if (step.kind === 'vote') parts.push(t`they vote`);
    else {
        const array = step.groups[0].array;
        const what = array.space === 'shared' ? t`${array.title} in shared memory` : t`global memory`;
        const [first] = step.groups;
        const example =
            first.at.length === 1 && step.groups.length === 1
                ? t`, item ${first.at[0]} is ${playback.values[first.a][first.at[0]] ?? t`unset`}`
                : '';
        const does = {
            load: t`load from ${what}${example}`,
            store: t`store to ${what}${example}`,
            atomic: t`update, one after the other, ${what}${example}`,
        };
        parts.push(does[step.kind], ...cost(step));
    }
    parts.push(...waiting(playback, step));
    return t`${parts.join(t`; `)}.`;
}
