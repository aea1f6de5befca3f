// How values are shown in a cell. Ten-digit keys do not fit, but their ranks do.
import { short } from './words.mjs';

const LONGEST = 99999;
/** What kernels store in empty places: the smallest and the largest value. */
const ENDS = new Map([
    [2147483647, '∞'],
    [4294967295, '∞'],
    [-2147483648, '-∞'],
]);

/** Key and index in one word of 64 bits, which are ordered as unsigned numbers. */
function ranksOfLongs(trace) {
    const found = new Set();
    const add = (values) => {
        for (const value of values ?? []) if (value !== null) found.add(String(value));
    };
    const isLong = trace.arrays.map(({ type, bytes }) => type !== 'float' && bytes === 8);
    if (!isLong.some(Boolean)) return new Map();
    trace.arrays.forEach(({ initial }, number) => isLong[number] && add(initial));
    for (const { kind, groups } of trace.steps) {
        for (const group of groups) {
            const isExchange = kind === 'shuffle' && group.v?.some((each) => typeof each === 'string');
            if (isLong[group.a] || isExchange) add(group.v);
        }
    }
    const order = [...found].map((text) => [BigInt.asUintN(64, BigInt(text)), text]);
    const keys = order.filter(([value]) => value > LONGEST && value < 2n ** 64n - 1n);
    keys.sort(([a], [b]) => (a < b ? -1 : 1));
    return new Map(keys.map(([, text], rank) => [text, rank]));
}

function ranksOfKeys(trace) {
    const array = trace.arrays.find(({ role }) => role === 'input' || role === 'data');
    if (!array || array.type === 'float') return new Map();
    const keys = [...new Set(array.initial.filter((each) => Number.isInteger(each)))];
    if (!keys.some((each) => Math.abs(each) > LONGEST)) return new Map();
    return new Map(keys.sort((a, b) => a - b).map((each, rank) => [String(each), rank]));
}

export class Labels {
    constructor(trace) {
        this.ranks = new Map([...ranksOfLongs(trace), ...ranksOfKeys(trace)]);
    }

    /** A number that stands for the value in a picture, or null. */
    place(value) {
        if (value === null || value === undefined) return null;
        const rank = this.ranks.get(String(value));
        if (rank !== undefined) return rank;
        return typeof value === 'number' && !(this.ranks.size && ENDS.has(value)) ? value : null;
    }

    text(value) {
        if (value === null || value === undefined) return '';
        const rank = this.ranks.get(String(value));
        if (rank !== undefined) return String(rank);
        if (this.ranks.size && ENDS.has(value)) return ENDS.get(value);
        return short(value);
    }

    /** Are values like these shown by their ranks? */
    ranked(values) {
        return this.ranks.size > 0 && values.some((each) => this.ranks.has(String(each)));
    }
}
