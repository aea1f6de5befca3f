// A recorded trace as the player wants it: steps of warps, small enough to be sent. Runs in Node.js and in a
// browser.
import { lockstep } from './lockstep.mjs';
import { WARP, readTrace } from './read_trace.mjs';
import { typeOf, valueOf } from './values.mjs';

const MAX_STEPS = 20000;
/** What an access does, in the words of a fault: this one, and the one before it. */
const DOES = { load: 'reads it', store: 'writes it', atomic: 'updates it' };
const DID = { load: 'read it', store: 'wrote it', atomic: 'updated it' };

/** A list of numbers as [first, difference, count] if that describes all of them. */
function packed(numbers) {
    const stride = numbers.length > 1 ? numbers[1] - numbers[0] : 0;
    const even = numbers.every((each, i) => each === numbers[0] + i * stride);
    return even && numbers.length > 2 ? { of: [numbers[0], stride, numbers.length] } : numbers;
}

function wide(hex, digits) {
    return hex.padStart(digits, '0');
}

class Compiler {
    constructor(text, sourceOf) {
        this.trace = readTrace(text);
        this.sourceOf = sourceOf;
        this.index = new Map(this.trace.arrays.map((array, i) => [array.name, i]));
        this.types = this.findTypes();
        this.lines = [];
        this.lineNumbers = new Map();
    }

    findTypes() {
        const values = new Map();
        const exchanged = new Set();
        for (const { events } of this.trace.launches) {
            for (const event of events) {
                if (event.bits) {
                    const key = event.array.replace(/ of block \d+$/, '');
                    if (!values.has(key)) values.set(key, new Set());
                    for (const bits of event.bits) values.get(key).add(bits);
                }
                if (event.what === 'shuffle') for (const value of event.values) exchanged.add(value);
            }
        }
        const digits = [...exchanged].some((each) => each.length > 8) ? 16 : 8;
        this.exchangeDigits = digits;
        const types = new Map([...values].map(([key, bits]) => [key, typeOf(bits)]));
        // An array whose values could be either has the type of the others.
        const known = [...types.values()].filter(Boolean);
        const usual = known.length > 0 && known.every((type) => type === 'float') ? 'float' : 'int';
        this.exchangeType = typeOf([...exchanged].map((each) => wide(each, digits))) || usual;
        return new Map([...types].map(([key, type]) => [key, type || usual]));
    }

    typeOf(array) {
        return this.types.get(array.replace(/ of block \d+$/, ''));
    }

    line({ file, line }) {
        const key = `${file}:${line}`;
        if (!this.lineNumbers.has(key)) {
            this.lineNumbers.set(key, this.lines.length);
            this.lines.push([file, line]);
        }
        return this.lineNumbers.get(key);
    }

    /** The contents of each array before anything was stored, as the first load shows them. */
    initial() {
        const values = this.trace.arrays.map((array) => new Array(array.shown).fill(null));
        const known = this.trace.arrays.map((array) => new Uint8Array(array.shown));
        for (const { events } of this.trace.launches) {
            for (const event of events) {
                if (!event.bits) continue;
                const array = this.index.get(event.array);
                event.bits.forEach((bits, i) => {
                    const at = event.first + i;
                    if (known[array][at]) return;
                    known[array][at] = 1;
                    if (event.kind === 'load') values[array][at] = valueOf(bits, this.typeOf(event.array));
                });
            }
        }
        return values;
    }

    /** The role of a global array for the kernels. */
    role({ name, space }) {
        if (space !== 'global') return '';
        const kinds = this.trace.launches.flatMap(({ events }) =>
            events.filter((event) => event.array === name),
        );
        const stored = kinds.some(({ kind }) => kind !== 'load');
        if (kinds[0].kind === 'load') return stored ? 'data' : 'input';
        return kinds.some(({ kind }) => kind === 'load') ? 'between' : 'output';
    }

    /** One step: a group for each warp that takes part. */
    step(events) {
        const { kind, what } = events[0];
        const step = { kind: what ?? kind, line: this.line(events[0]), groups: [] };
        if (kind === 'barrier') step.groups = events.map(({ block }) => ({ b: block }));
        else if (kind === 'syncwarp' || kind === 'exchange') {
            step.groups = events.map((event) => this.meeting(event));
        } else {
            const byWarp = new Map();
            for (const event of events) {
                const warp = Math.floor(event.thread / WARP);
                const key = `${event.block} ${warp}`;
                if (!byWarp.has(key)) byWarp.set(key, { block: event.block, warp, events: [] });
                byWarp.get(key).events.push(event);
            }
            step.wide = events[0].bits.length;
            step.groups = [...byWarp.values()].map((group) => this.access(group));
        }
        return step;
    }

    meeting(event) {
        const group = { b: event.block, w: event.warp, lanes: packed(event.lanes) };
        if (event.what === 'shuffle') {
            group.from = packed(event.sources);
            group.v = event.values.map((each) => valueOf(wide(each, this.exchangeDigits), this.exchangeType));
        }
        return group;
    }

    access({ block, warp, events }) {
        const lanes = [...events].sort((a, b) => a.thread - b.thread);
        const group = {
            b: block,
            w: warp,
            a: this.index.get(lanes[0].array),
            lanes: packed(lanes.map(({ thread }) => thread % WARP)),
            at: packed(lanes.map(({ first }) => first)),
        };
        if (lanes[0].kind !== 'load') {
            const type = this.typeOf(lanes[0].array);
            group.v = lanes.flatMap(({ bits }) => bits.map((each) => valueOf(each, type)));
        }
        return group;
    }

