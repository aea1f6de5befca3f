// A recorded run that can be moved to any of its steps.
import { sectors, turns, unpacked, wavefronts } from './costs.mjs';

const CHECKPOINT = 64;
const STORES = new Set(['store', 'atomic']);
/** Steps in which nobody works. */
const WAITS = new Set(['barrier', 'syncwarp']);

/** What a step does to the cells of memory: who touches which, and what it costs. */
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
        this.registers = new Map();
        this.position = 0;
        this.checkpoints = new Map([[0, this.copy()]]);
        this.use = this.laneUse();
    }

    copy() {
        return { values: this.values.map((each) => [...each]), registers: new Map(this.registers) };
    }

    detail(number) {
        if (!this.details.has(number))
            this.details.set(number, detailOf(this.trace, this.trace.steps[number]));
        return this.details.get(number);
    }

    /** Moves to where `position` steps are done. */
    seek(position) {
        const to = Math.max(0, Math.min(this.length, position));
        if (to < this.position) {
            const from = Math.floor(to / CHECKPOINT) * CHECKPOINT;
            const kept = this.checkpoints.get(from);
            this.values = kept.values.map((each) => [...each]);
            this.registers = new Map(kept.registers);
            this.position = from;
        }
        while (this.position < to) this.apply();
    }

    apply() {
        const { kind, wide, groups } = this.detail(this.position);
        for (const group of groups) {
            if (STORES.has(kind)) {
                group.at.forEach((item, i) => {
                    for (let k = 0; k < wide; ++k) this.values[group.a][item + k] = group.v[i * wide + k];
                });
            } else if (kind === 'shuffle') {
                const key = `${group.b} ${group.w}`;
                const row = [...(this.registers.get(key) ?? new Array(32).fill(null))];
                group.lanes.forEach((lane, i) => (row[lane] = group.v[i]));
                this.registers.set(key, row);
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

    /** After each step: lanes that took part, and lanes of the warps that did. */
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
}
