// Numbers the calls in a linked program. WebAssembly has no return addresses, by which the lab knows
// elsewhere who has called it (common/emulator/wasm/numbered_calls.hpp). So each function that calls the
// lab's hooks gets
// - before each call of a hook a store of the call's number, times four, to page_hook;
// - before each call of another function one to page_call;
// - at its beginning a call of lab_func_entry, where it returns one of __tsan_func_exit;
// - in place of a call of __sanitizer_cov_trace_pc one of lab_block, which also looks at the clock.
import {
    codeSection,
    firstInstruction,
    OP,
    parse,
    Reader,
    SECTION,
    skipOperands,
    withSections,
    Writer,
} from './wasm_binary.mjs';

const HOOK =
    /^(__tsan_|__sanitizer_cov_|__ubsan_handle_|lab_(copy_(struct|bytes)|set_struct|memcpy|memmove|memset|free|func_entry|block)$)/;
const STORE_HOOK = /^__tsan_(unaligned_)?write/;
const BEGINS = [OP.block, OP.loop, OP.if, OP.try];
const ENDS = [OP.end, OP.delegate];
const FLOAT_STORES = [0x38, 0x39];

/**
 * @returns {binary, module, sites: [{offset in the code section, function, isFloat}], indirect: names of
 *     the functions with indirect calls}
 */
export function numberCalls(bytes) {
    const module = parse(bytes);
    const indexOf = new Map(module.names.map((name, index) => [name, index]));
    const place = (name) => {
        const known = module.exports.get(name);
        if (!known) throw new Error(`the program does not export ${name}`);
        return module.globals[known.index];
    };
    const numbering = {
        module,
        bytes,
        isHook: module.names.map((name) => HOOK.test(name)),
        hookPlace: place('page_hook'),
        callPlace: place('page_call'),
        entry: indexOf.get('lab_func_entry'),
        exit: indexOf.get('__tsan_func_exit'),
        block: indexOf.get('lab_block'),
        tracePc: indexOf.get('__sanitizer_cov_trace_pc'),
        sites: [],
        indirect: new Set(),
    };
    const bodies = module.code.map(
        (body, i) =>
            changedFunction(numbering, body, module.imports.length + i) ??
            bytes.subarray(body.begin, body.end),
    );
    // Its debug information no longer fits.
    const isDebug = (name) => name.startsWith('.debug');
    return {
        binary: withSections(bytes, module, { [SECTION.code]: codeSection(bodies) }, isDebug),
        module,
        sites: numbering.sites,
        indirect: [...numbering.indirect].map((index) => module.names[index]),
    };
}

/** Whether a function calls hooks and is not a hook itself. */
function isWatched({ bytes, module, isHook, exit }, begin, end, index) {
    if (isHook[index]) return false;
    const reader = new Reader(bytes, begin);
    while (reader.at < end) {
        const opcode = reader.byte();
        if (opcode === OP.call) {
            const called = reader.unsigned();
            if (isHook[called] && called !== exit) return true;
        } else {
            skipOperands(reader, opcode);
        }
    }
    return false;
}

/** Null if nothing is to be changed. */
function changedFunction(numbering, body, index) {
    const { bytes, module, isHook, sites } = numbering;
    const begin = firstInstruction(bytes, body);
    if (!isWatched(numbering, begin, body.end, index)) return null;
    const out = new Writer((body.end - body.begin) * 2);
    out.append(bytes.subarray(body.begin, begin));
    const number = (offset) => {
        sites.push({ offset: offset - module.codeBegin, index, isFloat: false });
        return 4 * sites.length;
    };
    const store = (place, value) => {
        out.byte(OP.i32Const);
        out.signed(place);
        out.byte(OP.i32Const);
        out.signed(value);
        out.append([OP.i32Store, 2, 0]);
    };
    const call = (target) => {
        out.byte(OP.call);
        out.unsigned(target);
    };
    store(numbering.hookPlace, number(begin));
    call(numbering.entry);

    const reader = new Reader(bytes, begin);
    let copied = begin;
    const copyUntil = (at) => {
        out.append(bytes.subarray(copied, at));
        copied = at;
    };
    let depth = 0; // of blocks that are open within the function's own
    let stored = null; // the site of a hook whose store has yet to come
    while (reader.at < body.end) {
        const at = reader.at;
        const opcode = reader.byte();
        if (opcode === OP.call) {
            const called = reader.unsigned();
            if (isHook[called]) {
                copyUntil(at);
                store(numbering.hookPlace, number(at));
                stored = STORE_HOOK.test(module.names[called]) ? sites.at(-1) : null;
                if (called === numbering.tracePc) {
                    call(numbering.block);
                    copied = reader.at;
                }
            } else if (called >= module.imports.length) {
                copyUntil(at);
                store(numbering.callPlace, number(at));
            }
        } else if (opcode === OP.callIndirect) {
            skipOperands(reader, opcode);
            copyUntil(at);
            store(numbering.callPlace, number(at));
            numbering.indirect.add(index);
        } else if (opcode === OP.return || (opcode === OP.end && reader.at === body.end)) {
            copyUntil(at);
            call(numbering.exit);
        } else if (opcode === OP.br) {
            // To the function's own block: a return.
            if (reader.unsigned() === depth) {
                copyUntil(at);
                call(numbering.exit);
                out.byte(OP.return);
                copied = reader.at;
            }
        } else {
            if (BEGINS.includes(opcode)) ++depth;
            if (ENDS.includes(opcode)) --depth;
            if (stored && opcode >= OP.i32Store && opcode < OP.memorySize) {
                stored.isFloat = FLOAT_STORES.includes(opcode);
                stored = null;
            }
            skipOperands(reader, opcode);
        }
    }
    copyUntil(body.end);
    return out.written();
}