    compile() {
        const steps = [];
        const launches = [];
        const faults = [];
        let isCut = this.trace.isCut;
        for (const launch of this.trace.launches) {
            isCut ||= steps.length === MAX_STEPS;
            if (steps.length === MAX_STEPS) break;
            const number = new Map(launch.events.map((event, i) => [event.step, i]));
            const at = new Map();
            launches.push({
                kernel: launch.kernel,
                grid: launch.grid,
                block: launch.block,
                blocks: launch.blocks,
                threads: launch.threads,
                first: steps.length,
            });
            for (const events of lockstep(launch)) {
                isCut ||= steps.length === MAX_STEPS;
                if (steps.length === MAX_STEPS) break;
                for (const each of events) at.set(each, steps.length);
                steps.push(this.step(events.map((each) => launch.events[each])));
            }
            for (const fault of launch.faults) {
                const event = launch.events[number.get(fault.of_step)];
                if (event && !at.has(number.get(fault.of_step))) continue; // after the cut
                faults.push({
                    step: at.get(number.get(fault.of_step)) ?? steps.length - 1,
                    fault: fault.fault,
                    text: fault.text,
                    line: this.line(fault),
                    a: event?.array ? this.index.get(event.array) : null,
                    at: event?.first ?? null,
                    ...(event && this.parties(fault, event, launch)),
                });
            }
        }
        const initial = this.initial();
        return {
            schema: 'tutorial-player-1',
            launches,
            arrays: this.trace.arrays.map((array, i) => ({
                ...array,
                type: this.typeOf(array.name),
                role: this.role(array),
                initial: initial[i],
            })),
            lines: this.lines,
            sources: this.sources(),
            steps,
            ...(isCut && { isCut }),
            faults,
        };
    }

    /** The thread, and the other party: {block, thread, does, other}. */
    parties(fault, event, { events }) {
        const { block, thread } = event;
        const found = { block, thread, does: DOES[event.kind] ?? 'is' };
        if (!fault.other_line) return found;
        const overlaps = (each) =>
            each.array === event.array &&
            each.first < event.first + event.bits.length &&
            event.first < each.first + each.bits.length;
        const other = events.findLast(
            (each) =>
                each.step < event.step &&
                each.line === fault.other_line &&
                each.file === fault.other_file &&
                (each.thread !== thread || each.block !== block) &&
                each.bits &&
                overlaps(each),
        );
        const line = this.line({ file: fault.other_file, line: fault.other_line });
        return {
            ...found,
            other: other
                ? { block: other.block, thread: other.thread, line, does: DID[other.kind] }
                : { line, does: 'uses it' },
        };
    }

    /** The functions that contain the steps, and the kernels. */
    sources() {
        const wanted = new Map();
        for (const [file, line] of this.lines) wanted.set(file, [...(wanted.get(file) ?? []), line]);
        const kernels = new Set(this.trace.launches.map(({ kernel }) => kernelName(kernel)));
        return [...wanted].flatMap(([name, lines]) => {
            const source = this.sourceOf(name);
            if (!source) return [];
            for (const kernel of kernels) lines.push(...linesBetween(source.text, kernel, lines));
            return [{ name, file: source.file, parts: functionsAround(source.text, lines) }];
        });
    }
}

/** Its name as the source has it: without arguments of a template, and without namespaces. */
export function kernelName(kernel) {
    return kernel
        .replace(/[<(].*/s, '')
        .split('::')
        .at(-1);
}

/** The line on which a function of this name is defined, or 0. */
function definedAt(source, name) {
    const at = new RegExp(`^(?![\\s/#}]).*\\b${name}\\s*\\((?!.*;\\s*$)`, 'm').exec(source);
    return at ? source.slice(0, at.index).split('\n').length : 0;
}

/** The lines on which the kernel is defined, and the functions through which it calls those of `wanted`. */
function linesBetween(source, kernel, wanted) {
    const top = definedAt(source, kernel);
    if (top === 0) return [];
    const leadsThere = (line, path) => {
        const [part] = functionsAround(source, [line]);
        const isWanted = wanted.some((each) => each >= part.first && each < part.first + part.lines.length);
        const called = new Set([
            ...part.lines
                .slice(1)
                .join('\n')
                .matchAll(/\b([a-z]\w*)\s*(?:<[^<>()]*>)?\(/g),
        ]);
        const below = [...called]
            .map(([, name]) => definedAt(source, name))
            .filter((each) => each > 0 && !path.includes(each) && path.length < 5)
            .flatMap((each) => leadsThere(each, [...path, each]));
        return isWanted || below.length > 0 ? [line, ...below] : [];
    };
    return [top, ...leadsThere(top, [top])];
}

/** [{first, lines}]: the complete top-level definitions that contain these lines, in the file's order. */
export function functionsAround(source, wanted) {
    const all = source.split('\n');
    const parts = [];
    for (const line of [...wanted].sort((a, b) => a - b)) {
        if (parts.some(({ first, lines }) => line >= first && line < first + lines.length)) continue;
        let first = line - 1;
        while (first > 0 && (all[first] === '' || /^[\s#}]/.test(all[first]))) first -= 1;
        while (first > 0 && /^[^\s/}#]/.test(all[first - 1]) && !/[;}]$/.test(all[first - 1])) first -= 1;
        let last = line - 1;
        while (last < all.length - 1 && !/^}/.test(all[last])) last += 1;
        parts.push({ first: first + 1, lines: all.slice(first, last + 1) });
    }
    return parts;
}

/** `text`: what --trace wrote. `sourceOf(name)`: a source file, {file, text}, or undefined. */
export function compileTrace(text, sourceOf) {
    return new Compiler(text, sourceOf).compile();
}
