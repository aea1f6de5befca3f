// A recorded run that can be moved to any step.
import { sectors, turns, unpacked, wavefronts } from './costs.mjs';
import { WAITS } from './measures.mjs';

const CHECKPOINT = 64;
const STORES = new Set(['store', 'atomic']);
/** Rows of memory, and warps, that are alike from here on are shown as one. */
const FOLDED = 4;

/** What a step does to the cells of memory: which lane touches which, and what it costs. */
function detailOf(trace, step) {
    const groups = step.groups.map((group) => {
        if (group.a === undefined) {
            return {
                ...group,
                lanes: group.lanes ? unpacked(group.lanes) : [],
                from: group.from && unpacked(group.from),
            };
        }
        const array = trace.arrays[group.a];
        const lanes = unpacked(group.lanes);
        const at = unpacked(group.at);
        const bytes = array.bytes * step.wide;
        const addresses = at.map((item) => item * array.bytes);
        const detail = { ...group, lanes, at, bytes, array };
        if (array.space === 'global') {
            detail.sectors = sectors(addresses, bytes);
            detail.least = Math.ceil((new Set(addresses).size * bytes) / 32);
        } else {
            const cost = wavefronts(lanes, addresses, bytes, step.kind);
            Object.assign(detail, { wavefronts: cost.actual, least: cost.least, pass: cost.pass });
        }
        if (step.kind === 'atomic') detail.turns = turns(addresses);
        return detail;
    });
    return { kind: step.kind, line: step.line, wide: step.wide ?? 1, groups };
}

export class Playback {
    constructor(trace) {
        this.trace = trace;
        this.length = trace.steps.length;
        this.details = new Map();
        this.values = trace.arrays.map((array) => [...array.initial]);
        this.position = 0;
        this.checkpoints = new Map([[0, this.copy()]]);
        this.use = this.laneUse();
        this.stepsOf = this.stepsOfWarps();
    }

    copy() {
        return this.values.map((each) => [...each]);
    }

    detail(number) {
        if (!this.details.has(number))
            this.details.set(number, detailOf(this.trace, this.trace.steps[number]));
        return this.details.get(number);
    }

    /** Moves to the position after `position` steps. */
    seek(position) {
        const to = Math.max(0, Math.min(this.length, position));
        if (to < this.position) {
            const from = Math.floor(to / CHECKPOINT) * CHECKPOINT;
            this.values = this.checkpoints.get(from).map((each) => [...each]);
            this.position = from;
        }
        while (this.position < to) this.apply();
    }

    apply() {
        const { kind, wide, groups } = this.detail(this.position);
        if (STORES.has(kind)) {
            for (const group of groups) {
                group.at.forEach((item, i) => {
                    for (let k = 0; k < wide; ++k) this.values[group.a][item + k] = group.v[i * wide + k];
                });
            }
        }
        this.position += 1;
        if (this.position % CHECKPOINT === 0 && !this.checkpoints.has(this.position)) {
            this.checkpoints.set(this.position, this.copy());
        }
    }

    /** The step that was done last; null at the start. */
    get current() {
        return this.position === 0 ? null : this.detail(this.position - 1);
    }

    get launch() {
        const at = Math.max(0, this.position - 1);
        return this.trace.launches.filter((each) => each.first <= at).at(-1);
    }

    get launchNumber() {
        return this.trace.launches.indexOf(this.launch);
    }

    get faults() {
        return this.trace.faults.filter((each) => each.step === this.position - 1);
    }

    /** After each step: lanes that took part, and all lanes of their warps. */
    laneUse() {
        const use = [[0, 0]];
        for (const step of this.trace.steps) {
            let [busy, all] = use.at(-1);
            if (!WAITS.has(step.kind)) {
                for (const { lanes } of step.groups) {
                    busy += Array.isArray(lanes) ? lanes.length : lanes.of[2];
                    all += 32;
                }
            }
            use.push([busy, all]);
        }
        return use;
    }

    /** The numbers of the steps of each warp, and of the barriers of each block: "block warp" and "block". */
    stepsOfWarps() {
        const found = new Map();
        this.trace.steps.forEach(({ groups }, at) => {
            for (const { b, w } of groups) {
                const key = w === undefined ? `${b}` : `${b} ${w}`;
                if (!found.has(key)) found.set(key, []);
                found.get(key).push(at);
            }
        });
        return found;
    }

    /** Has a warp nothing to do before the next barrier of its block, while others have? */
    waits(block, warp) {
        const end = this.trace.launches[this.launchNumber + 1]?.first ?? this.length;
        const next = (key) => {
            const at = this.stepsOf.get(key)?.find((each) => each >= this.position);
            return at === undefined || at >= end ? Infinity : at;
        };
        const barrier = next(`${block}`);
        return barrier < Infinity && barrier < next(`${block} ${warp}`);
    }

    /** The next step from `from`, forward or back, that `wanted` accepts: the position after it, or null. */
    find(from, wanted) {
        for (let at = from; at < this.length; ++at) if (wanted(this.detail(at))) return at + 1;
        return null;
    }

    /** Warps of a block that do the same in every step of a launch: [[first, last], ...]. */
    warpsAlike(launchNumber, block) {
        const { first, threads } = this.trace.launches[launchNumber];
        const end = this.trace.launches[launchNumber + 1]?.first ?? this.length;
        const does = Array.from({ length: Math.ceil(threads / 32) }, () => '');
        for (let at = first; at < end; ++at) {
            for (const { b, w, lanes } of this.trace.steps[at].groups) {
                if (b === block && w !== undefined) does[w] += `${at} ${JSON.stringify(lanes)} `;
            }
        }
        return runsOf(does);
    }

    /** Rows of an array that hold the same single value, or none, throughout: [[first, last], ...]. */
    rowsAlike(number, columns) {
        const { shown, initial } = this.trace.arrays[number];
        const values = Array.from({ length: Math.ceil(shown / columns) }, () => new Set());
        initial.slice(0, shown).forEach((value, item) => values[Math.floor(item / columns)].add(value));
        this.trace.steps.forEach(({ kind, groups }, at) => {
            if (!STORES.has(kind) || !groups.some(({ a }) => a === number)) return;
            const { wide, groups: detailed } = this.detail(at);
            for (const group of detailed) {
                if (group.a !== number) continue;
                group.at.forEach((item, i) => {
                    for (let k = 0; k < wide; ++k)
                        values[Math.floor((item + k) / columns)].add(group.v[i * wide + k]);
                });
            }
        });
        const known = values.map((set, row) => {
            set.delete(null);
            return set.size > 1 ? `row ${row}` : String([...set][0]);
        });
        return runsOf(known);
    }

    /** In which steps an array is used: sorted. */
    stepsOfArray(number) {
        const found = [];
        this.trace.steps.forEach(({ groups }, at) => {
            if (groups.some(({ a }) => a === number)) found.push(at);
        });
        return found;
    }
}

/** Neighbours that are equal: [[first, last], ...] if there are many, one by one if there are only a few. */
function runsOf(names) {
    const runs = [];
    for (let first = 0; first < names.length;) {
        let last = first;
        while (last + 1 < names.length && names[last + 1] === names[first]) ++last;
        if (last - first + 1 >= FOLDED) runs.push([first, last]);
        else for (let each = first; each <= last; ++each) runs.push([each, each]);
        first = last + 1;
    }
    return runs;
}
