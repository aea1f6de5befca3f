// What the charts can show of a measured row, and how numbers are written.
import { en } from '../language.mjs';
import { withRaised } from '../../../build/typography.mjs';

/** The highest percentage of the ceiling that a chart shows. */
export const HIGHEST_CEILING = 110;

export const QUANTITIES = {
    ceiling: {
        title: en`% of the ceiling`,
        label: en`↑ % of the ceiling`,
        log: false,
        text: (value) => `${round(value)} %`,
    },
    time: { title: en`time`, label: en`↑ time, cold`, log: true, text: duration },
    library: {
        title: en`against the library`,
        label: en`↑ times as fast as the library`,
        log: true,
        text: (value) => `${round(value)} x`,
    },
};

export function round(value) {
    return Number(value.toPrecision(3)).toLocaleString('en', { maximumSignificantDigits: 3 });
}

/** Microseconds, as a person would say them. */
export function duration(us) {
    if (us >= 1e6) return `${round(us / 1e6)} s`;
    if (us >= 1e3) return `${round(us / 1e3)} ms`;
    return `${round(us)} µs`;
}

/** 1,048,576 is 2²⁰. */
export function size(n) {
    const power = Math.log2(n);
    return Number.isInteger(power) && power >= 10 ? withRaised(`2^${power}`) : n.toLocaleString('en');
}

/** The settings of a chapter's rows (input, options), the one with the most sizes first. */
export function settings(rows) {
    const sizes = new Map();
    for (const { setting, n } of rows) sizes.set(setting, (sizes.get(setting) ?? new Set()).add(n));
    return [...sizes].sort((a, b) => b[1].size - a[1].size).map(([setting]) => setting);
}

/** One row for each device, stage and n: the last that was measured. */
export function latest(rows) {
    const kept = new Map();
    for (const row of rows) kept.set(`${row.device} ${row.stage} ${row.n}`, row);
    return [...kept.values()].sort((a, b) => a.n - b.n);
}

/** Rows by columns: one value if it is the same in every row; if only a few names repeat, these and the
 *  number of each row's; else a value for each row. That takes a quarter of the space. */
export function packRows({ rows, ...device }) {
    const column = (name) => {
        const values = rows.map((row) => row[name]);
        const different = [...new Set(values)];
        if (different.length === 1) return values[0];
        if (typeof values[0] !== 'string' || 2 * different.length > values.length) return values;
        const number = new Map(different.map((value, i) => [value, i]));
        return { different, each: values.map((value) => number.get(value)) };
    };
    const columns = Object.fromEntries(Object.keys(rows[0]).map((name) => [name, column(name)]));
    return { ...device, count: rows.length, columns };
}

export function unpackRows({ count, columns, ...device }) {
    const value = (column, i) => {
        if (Array.isArray(column)) return column[i];
        return column?.different ? column.different[column.each[i]] : column;
    };
    const row = (i) =>
        Object.fromEntries(Object.entries(columns).map(([name, column]) => [name, value(column, i)]));
    return { ...device, rows: Array.from({ length: count }, (_, i) => row(i)) };
}
