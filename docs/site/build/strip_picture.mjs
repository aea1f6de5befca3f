// Draws one step of a recording for a strip: the lanes of a warp, what they use, all warps of the
// block; and describes it.
import { Labels } from '../.vitepress/theme/player/labels.mjs';
import { counted, en, say, t } from '../.vitepress/theme/language.mjs';
import { shownGroup } from './strips.mjs';

/** Text for HTML in a VitePress page. */
export function escaped(text) {
    return text
        .replaceAll('&', '&amp;')
        .replaceAll('<', '&lt;')
        .replaceAll('>', '&gt;')
        .replaceAll('{{', '&#123;&#123;');
}

const LANE = 10;
const LANES = 32;
/** Where the picture of all warps of the block begins. */
const WARPS = LANE * LANES + 12;
const WIDTH = WARPS + 2 * LANES;
/** The length of the lines from lanes to memory. */
const FALL = 18;
/** The most rows of memory that are drawn. */
const ROWS = 8;

/** Runs of consecutive numbers in a sorted list: [[first, count], ...]. */
function runs(numbers) {
    const found = [];
    for (const each of numbers) {
        const last = found.at(-1);
        if (last && last[0] + last[1] === each) last[1] += 1;
        else found.push([each, 1]);
    }
    return found;
}

/** Cells side by side, as lines that are as thick as the cells are high: dashes are the gaps. */
function cells(numbers, y, cell = LANE) {
    return runs([...new Set(numbers)].sort((a, b) => a - b))
        .map(([first, count]) => `M${first * cell} ${y}h${count * cell - 1}`)
        .join('');
}

function drawn(name, d) {
    return d ? `<path class="${name}" d="${d}"/>` : '';
}

const middle = (lane) => lane * LANE + LANE / 2 - 0.5;

/** The lanes of all warps of the block, small: how many work, how many are idle, which warps are elsewhere. */
function warps(step, block, threads) {
    const count = Math.ceil(threads / LANES);
    if (count < 2) return { html: '', high: 0 };
    const row = Math.min(4, Math.max(2, Math.floor(48 / count)));
    const idle = [];
    const busy = [];
    for (let w = 0; w < count; ++w) {
        const y = w * row + row / 2;
        const group = step.groups.find((each) => each.b === block && each.w === w);
        const line = (from, lanes) => `M${WARPS + 2 * from} ${y}h${2 * lanes}`;
        idle.push(`M${WARPS} ${y}h${2 * LANES}`);
        if (group) for (const [from, lanes] of runs(group.lanes)) busy.push(line(from, lanes));
    }
    const high = count * row;
    return {
        html:
            `<g style="stroke-width:${row - 0.7}">` +
            drawn('sw-a', idle.join('')) +
            drawn('sw-b', busy.join('')) +
            '</g>',
        high,
    };
}

/** {html, words}: one step as a picture: lanes above, memory (or the lanes that get a value) below, lines between them. */
export function picture(playback, at) {
    playback.seek(at + 1);
    const step = playback.detail(at);
    const group = shownGroup(step);
    const { threads } = playback.launch;
    const present = Math.min(LANES, threads - group.w * LANES);
    const busy = new Set(group.lanes);
    const idle = Array.from({ length: present }, (_, lane) => lane).filter((lane) => !busy.has(lane));
    const memory = group.a === undefined ? exchange(group) : access(playback, step, group);
    const block = warps(step, group.b, threads);
    const high = Math.max(memory.high, block.high);
    const html =
        `<svg viewBox="0 0 ${WIDTH} ${high}" aria-hidden="true">` +
        drawn('sl-i', cells(idle, 4)) +
        drawn('sl-b', cells([...busy], 4)) +
        memory.html +
        block.html +
        '</svg>';
    return { html, words: caption(playback, at, step, group, memory) };
}

/** Lines from the middle of lanes to places below: one path. */
function lines(ends) {
    return ends.map(([lane, x, y]) => `M${middle(lane)} 8L${x} ${y}`).join('');
}

function exchange(group) {
    const top = 8 + FALL;
    const ends = group.lanes.flatMap((lane, i) =>
        group.from?.[i] === undefined ? [] : [[group.from[i], middle(lane), top]],
    );
    return {
        html: drawn('s-l', lines(ends)) + drawn('sl-b', cells(group.lanes, top + 4)),
        high: top + 9,
    };
}

