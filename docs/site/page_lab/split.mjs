// Splits a large WebAssembly program: `main` has the functions that were called in a trial run, and calls the
// others through a table that `rest` fills. Without `rest` such a call traps.
import {
    KIND,
    OP,
    Reader,
    SECTION,
    Writer,
    callsIn,
    codeSection,
    exported,
    extended,
    firstInstruction,
    parse,
    skipOperands,
    withSections,
    written,
} from './wasm_binary.mjs';

const TYPE = { i64: 0x7e, function: 0x70 };
const BITS = 63; // of a number that is written signed

/** A program that records which of its functions are called: seenIn(exports) gives their numbers. */
export function noting(bytes) {
    const module = parse(bytes);
    const first = module.globals.length;
    const count = Math.ceil(module.code.length / BITS);
    const globals = [];
    const exports = [];
    for (let i = 0; i < count; ++i) {
        globals.push(new Uint8Array([TYPE.i64, 1, OP.i64Const, 0, OP.end]));
        exports.push(exported(`seen${i}`, KIND.global, first + i));
    }
    const bodies = module.code.map((body, i) => {
        const begin = firstInstruction(bytes, body);
        return written((out) => {
            const place = first + Math.floor(i / BITS);
            out.append(bytes.subarray(body.begin, begin));
            out.byte(OP.globalGet);
            out.unsigned(place);
            out.byte(OP.i64Const);
            out.signed64(1n << BigInt(i % BITS));
            out.byte(OP.i64Or);
            out.byte(OP.globalSet);
            out.unsigned(place);
            out.append(bytes.subarray(begin, body.end));
        });
    });
    return withSections(bytes, module, {
        [SECTION.globals]: extended(bytes, module, SECTION.globals, globals),
        [SECTION.exports]: extended(bytes, module, SECTION.exports, exports),
        [SECTION.code]: codeSection(bodies),
    });
}

/** Adds the numbers of the functions that were called to the set `seen`: 0 is the first that is not an
 *  import. */
export function addSeen(exports, seen) {
    for (let i = 0; `seen${i}` in exports; ++i) {
        const bits = exports[`seen${i}`].value;
        for (let bit = 0; bit < BITS; ++bit) if (bits & (1n << BigInt(bit))) seen.add(i * BITS + bit);
    }
}

/** These functions and those that they call, over this many levels, if they have at most `small` bytes; and
 *  all that have at most `least`. */
export function withCalled(bytes, seen, levels, small, least) {
    const { code, imports } = parse(bytes);
    const all = new Set(seen);
    let last = seen;
    for (let level = 0; level < levels; ++level) {
        const next = new Set();
        for (const i of last) {
            for (const call of callsIn(bytes, code[i])) {
                const called = call.called - imports.length;
                if (called < 0 || all.has(called) || code[called].end - code[called].begin > small) continue;
                next.add(called);
                all.add(called);
            }
        }
        last = next;
    }
    code.forEach(({ begin, end }, i) => {
        if (end - begin <= least) all.add(i);
    });
    return all;
}

/** @param seen numbers of the functions that stay in main, as addSeen() gives them */
export function split(bytes, seen) {
    const module = parse(bytes);
    const imports = module.imports.length;
    const cold = module.code.map((_, i) => i).filter((i) => !seen.has(i));
    const slotOf = new Map(cold.map((i, slot) => [imports + i, slot]));
    const { bodies, called } = coldBodies(bytes, module, cold, slotOf);
    return {
        main: mainOf(bytes, module, slotOf, called),
        rest: restOf(bytes, module, cold, bodies, slotOf.size + called.length),
    };
}

/** Bodies of functions in `rest`: what they call is in the table. called: the functions of main among it. */
function coldBodies(bytes, module, cold, slotOf) {
    const slots = new Map(slotOf);
    const bodies = cold.map((i) => {
        const body = module.code[i];
        const out = new Writer((body.end - body.begin) * 1.2);
        let copied = body.begin;
        for (const { called, at, end } of callsIn(bytes, body)) {
            if (!slots.has(called)) slots.set(called, slots.size);
            out.append(bytes.subarray(copied, at));
            copied = end;
            writeCall(out, module, called, slots.get(called));
        }
        out.append(bytes.subarray(copied, body.end));
        return out.written();
    });
    return { bodies, called: [...slots.keys()].slice(slotOf.size) };
}

