// One read of the data: blocks take tiles from a counter, and share a threshold that rises.
import { line, rect, shuffled, text } from './drawing.mjs';

/** tile_of() of 11_one_read.cuh: the first tiles are spread over the data, the others follow its order. */
export function tileOf(number, tiles, blocks) {
    const distance = Math.floor(tiles / blocks);
    if (number < blocks) return number * distance;
    const later = number - blocks;
    return later + (distance > 1 ? Math.min(Math.floor(later / (distance - 1)) + 1, blocks) : blocks);
}

/**
 * Block b reads tiles from starts[b] on; a tile takes two units of time, and one more for each key that
 * passes. As in stream() of 11_one_read.cuh, a tile's number and the others' threshold are fetched one tile
 * early. Without a counter the blocks have fixed shares. A set of that many slots keeps the k best when it is
 * full, and publishes the k-th. {turns: [{block, tile, begin, end, threshold, passed}] in chronological
 * order; published: [{at, key}]; best: the k largest}.
 */
export function readTiles(keys, { k, slots, tiles, starts, hasCounter }) {
    const count = starts.length;
    const size = keys.length / tiles;
    let taken = 0;
    const published = [];
    const blocks = starts.map((time, block) => ({
        block,
        time,
        numbers: [block, count + block],
        threshold: -1,
        own: -1,
        set: [],
    }));
    const ask = (each) => {
        if (each.numbers[1] < tiles)
            each.numbers.push(hasCounter ? 2 * count + taken++ : each.numbers[1] + count);
        each.others = Math.max(-1, ...published.filter(({ at }) => at <= each.time).map(({ key }) => key));
    };
    const insert = (each, key) => {
        each.set.push(key);
        if (each.set.length < slots) return;
        each.set = each.set.sort((a, b) => b - a).slice(0, k);
        each.own = each.set.at(-1);
    };
    blocks.forEach(ask);
    const turns = [];
    for (;;) {
        const left = blocks.filter(({ numbers }) => numbers[0] < tiles);
        if (left.length === 0) break;
        const each = left.reduce((first, other) => (other.time < first.time ? other : first));
        const { block, time: begin, threshold, others } = each;
        const tile = tileOf(each.numbers[0], tiles, count);
        const passed = keys.slice(tile * size, (tile + 1) * size).filter((key) => key > threshold);
        const before = each.own;
        for (const key of passed) if (key > each.own) insert(each, key);
        each.numbers.shift();
        ask(each);
        each.time = begin + 2 + passed.length;
        if (each.own > before) published.push({ at: each.time, key: each.own });
        each.threshold = Math.max(each.own, others);
        turns.push({ block, tile, begin, end: each.time, threshold, passed: passed.length });
    }
    const best = blocks
        .flatMap(({ set }) => set)
        .sort((a, b) => b - a)
        .slice(0, k);
    return { turns, published, best };
}

const TILES = 24;
const SIZE = 4;
const KEYS = shuffled(TILES * SIZE, 114);
/** Blocks do not start together; the last one is very late. */
const QUESTION = { k: 2, slots: 4, tiles: TILES, starts: [0, 1, 3, 10] };
const { turns: TURNS, published: PUBLISHED } = readTiles(KEYS, { ...QUESTION, hasCounter: true });
const { turns: FIXED } = readTiles(KEYS, { ...QUESTION, hasCounter: false });
const endOf = (turns) => Math.max(...turns.map(({ end }) => end));
const [END, FIXED_END] = [endOf(TURNS), endOf(FIXED)];

const LEFT = 56;
const UNIT = (352 - LEFT - 6) / Math.max(END, FIXED_END);
const ROW = 24;
const TOP = 66;
const x = (time) => LEFT + UNIT * time;
/** Starts at half the keys: the threshold is soon above that. */
const height = (key) => 58 - 50 * Math.max(0, (2 * key) / KEYS.length - 1);

/** The highest threshold, from when it is published to when a higher one is. */
const risen = ({ at, key }, to) => line('threshold', x(at), height(key), x(to), height(key));

function picture(count) {
    const shown = TURNS.slice(0, count);
    const now = count < TILES ? (shown.at(-1)?.begin ?? 0) : END;
    const parts = [text('label', 28, 34, 'threshold')];
    let highest = null;
    for (const { at, key } of [...PUBLISHED].sort((a, b) => a.at - b.at)) {
        if (at > now || (highest && key <= highest.key)) continue;
        if (highest) parts.push(risen(highest, at));
        highest = { at, key };
    }
    if (highest) {
        parts.push(risen(highest, now));
        parts.push(text('last', x(now) + 12, height(highest.key) + 4, highest.key));
    }
    QUESTION.starts.forEach((_, block) =>
        parts.push(text('label', 28, TOP + ROW * block + 16, `block ${block}`)),
    );
    shown.forEach(({ block, tile, begin, end }, at) => {
        const y = TOP + ROW * block + 2;
        parts.push(rect('now', x(begin), y, 2 * UNIT - 1, 20));
        if (end > begin + 2) parts.push(rect('yes', x(begin + 2) - 1, y, UNIT * (end - begin - 2), 20));
        parts.push(text(at === count - 1 ? 'last' : '', x(begin + 1) - 0.5, y + 14, tile));
    });
    const bottom = TOP + ROW * QUESTION.starts.length;
    if (count === TILES) parts.push(line('diagonal', x(FIXED_END), TOP, x(FIXED_END), bottom));
    parts.push(line('grid', LEFT, bottom + 2, 350, bottom + 2));
    return { width: 352, height: bottom + 6, parts: parts.join('') };
}

function words(count) {
    const last = TURNS[count - 1];
    if (!last)
        return 'Two units of time for each tile, and one more for each key that passes. Blocks do not start together.';
    const { block, tile, threshold, passed } = last;
    const bound = threshold < 0 ? 'there is no threshold yet' : `the threshold it knows is ${threshold}`;
    const said = `Block ${block} reads tile ${tile}: ${bound}, and ${passed} of ${SIZE} keys pass.`;
    if (count < TILES) return said;
    return `${said} Everything is read at time ${END}; with fixed shares it would be at ${FIXED_END}, the dashed line.`;
}

export const tiles = {
    title: 'A counter hands out the tiles, and the threshold rises',
    inputs: { taken: { title: `tiles of ${SIZE} keys`, min: 0, max: TILES, start: TILES } },
    plays: 'taken',
    show: ({ taken }) => ({ picture: picture(taken), words: words(taken) }),
};
