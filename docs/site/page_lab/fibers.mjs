// binaryen's asyncify over a linked program: what is on a fiber's stack can be left and later resumed
// (common/emulator/wasm/fcontext.cpp).
//
// binaryen takes a while for each function, and only a few of them may wait. So it gets a program in which
// all others are empty, and which has no data; both are then put back into its result.
import { joined } from './tools.mjs';
import {
    callsIn,
    codeSection,
    firstInstruction,
    nameSection,
    OP,
    parse,
    Reader,
    SECTION,
    skipOperands,
    withSections,
    Writer,
} from './wasm_binary.mjs';

/** Their indirect calls may lead to a barrier: the call of the kernel. */
const WAITS = ['_ZN8emulator6Worker11run_threadsEv'];

/** Never left: main()'s side, and the lab, whose hooks end a fiber at most. */
const NEVER_LEFT = [
    '_ZN8emulator6Worker3runERNS_5BlockE',
    '__tsan_*',
    '__sanitizer_*',
    '__ubsan_*',
    'lab_*',
    '_ZN3lab*',
    '_ZNK3lab*',
];

const WITH_TYPE = [OP.block, OP.loop, OP.if, OP.try];
/** No local variables; unreachable, end. */
const EMPTY = new Uint8Array([0, 0x00, 0x0b]);

const fits = (pattern, name) =>
    pattern.endsWith('*') ? name?.startsWith(pattern.slice(0, -1)) : name === pattern;

/** Only patterns that match some name: binaryen warns about others, for instance in a program without a kernel. */
const fitting = (patterns, names) =>
    patterns.filter((pattern) => names.some((name) => fits(pattern, name))).join(',');

/**
 * @param indirect names of the learner's functions with indirect calls
 * @param level of optimisation: 1 makes a chapter's program 10 to 50 % smaller, and takes a second longer if
 *     binaryen has just been started. The examples do not run faster for it.
 */
export function makeFibers(binaryen, binary, indirect, level = 0) {
    const module = parse(binary);
    const waiting = mayWait(binary, module, [...WAITS, ...indirect]);
    const bodyOf = ({ begin, end }) => binary.subarray(begin, end);
    const bodies = module.code.map((body, i) =>
        waiting.has(module.imports.length + i) ? bodyOf(body) : EMPTY,
    );
    const names = nameSection(new Map([...waiting].sort((a, b) => a - b).map((i) => [i, module.names[i]])));
    const small = withSections(
        binary,
        module,
        { [SECTION.code]: codeSection(bodies), [SECTION.data]: new Uint8Array([0]) },
        () => true,
    );
    const waits = [...waiting].map((index) => module.names[index]);
    const made = asyncify(binaryen, joined([small, names]), waits, [...WAITS, ...indirect], level);
    return completed(made, binary, module, waiting);
}

/** The functions from which a call may lead to a switch of fibers: their numbers. */
function mayWait(bytes, module, known) {
    const first = module.imports.length;
    const callers = new Map(); // function -> those that call it
    module.code.forEach((body, i) => {
        for (const { called } of callsIn(bytes, body)) {
            if (!callers.has(called)) callers.set(called, new Set());
            callers.get(called).add(first + i);
        }
    });
    const isLeft = (index) => !NEVER_LEFT.some((pattern) => fits(pattern, module.names[index]));
    const found = new Set(module.names.flatMap((name, index) => (known.includes(name) ? [index] : [])));
    module.imports.forEach(({ from }, index) => {
        if (from === 'asyncify') for (const caller of callers.get(index) ?? []) found.add(caller);
    });
    for (const index of found) {
        if (isLeft(index)) for (const caller of callers.get(index) ?? []) found.add(caller);
    }
    return found;
}

function asyncify(binaryen, binary, names, waits, level) {
    binaryen.setPassArgument('asyncify-imports', 'page.nothing');
    binaryen.setPassArgument('asyncify-ignore-indirect', '1');
    binaryen.setPassArgument('asyncify-addlist', fitting(waits, names));
    binaryen.setPassArgument('asyncify-removelist', fitting(NEVER_LEFT, names));
    binaryen.setDebugInfo(false);
    binaryen.setOptimizeLevel(level);
    binaryen.setShrinkLevel(0);
    const module = binaryen.readBinary(binary);
    // Not all: encodings of later ones are refused by Node 20.
    const { Features } = binaryen;
    module.setFeatures(
        Features.BulkMemory |
            Features.BulkMemoryOpt |
            Features.SignExt |
            Features.NontrappingFPToInt |
            Features.MutableGlobals |
            Features.Multivalue |
            Features.ReferenceTypes |
            Features.ExceptionHandling |
            Features.CallIndirectOverlong,
    );
    module.runPasses(['asyncify']);
    const made = module.emitBinary();
    module.dispose();
    return made;
}

/** What binaryen has made, with the bodies of the functions that it was given empty. It renumbers types and
 *  functions: asyncify's imports are functions now, after all others. */
function completed(made, binary, before, waiting) {
    const after = parse(made);
    const types = [...after.types];
    const typeOf = before.types.map((type) => {
        if (!types.includes(type)) types.push(type);
        return types.indexOf(type);
    });
    const functionOf = before.imports.map((each) =>
        after.imports.findIndex(({ from, name }) => from === each.from && name === each.name),
    );
    before.code.forEach((_, i) => functionOf.push(after.imports.length + i));
    const bodies = after.code.map(({ begin, end }, i) => {
        const isEmpty = i < before.code.length && !waiting.has(before.imports.length + i);
        return isEmpty ? renumbered(binary, before.code[i], typeOf, functionOf) : made.subarray(begin, end);
    });
    const typeSection = new Writer();
    typeSection.unsigned(types.length);
    for (const type of types) typeSection.append(type.split(',').map(Number));
    const changed = withSections(made, after, {
        [SECTION.types]: typeSection.written(),
        [SECTION.code]: codeSection(bodies),
    });
    const data = before.sections.find(({ id }) => id === SECTION.data);
    return joined([changed, binary.subarray(data.start, data.end)]);
}

function renumbered(bytes, body, typeOf, functionOf) {
    const out = new Writer(body.end - body.begin);
    const reader = new Reader(bytes, firstInstruction(bytes, body));
    let copied = body.begin;
    const replace = (at, number) => {
        out.append(bytes.subarray(copied, at));
        out.unsigned(number);
        copied = reader.at;
    };
    while (reader.at < body.end) {
        const opcode = reader.byte();
        const at = reader.at;
        if (opcode === OP.call || opcode === OP.refFunc) {
            replace(at, functionOf[reader.unsigned()]);
        } else if (opcode === OP.callIndirect) {
            replace(at, typeOf[reader.unsigned()]);
            reader.skipNumber();
        } else if (WITH_TYPE.includes(opcode)) {
            const type = reader.signed();
            // Types of values are negative. A number is written signed: one more bit.
            if (type >= 0) throw new Error('a block with a type of its own');
        } else {
            skipOperands(reader, opcode);
        }
    }
    out.append(bytes.subarray(copied, body.end));
    return out.written();
}
