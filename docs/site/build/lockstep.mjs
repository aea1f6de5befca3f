// From the order in which the emulator ran the threads, one after the other, to steps of warps: lanes that
// are at the same access make it together, and all warps that are there do so in the same step. An access
// never comes before one that it depends on, so that reads get the values in the trace.
import { WARP } from './read_trace.mjs';

const MEETINGS = new Set(['barrier', 'syncwarp', 'exchange']);

/** What each access has to wait for: the last store to its items and, for a store, the loads since. */
function dependences(events) {
    const cells = new Map();
    return events.map((event, number) => {
        if (MEETINGS.has(event.kind)) return [];
        const before = new Set();
        for (let i = 0; i < event.bits.length; ++i) {
            const key = `${event.array} ${event.first + i}`;
            const cell = cells.get(key) ?? { store: -1, loads: [] };
            cells.set(key, cell);
            if (cell.store >= 0) before.add(cell.store);
            if (event.kind === 'load') cell.loads.push(number);
            else {
                for (const load of cell.loads) before.add(load);
                cell.store = number;
                cell.loads = [];
            }
        }
        return [...before].filter(
            (each) => events[each].thread !== event.thread || events[each].block !== event.block,
        );
    });
}

/** Each thread's events, with the names by which lanes find each other. */
function sequences(launch) {
    const threads = new Map();
    const thread = (block, number) => {
        const key = block * launch.threads + number;
        if (!threads.has(key))
            threads.set(key, { block, number, at: 0, events: [], names: [], part: 0, seen: new Map() });
        return threads.get(key);
    };
    const add = (of, event, name) => {
        const count = of.seen.get(name) ?? 0;
        of.seen.set(name, count + 1);
        of.events.push(event);
        of.names.push(`${of.part} ${name} ${count}`);
    };
    launch.events.forEach((event, number) => {
        if (!MEETINGS.has(event.kind)) {
            const { kind, file, line, bytes } = event;
            const title = event.array.replace(/ of block \d+$/, '');
            return add(
                thread(event.block, event.thread),
                number,
                `${kind} ${file}:${line} ${title} ${bytes}`,
            );
        }
        const first = event.kind === 'barrier' ? 0 : event.warp * WARP;
        const lanes =
            event.kind === 'barrier'
                ? Array.from({ length: launch.threads }, (_, lane) => lane)
                : event.lanes;
        for (const lane of lanes) {
            const of = thread(event.block, first + lane);
            add(of, number, `${event.kind} ${event.kind === 'syncwarp' ? '' : event.line}`);
            of.part += 1;
            of.seen = new Map();
        }
    });
    return [...threads.values()];
}

function warpsOf(threads) {
    const warps = new Map();
    for (const thread of threads) {
        const key = `${thread.block} ${Math.floor(thread.number / WARP)}`;
        if (!warps.has(key)) warps.set(key, { threads: [], waiting: new Map() });
        const warp = warps.get(key);
        warp.threads.push(thread);
        for (const name of thread.names) warp.waiting.set(name, (warp.waiting.get(name) ?? 0) + 1);
    }
    return [...warps.values()];
}

/** The lanes of each warp, by what comes next. */
function groupsOf(warps) {
    const groups = [];
    for (const warp of warps) {
        if (warp.groups) {
            groups.push(...warp.groups);
            continue;
        }
        const byName = new Map();
        for (const thread of warp.threads) {
            if (thread.at >= thread.events.length) continue;
            const name = thread.names[thread.at];
            if (!byName.has(name)) byName.set(name, { warp, name, threads: [], earliest: Infinity });
            const group = byName.get(name);
            group.threads.push(thread);
            group.earliest = Math.min(group.earliest, thread.events[thread.at]);
        }
        warp.groups = [...byName.values()]; // until one of its lanes continues
        groups.push(...warp.groups);
    }
    return groups;
}

/** The steps of a launch: arrays of event numbers, in the order of lanes. */
export function lockstep(launch) {
    const before = dependences(launch.events);
    const done = new Uint8Array(launch.events.length);
    const warps = warpsOf(sequences(launch));
    const steps = [];
    const isReady = (thread, with_) =>
        before[thread.events[thread.at]].every((each) => done[each] || (with_ && with_.has(each)));
    for (;;) {
        const groups = groupsOf(warps);
        if (groups.length === 0) return steps;
        const candidates = [];
        for (const group of groups) {
            const numbers = new Set(group.threads.map((thread) => thread.events[thread.at]));
            const kind = launch.events[group.earliest].kind;
            group.numbers = numbers;
            group.complete = group.threads.length === group.warp.waiting.get(group.name);
            if (kind === 'barrier') group.ready = group.complete && allAtBarrier(groups, group, launch);
            else if (kind === 'exchange' || kind === 'syncwarp') group.ready = hasAllLanes(group, launch);
            else group.ready = group.threads.every((thread) => isReady(thread, numbers));
            if (group.ready) candidates.push(group);
        }
        const complete = candidates.filter((group) => group.complete);
        const from = complete.length > 0 ? complete : candidates;
        const chosen = from.reduce((a, b) => (b.earliest < a.earliest ? b : a), from[0]);
        const step = [];
        if (chosen) {
            const together = from.filter((group) => group.name === chosen.name);
            for (const group of together) take(group, group.threads, step);
        } else {
            // Lanes that wait for each other: the one that arrived first goes first.
            const first = groups.reduce((a, b) => (b.earliest < a.earliest ? b : a));
            take(
                first,
                first.threads.filter((thread) => isReady(thread)),
                step,
            );
        }
        for (const number of step) done[number] = 1;
        steps.push([...new Set(step)]);
    }
}

function take(group, threads, step) {
    for (const thread of threads) {
        step.push(thread.events[thread.at]);
        thread.at += 1;
    }
    group.warp.groups = null;
    group.warp.waiting.set(group.name, group.warp.waiting.get(group.name) - threads.length);
}

function allAtBarrier(groups, group, launch) {
    const block = launch.events[group.earliest].block;
    return groups.every(
        (other) =>
            launch.events[other.earliest].block !== block || launch.events[other.earliest].kind === 'barrier',
    );
}

function hasAllLanes(group, launch) {
    return [...group.numbers].every((number) => {
        const { lanes } = launch.events[number];
        return group.threads.filter((thread) => thread.events[thread.at] === number).length === lanes.length;
    });
}
