// A number that a reader has predicted, next to the one that was counted: for a line or for the whole run.
import { counted as whole, en, say, t } from '../language.mjs';

const sumOf = (all, of) => all.reduce((sum, each) => sum + of(each), 0);

/** For one line: the cost per request. */
const PER_REQUEST = ['sectors', 'wavefronts'];
/** For one line: how many in total. */
const OF_LINE = {
    requests: (row) => row.requests,
    [en`atomic operations`]: (row) => (row.operation === 'atomic' ? row.lanes : 0),
};
/** For the run: how many, by kernel. */
const OF_RUN = {
    [en`launches`]: ({ shapes }) => sumOf(shapes, (shape) => shape.launches),
    [en`blocks`]: ({ blocks }) => blocks,
    [en`barriers`]: ({ barriers }) => barriers,
    [en`requests to global memory`]: ({ rows }) =>
        sumOf(rows, (row) => (row.space === 'global' ? row.requests : 0)),
};

/** For a single one: the English words. */
const ONE = {
    requests: 'request',
    'atomic operations': 'atomic operation',
    launches: 'launch',
    blocks: 'block',
    barriers: 'barrier',
    'requests to global memory': 'request to global memory',
};

const short = (value) => Number(value.toFixed(2)).toLocaleString('en');

/** A sentence about the count; '' if there was nothing to predict, or nothing was counted. */
export function judged(counts, { predict, unit, file, guess }) {
    if (!counts || !unit) return '';
    // A launch that was rejected has no blocks.
    const kernels = counts.stages.flatMap(({ kernels: all = [] }) => all).filter(({ blocks }) => blocks > 0);
    const rows = kernels
        .flatMap((kernel) => kernel.rows)
        .filter((row) => row.file === file && row.line === predict);
    const found = PER_REQUEST.includes(unit)
        ? perRequest(rows, predict, unit)
        : inAll(rows, kernels, predict, unit);
    if (!found) return '';
    const { value, counted, margin } = found;
    const said = Number(guess.trim().replace(',', '.'));
    if (guess.trim() === '' || Number.isNaN(said)) return counted;
    const isRight = Math.abs(said - value) <= margin;
    return `${counted} ${isRight ? t`You said ${short(said)}: right.` : t`You said ${short(said)}.`}`;
}

function perRequest(all, line, unit) {
    const rows = all.filter(({ space }) => space === (unit === 'sectors' ? 'global' : 'shared'));
    const count = sumOf(rows, (row) => row.requests);
    if (!count) return null;
    const took = sumOf(rows, (row) => row[unit]);
    const value = took / count;
    const counted = t`Line ${line} takes ${whole(took, unit.slice(0, -1))} in ${whole(count, 'request')}: ${short(value)} each.`;
    return { value, counted, margin: 0.05 * value };
}

function inAll(rows, kernels, line, unit) {
    const value = line ? sumOf(rows, OF_LINE[unit]) : sumOf(kernels, OF_RUN[unit]);
    if (line && !value) return null;
    const number = value.toLocaleString('en');
    const words = (value === 1 && ONE[say(unit)]) || say(unit);
    const counted = line ? t`Line ${line}: ${number} ${words}.` : t`In all: ${number} ${words}.`;
    return { value, counted, margin: 0 };
}
