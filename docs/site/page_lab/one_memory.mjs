// LLVM's runs in one memory: each begins as if in a new one, and no memory is left for the browser to collect.
//
// A memory cannot shrink. So the program is given one memory, and counts itself how much of it a run uses: in
// place of memory.size and memory.grow it has a global and a function.
import {
    codeSection,
    exported,
    extended,
    firstInstruction,
    KIND,
    OP,
    parse,
    Reader,
    SECTION,
    skipOperands,
    withSections,
    Writer,
    written,
} from './wasm_binary.mjs';

export const PAGE = 65536;
/** The initial size of the memory. */
const PAGES = 1024;

const I32 = 0x7f;
const NOTHING = 0x40;
/** As parse() writes a type: a function, one parameter, one result. */
const GROW_TYPE = [0x60, 1, I32, 1, I32].join();

/** A program that imports its memory as page.memory, and exports the number of its pages as `pages`. */
export function withOneMemory(bytes) {
    const module = parse(bytes);
    const least = leastPages(bytes, module);
    if (least > PAGES) throw new Error(`the program needs ${least} pages at once`);
    const [pages, grow] = [module.globals.length, module.imports.length + module.code.length];
    const type = module.types.indexOf(GROW_TYPE);
    if (type < 0) throw new Error('the program has no function of one number to another');
    const bodies = module.code.map((body) => counted(bytes, body, pages, grow));
    const number = (value) => written((out) => out.unsigned(value));
    const global = written((out) => {
        out.append([I32, 1, OP.i32Const]);
        out.signed(least);
        out.byte(OP.end);
    });
    return withSections(
        bytes,
        module,
        {
            [SECTION.imports]: extended(bytes, module, SECTION.imports, [memoryImport()]),
            [SECTION.functions]: extended(bytes, module, SECTION.functions, [number(type)]),
            [SECTION.memories]: number(0),
            [SECTION.globals]: extended(bytes, module, SECTION.globals, [global]),
            [SECTION.exports]: extended(bytes, module, SECTION.exports, [
                exported('pages', KIND.global, pages),
            ]),
            [SECTION.code]: codeSection([...bodies, growBody(pages)]),
        },
        () => true,
    );
}

/** The memory for it. */
export const newMemory = () => new WebAssembly.Memory({ initial: PAGES });

function leastPages(bytes, module) {
    const { body } = module.sections.find(({ id }) => id === SECTION.memories);
    const reader = new Reader(bytes, body);
    if (reader.unsigned() !== 1) throw new Error('the program has not one memory');
    reader.byte();
    return reader.unsigned();
}

const memoryImport = () =>
    written((out) => {
        out.name('page');
        out.name('memory');
        out.append([KIND.memory, 0]);
        out.unsigned(PAGES);
    });

/** A function's body with the global and the function in place of the two instructions. */
function counted(bytes, body, pages, grow) {
    const reader = new Reader(bytes, firstInstruction(bytes, body));
    let out = null;
    let copied = body.begin;
    while (reader.at < body.end) {
        const at = reader.at;
        const opcode = reader.byte();
        skipOperands(reader, opcode);
        if (opcode !== OP.memorySize && opcode !== OP.memoryGrow) continue;
        out ??= new Writer(body.end - body.begin + 16);
        out.append(bytes.subarray(copied, at));
        out.byte(opcode === OP.memorySize ? OP.globalGet : OP.call);
        out.unsigned(opcode === OP.memorySize ? pages : grow);
        copied = reader.at;
    }
    if (!out) return bytes.subarray(body.begin, body.end);
    out.append(bytes.subarray(copied, body.end));
    return out.written();
}

/** i32 -> i32: like memory.grow, but the memory grows only by what it lacks. */
const growBody = (pages) =>
    written((out) => {
        const global = (op) => {
            out.byte(op);
            out.unsigned(pages);
        };
        const number = (value) => {
            out.byte(OP.i32Const);
            out.signed(value);
        };
        out.append([1, 2, I32]); // two local variables: the size it will have, and what is missing
        global(OP.globalGet);
        out.append([OP.localGet, 0, OP.i32Add, OP.localTee, 1]);
        out.append([OP.memorySize, 0, OP.i32Subtract, OP.localTee, 2]);
        number(0);
        out.append([OP.i32Greater, OP.if, NOTHING]);
        out.append([OP.localGet, 2, OP.memoryGrow, 0]);
        number(-1);
        out.append([OP.i32Equal, OP.if, NOTHING]);
        number(-1);
        out.append([OP.return, OP.end, OP.end]);
        global(OP.globalGet);
        out.append([OP.localGet, 1]);
        global(OP.globalSet);
        out.byte(OP.end);
    });
