// What a step does, in words: for the line below the picture, and for screen readers.

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

function cost({ kind, groups }) {
    const sum = (name) => groups.reduce((total, group) => total + (group[name] ?? 0), 0);
    const parts = [];
    const touched = groups.reduce((total, group) => total + (group.sectors?.size ?? 0), 0);
    const least = sum('least');
    if (touched) parts.push(`${count(touched, 'sector')}${touched > least ? `, ${least} would do` : ''}`);
    const passes = sum('wavefronts');
    if (passes > least)
        parts.push(`bank conflicts: ${count(passes, 'pass').replace('passs', 'passes')} instead of ${least}`);
    const queue = Math.max(...groups.map(({ turns }) => turns ?? 0));
    if (kind === 'atomic' && queue > 1) parts.push(`${queue} lanes take turns on one word`);
    return parts;
}

/** One sentence or two about the step that was done last. */
export function describe(playback) {
    const step = playback.current;
    if (step === null) return 'The start: nothing has run yet.';
    for (const fault of playback.faults) return `Fault: ${fault.text}.`;
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
    if (step.kind === 'shuffle') parts.push('each takes a register of another lane');
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
    return `${parts.join('; ')}.`;
}