function writeCall(out, module, index, slot) {
    out.byte(OP.i32Const);
    out.signed(slot);
    out.byte(OP.callIndirect);
    out.unsigned(module.functionTypes[index]);
    out.unsigned(1);
}

const tableType = (size) =>
    written((out) => {
        out.byte(TYPE.function);
        out.byte(0);
        out.unsigned(size);
    });

/** Functions of the second table from a slot on. */
const segment = (slot, functions) =>
    written((out) => {
        out.unsigned(2);
        out.unsigned(1);
        out.byte(OP.i32Const);
        out.signed(slot);
        out.byte(OP.end);
        out.byte(0);
        out.unsigned(functions.length);
        for (const index of functions) out.unsigned(index);
    });

function mainOf(bytes, module, slotOf, called) {
    const exports = [
        exported('table', KIND.table, 0),
        exported('functions', KIND.table, 1),
        ...module.globals.map((_, i) => exported(`global${i}`, KIND.global, i)),
    ];
    const bodies = module.code.map(({ begin, end }, i) => {
        const index = module.imports.length + i;
        if (!slotOf.has(index)) return bytes.subarray(begin, end);
        const parameters = Number(module.types[module.functionTypes[index]].split(',')[1]);
        return written((out) => {
            out.byte(0);
            for (let k = 0; k < parameters; ++k) out.append([OP.localGet, k]);
            writeCall(out, module, index, slotOf.get(index));
            out.byte(OP.end);
        });
    });
    return withSections(
        bytes,
        module,
        {
            [SECTION.tables]: extended(bytes, module, SECTION.tables, [
                tableType(slotOf.size + called.length),
            ]),
            [SECTION.exports]: extended(bytes, module, SECTION.exports, exports),
            [SECTION.elements]: extended(bytes, module, SECTION.elements, [segment(slotOf.size, called)]),
            [SECTION.code]: codeSection(bodies),
        },
        () => true,
    );
}

function restOf(bytes, module, cold, bodies, slots) {
    const of = (id) => {
        const section = module.sections.find((each) => each.id === id);
        return new Reader(bytes, section.body);
    };
    const imported = (name, kind, write) =>
        written((out) => {
            out.name('main');
            out.name(name);
            out.byte(kind);
            write(out);
        });
    // Tables and memories are assumed to be as large as they are there.
    const tables = of(SECTION.tables);
    tables.unsigned();
    tables.byte();
    const hasMaximum = tables.byte() & 1;
    const size = tables.unsigned();
    const maximum = hasMaximum ? tables.unsigned() : 0;
    const globals = of(SECTION.globals);
    const globalTypes = module.globals.map((_, i) => {
        if (i === 0) globals.unsigned();
        const type = [globals.byte(), globals.byte()];
        skipOperands(globals, globals.byte());
        globals.byte();
        return type;
    });
    const imports = [
        imported('memory', KIND.memory, (out) => out.append([0, 0])),
        imported('table', KIND.table, (out) => {
            out.append([TYPE.function, hasMaximum]);
            out.unsigned(size);
            if (hasMaximum) out.unsigned(maximum);
        }),
        imported('functions', KIND.table, (out) => out.append(tableType(slots))),
        ...globalTypes.map((type, i) => imported(`global${i}`, KIND.global, (out) => out.append(type))),
    ];
    const list = (entries) =>
        written((out) => {
            out.unsigned(entries.length);
            for (const entry of entries) out.append(entry);
        });
    const types = module.sections.find(({ id }) => id === SECTION.types);
    const numbers = cold.map((i) =>
        written((out) => out.unsigned(module.functionTypes[module.imports.length + i])),
    );
    const sections = [
        [SECTION.types, bytes.subarray(types.body, types.end)],
        [SECTION.imports, list(imports)],
        [SECTION.functions, list(numbers)],
        [
            SECTION.elements,
            list([
                segment(
                    0,
                    cold.map((_, k) => k),
                ),
            ]),
        ],
        [SECTION.code, codeSection(bodies)],
    ];
    const out = new Writer(bytes.length);
    out.append(bytes.subarray(0, 8));
    for (const [id, content] of sections) out.section(id, content);
    return out.written().slice();
}
