// The lab's counts for display: rows of a table, and a few words next to each line of the program.

import { counted as whole, say, t } from '../language.mjs';

export { whole };

/** Marked from this factor on, as in `./tutorial explain`: times the minimum. */
const WASTE = 1.2;

const UNITS = { global: ['sectors', 'least_sectors'], shared: ['wavefronts', 'least_wavefronts'] };

/** One row of the lab's JSON: {line, source, what, requests, lanes, took, least, unit, ratio, isWaste}. */
function costOf(row) {
    const [unit, leastName] = UNITS[row.space] ?? ['requests', 'requests'];
    const took = row[unit];
    const least = row[leastName];
    const ratio = least > 0 ? took / least : 1;
    return {
        file: row.file,
        line: row.line,
        source: row.source,
        what: `${row.space} ${row.operation}`,
        requests: row.requests,
        lanes: row.requests ? row.lanes / row.requests : 0,
        took,
        least,
        unit,
        ratio,
        isWaste: ratio >= WASTE,
    };
}

/** [{title, facts, rows}], a table for each kernel: for a chapter's stages, or for a program without stages. */
export function tables({ stages, kernels: all }) {
    return (stages ?? [{ kernels: all }]).flatMap(({ kernels = [] }) =>
        // A launch that was rejected has no blocks.
        kernels
            .filter(({ blocks }) => blocks > 0)
            .map((kernel) => ({
                title: kernel.kernel,
                facts: [
                    launches(kernel.shapes),
                    whole(kernel.barriers, 'barrier'),
                    t`${(kernel.lane_steps / Math.max(1, kernel.steps)).toFixed(1)} of 32 lanes work`,
                ].join(t`; `),
                rows: kernel.rows.map(costOf),
            })),
    );
}

/** The same counts for some lines of a file; kernels without any of these are left out. */
export function within({ stages, ...rest }, file, first, last) {
    const isIn = (row) => row.file === file && row.line >= first && row.line <= last;
    const cut = (kernels) =>
        kernels
            .map((kernel) => ({ ...kernel, rows: kernel.rows.filter(isIn) }))
            .filter(({ rows }) => rows.length > 0);
    return {
        ...rest,
        stages: stages.map(({ kernels = [], ...more }) => ({ ...more, kernels: cut(kernels) })),
    };
}

const MAX_SHAPES = 3;
const size = ([x, y, z]) => x * y * z;

/** "1 launch of 4 blocks of 256 threads" for each shape; only the first ones if there are many. */
function launches(shapes) {
    const said = shapes
        .slice(0, MAX_SHAPES)
        .map(
            ({ launches: count, grid, block }) =>
                t`${whole(count, 'launch', 'launches')} of ${whole(size(grid), 'block')} of ${whole(size(block), 'thread')}`,
        );
    const left = shapes.length - said.length;
    return said.join(t`, `) + (left > 0 ? t`, and ${left} other shapes` : '');
}

/** Line -> {text, ratio, short, title, isWaste} of one source file: what it took, and the minimum. */
export function beside(counts, file) {
    const found = new Map();
    for (const { rows } of tables(counts)) {
        for (const row of rows) {
            if (row.file !== file) continue;
            const short = row.unit === 'sectors' ? 'S' : row.unit === 'wavefronts' ? 'W' : 'R';
            const text = `${row.took.toLocaleString('en')}/${row.least.toLocaleString('en')} ${short}`;
            const title = t`${say(row.what)}: ${whole(row.took, row.unit.slice(0, -1))}, at least ${row.least.toLocaleString('en')}`;
            const at = found.get(row.line) ?? { texts: [], titles: [], ratio: 1 };
            found.set(row.line, {
                texts: [...at.texts, text],
                titles: [...at.titles, title],
                ratio: Math.max(at.ratio, row.ratio),
            });
        }
    }
    return new Map([...found].map(([line, at]) => [line, words(at)]));
}

function words({ texts, titles, ratio }) {
    return {
        text: texts.join('  '),
        ratio,
        short: `${ratio.toFixed(1)}x`,
        title: titles.join(t`; `),
        isWaste: ratio >= WASTE,
    };
}