function access(playback, step, group) {
    const { array } = group;
    const wide = step.wide ?? 1;
    const touched = [
        ...new Set(group.at.flatMap((item) => Array.from({ length: wide }, (_, k) => item + k))),
    ];
    const all = [...new Set(touched.map((item) => Math.floor(item / LANES)))].sort((a, b) => a - b);
    const shown = all.slice(0, ROWS);
    const labels = labelsOf(playback);
    const hasHeights = shown.length <= 2 && labels.isRanked;
    const row = hasHeights ? 16 : shown.length > 4 ? 5 : 9;
    let y = 8 + FALL - row;
    const top = new Map();
    shown.forEach((number, i) => {
        y += row + (i > 0 && number > shown[i - 1] + 1 ? 3 : 0);
        top.set(number, y);
    });
    const place = (item) => [item % LANES, top.get(Math.floor(item / LANES))];
    const later = new Set();
    if (group.wavefronts > group.least) {
        for (const [word, pass] of group.pass) if (pass > 0) later.add(Math.floor((word * 4) / array.bytes));
    }
    const by = { field: [], sector: [], used: [], late: [] };
    const bars = { field: [], used: [], late: [] };
    for (const number of shown) {
        const y = top.get(number);
        const items = Array.from({ length: LANES }, (_, i) => number * LANES + i).filter(
            (i) => i < array.items,
        );
        const isUsed = new Set(touched);
        const kind = (item) => (later.has(item) ? 'late' : isUsed.has(item) ? 'used' : 'field');
        const sector = items.filter((item) => group.sectors?.has(Math.floor((item * array.bytes) / 32)));
        const draw = (name, list) =>
            by[name].push(
                cells(
                    list.map((item) => item % LANES),
                    y + (row - 1) / 2,
                ),
            );
        draw('field', items);
        draw('sector', hasHeights ? items.filter((item) => isUsed.has(item)) : sector);
        for (const item of hasHeights ? items : []) {
            const bar = barOf(playback.values[group.a][item], labels, row - 1);
            if (bar > 0) bars[kind(item)].push(`M${middle(item % LANES)} ${y + row - 1}v${-bar}`);
        }
        for (const name of hasHeights ? [] : ['used', 'late'])
            draw(
                name,
                items.filter((item) => kind(item) === name),
            );
    }
    const ends = group.at.flatMap((item, i) => {
        const [column, at] = place(item + (wide - 1) / 2 - (((wide - 1) / 2) % 1));
        if (at === undefined) return [];
        return [{ end: [group.lanes[i], middle(column) + (wide > 1 ? LANE / 2 : 0), at], item }];
    });
    const high = y + row;
    return {
        html:
            `<g style="stroke-width:${row - 1}">` +
            drawn('s-f', by.field.join('')) +
            drawn('s-s', by.sector.join('')) +
            drawn('s-t', by.used.join('')) +
            drawn('s-c', by.late.join('')) +
            '</g>' +
            drawn('s-hf', bars.field.join('')) +
            drawn('s-ht', bars.used.join('')) +
            drawn('s-hc', bars.late.join('')) +
            drawn('s-l', lines(ends.filter(({ item }) => !later.has(item)).map(({ end }) => end))) +
            drawn('s-lc', lines(ends.filter(({ item }) => later.has(item)).map(({ end }) => end))),
        high,
        hidden: all.length - shown.length,
    };
}

const known = new WeakMap();
/** The keys of a run, as ranks. */
function labelsOf({ trace }) {
    if (!known.has(trace)) {
        const labels = new Labels(trace);
        known.set(trace, { labels, isRanked: labels.ranks.size > 0, most: labels.ranks.size });
    }
    return known.get(trace);
}

/** The height of a key's bar, by its rank; 0 if there is none. */
function barOf(value, { labels, most }, high) {
    const rank = labels.place(value);
    return rank === null ? 0 : 1 + Math.round((high - 1) * ((rank + 1) / most));
}

/** What lanes do, and to which memory. */
const DOES = {
    load: (what) => t`load from ${what}`,
    store: (what) => t`store to ${what}`,
    atomic: (what) => t`update ${what}`,
};
const ROLES = {
    input: en`the input`,
    data: en`the data`,
    between: en`the partial results`,
    output: en`the output`,
};

/** Below a picture: the line of the source, and what the whole block does in this step. */
function caption(playback, at, step, group, memory) {
    const [file, line] = playback.trace.lines[step.line];
    const part = playback.trace.sources
        .find(({ name }) => name === file)
        ?.parts.find(({ first, lines: all }) => line >= first && line < first + all.length);
    const code = part?.lines[line - part.first].trim().replace(/\s*\/\/.*$/, '') ?? '';
    const mine = step.groups.filter(({ b }) => b === group.b);
    const lanes = mine.reduce((sum, each) => sum + each.lanes.length, 0);
    const busy = t`${lanes.toLocaleString('en')} of ${counted(32 * mine.length, 'lane')}`;
    const sum = (of) => mine.reduce((total, each) => total + of(each), 0);
    const costs = [];
    if (group.a === undefined)
        costs.push(step.kind === 'shuffle' ? t`read a register of another lane` : t`vote`);
    else {
        const { array } = group;
        const what = array.space === 'shared' ? array.title : say(ROLES[array.role] ?? en`memory`);
        costs.push(DOES[step.kind](what));
        const least = sum((each) => each.least);
        const isShared = array.space === 'shared';
        const cost = sum((each) => (isShared ? each.wavefronts : each.sectors.size));
        const word = isShared ? 'wavefront' : 'sector';
        costs.push(`${counted(cost, word)}${cost > least ? t` (${least} would do)` : ''}`);
        const turns = Math.max(...mine.map((each) => each.turns ?? 0));
        if (turns > 1) costs.push(t`${turns} take turns`);
    }
    if (memory.hidden > 0) costs.push(t`${counted(memory.hidden, 'more row')} of memory`);
    return `<span class="strip-step">${at + 1}</span><code>${escaped(code)}</code><span>${t`${busy}: ${costs.map(escaped).reduce((all, each) => t`${all}, ${each}`)}`}</span>`;
}
