// Reads what `--trace` wrote (common/lab/README.md): launches, their events, the arrays.

export const WARP = 32;

function product([x, y, z]) {
    return x * y * z;
}

function lanesOf(mask) {
    const lanes = [];
    for (let lane = 0; lane < WARP; ++lane) if ((mask >>> lane) & 1) lanes.push(lane);
    return lanes;
}

/** Smallest access to each array: its items are that wide. */
function itemBytes(lines) {
    const least = new Map();
    for (const { space, array, bytes, index } of lines) {
        if (index === undefined) continue;
        const key = `${space} ${array}`;
        const item = bytes > 8 ? 4 : bytes; // vectors of words
        least.set(key, Math.min(least.get(key) ?? item, item));
    }
    return least;
}

/** Items of an access from its bits: the highest byte comes first. */
function itemsOf(bits, bytes, each) {
    const items = [];
    for (let at = 0; at < bytes; at += each)
        items.push(bits.slice(2 * (bytes - at - each), 2 * (bytes - at)));
    return items;
}

/**
 * {launches, arrays, isCut}. An event: {step, kind, block, thread, file, line, array, first, bits, bytes};
 * of a barrier or an exchange {step, kind, block, warp, lanes, sources, values}. An array's name is
 * unique: that of a shared one has its block.
 */
export function readTrace(text) {
    const lines = text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
    if (lines[0]?.schema !== 'tutorial-trace-2')
        throw new Error(`no trace, or an old one: ${lines[0]?.schema}`);
    const width = itemBytes(lines);
    const arrays = new Map();
    const sizes = new Map();
    const launches = [];
    let launch = null;
    let isCut = false;
    for (const line of lines.slice(1)) {
        if (line.kind === 'launch') {
            launch = {
                kernel: line.kernel,
                grid: line.grid,
                block: line.block,
                blocks: product(line.grid),
                threads: product(line.block),
                events: [],
                faults: [],
            };
            launches.push(launch);
        } else if (line.kind === 'cut') isCut = true;
        else if (line.kind === 'array') sizes.set(`${line.space} ${line.array}`, line.bytes);
        else if (line.kind === 'fault') launch.faults.push(line);
        else if (line.kind === 'barrier' || line.kind === 'syncwarp' || line.kind === 'exchange') {
            launch.events.push({ ...line, lanes: lanesOf(parseInt(line.lanes, 16)) });
        } else {
            const key = `${line.space} ${line.array}`;
            const each = width.get(key);
            const name = line.space === 'shared' ? `${line.array} of block ${line.block}` : line.array;
            const first = (line.index * line.bytes) / each;
            const bits = itemsOf(line.bits, line.bytes, each);
            if (!arrays.has(name)) {
                const block = line.space === 'shared' ? line.block : -1;
                const items = Math.floor((sizes.get(key) ?? 0) / each);
                arrays.set(name, {
                    name,
                    title: line.array,
                    space: line.space,
                    block,
                    bytes: each,
                    items,
                    shown: 0,
                });
            }
            const array = arrays.get(name);
            array.shown = Math.max(array.shown, first + bits.length);
            launch.events.push({ ...line, array: name, first, bits });
        }
    }
    return { launches, arrays: [...arrays.values()], isCut };
}
