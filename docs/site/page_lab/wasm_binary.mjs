// The part of WebAssembly's binary format that the browser lab needs.

export const SECTION = {
    custom: 0,
    types: 1,
    imports: 2,
    functions: 3,
    tables: 4,
    memories: 5,
    globals: 6,
    exports: 7,
    elements: 9,
    code: 10,
    data: 11,
};

/** Of imports and exports. */
export const KIND = { function: 0, table: 1, memory: 2, global: 3 };

export const OP = {
    block: 0x02,
    loop: 0x03,
    if: 0x04,
    try: 0x06,
    end: 0x0b,
    br: 0x0c,
    return: 0x0f,
    call: 0x10,
    callIndirect: 0x11,
    delegate: 0x18,
    localGet: 0x20,
    localTee: 0x22,
    globalGet: 0x23,
    globalSet: 0x24,
    i32Store: 0x36,
    memorySize: 0x3f,
    memoryGrow: 0x40,
    i32Const: 0x41,
    i64Const: 0x42,
    i32Equal: 0x46,
    i32Greater: 0x4a,
    i32Add: 0x6a,
    i32Subtract: 0x6b,
    i64Or: 0x84,
    refFunc: 0xd2,
};

export class Reader {
    constructor(bytes, at = 0) {
        this.bytes = bytes;
        this.at = at;
    }

    byte() {
        return this.bytes[this.at++];
    }

    unsigned() {
        let result = 0;
        let shift = 0;
        let next;
        do {
            next = this.byte();
            result += (next & 127) * 2 ** shift;
            shift += 7;
        } while (next & 128);
        return result;
    }

    signed() {
        let result = 0;
        let shift = 0;
        let next;
        do {
            next = this.byte();
            result |= (next & 127) << shift;
            shift += 7;
        } while (next & 128);
        return shift < 32 && next & 64 ? result | (-1 << shift) : result;
    }

    skipNumber() {
        while (this.byte() & 128);
    }

    name() {
        const length = this.unsigned();
        this.at += length;
        return new TextDecoder().decode(this.bytes.subarray(this.at - length, this.at));
    }
}

export class Writer {
    constructor(size = 256) {
        this.buffer = new Uint8Array(size);
        this.length = 0;
    }

    reserve(bytes) {
        const needed = this.length + bytes;
        if (needed <= this.buffer.length) return;
        const larger = new Uint8Array(Math.max(this.buffer.length * 2, needed));
        larger.set(this.buffer.subarray(0, this.length));
        this.buffer = larger;
    }

    byte(value) {
        this.reserve(1);
        this.buffer[this.length++] = value;
    }

    unsigned(value) {
        let left = value;
        do {
            const low = left & 127;
            left = Math.floor(left / 128);
            this.byte(left ? low | 128 : low);
        } while (left);
    }

    signed(value) {
        let left = value;
        for (;;) {
            const low = left & 127;
            left >>= 7;
            const isLast = left === 0 ? !(low & 64) : left === -1 && low & 64;
            this.byte(isLast ? low : low | 128);
            if (isLast) return;
        }
    }

    signed64(value) {
        let left = value;
        for (;;) {
            const low = Number(left & 127n);
            left >>= 7n;
            const isLast = left === 0n ? !(low & 64) : left === -1n && low & 64;
            this.byte(isLast ? low : low | 128);
            if (isLast) return;
        }
    }

    append(bytes) {
        this.reserve(bytes.length);
        this.buffer.set(bytes, this.length);
        this.length += bytes.length;
    }

    /** Bytes, after their number. */
    sized(bytes) {
        this.unsigned(bytes.length);
        this.append(bytes);
    }

    name(text) {
        this.sized(new TextEncoder().encode(text));
    }

    section(id, content) {
        this.byte(id);
        this.sized(content);
    }

    written() {
        return this.buffer.subarray(0, this.length);
    }
}

function sectionsOf(bytes) {
    const reader = new Reader(bytes, 8);
    const sections = [];
    while (reader.at < bytes.length) {
        const start = reader.at;
        const id = reader.byte();
        const size = reader.unsigned();
        const begin = reader.at;
        const name = id === SECTION.custom ? reader.name() : '';
        sections.push({ id, name, start, begin, body: reader.at, end: begin + size });
        reader.at = begin + size;
    }
    return sections;
}

function skipLimits(reader) {
    const flags = reader.byte();
    reader.skipNumber();
    if (flags & 1) reader.skipNumber();
}

/** The value of a constant expression; null if it is not a 32-bit number. */
function constant(reader) {
    const opcode = reader.byte();
    let value = null;
    if (opcode === 0x41) value = reader.signed();
    else if (opcode === 0x42 || opcode === 0x23) reader.skipNumber();
    else if (opcode === 0x43) reader.at += 4;
    else if (opcode === 0x44) reader.at += 8;
    reader.byte();
    return value;
}

function readImports(reader, module) {
    for (let left = reader.unsigned(); left > 0; --left) {
        const from = reader.name();
        const name = reader.name();
        const kind = reader.byte();
        if (kind === 0) {
            module.functionTypes.push(reader.unsigned());
            module.imports.push({ from, name });
        } else if (kind === 1) {
            reader.byte();
            skipLimits(reader);
        } else if (kind === 2) {
            skipLimits(reader);
        } else {
            reader.at += 2;
        }
    }
}

function readTypes(reader, module) {
    for (let left = reader.unsigned(); left > 0; --left) {
        const begin = reader.at++;
        for (const _ of ['parameters', 'results'])
            for (let values = reader.unsigned(); values > 0; --values) reader.byte();
        module.types.push([...reader.bytes.subarray(begin, reader.at)].join());
    }
}

function readGlobals(reader, module) {
    for (let left = reader.unsigned(); left > 0; --left) {
        reader.at += 2;
        module.globals.push(constant(reader));
    }
}

function readExports(reader, module) {
    for (let left = reader.unsigned(); left > 0; --left) {
        const name = reader.name();
        const kind = reader.byte();
        module.exports.set(name, { kind, index: reader.unsigned() });
    }
}

function readElements(reader, module) {
    for (let left = reader.unsigned(); left > 0; --left) {
        const flags = reader.unsigned();
        if (flags !== 0) throw new Error(`element segment with flags ${flags}`);
        const base = constant(reader);
        const count = reader.unsigned();
        for (let i = 0; i < count; ++i) module.table.set(base + i, reader.unsigned());
    }
}

function readCode(reader, module) {
    for (let left = reader.unsigned(); left > 0; --left) {
        const size = reader.unsigned();
        module.code.push({ begin: reader.at, end: reader.at + size });
        reader.at += size;
    }
}

function readNames(reader, module, end) {
    const kFunctions = 1;
    while (reader.at < end) {
        const id = reader.byte();
        const size = reader.unsigned();
        const next = reader.at + size;
        if (id === kFunctions) {
            for (let left = reader.unsigned(); left > 0; --left) {
                const index = reader.unsigned();
                module.names[index] = reader.name();
            }
        }
        reader.at = next;
    }
}

/** A linked program: its functions, exports, the table of functions, names. */
export function parse(bytes) {
    const module = {
        sections: sectionsOf(bytes),
        types: [], // each as its bytes, a text
        imports: [], // functions only
        functionTypes: [],
        globals: [],
        exports: new Map(),
        table: new Map(), // slot -> function
        code: [],
        codeBegin: 0,
        names: [],
    };
    for (const section of module.sections) {
        const reader = new Reader(bytes, section.body);
        if (section.id === SECTION.types) readTypes(reader, module);
        else if (section.id === SECTION.imports) readImports(reader, module);
        else if (section.id === SECTION.globals) readGlobals(reader, module);
        else if (section.id === SECTION.exports) readExports(reader, module);
        else if (section.id === SECTION.elements) readElements(reader, module);
        else if (section.id === SECTION.functions) {
            for (let left = reader.unsigned(); left > 0; --left) module.functionTypes.push(reader.unsigned());
        } else if (section.id === SECTION.code) {
            module.codeBegin = section.begin;
            readCode(reader, module);
        } else if (section.name === 'name') readNames(reader, module, section.end);
    }
    return module;
}

/** The program with new contents for some sections, {id: bytes}, and without the sections named by `left`. */
export function withSections(bytes, module, contents, left = () => false) {
    const out = new Writer(bytes.length * 1.5);
    out.append(bytes.subarray(0, 8));
    for (const section of module.sections) {
        if (section.id === SECTION.custom && left(section.name)) continue;
        const content = contents[section.id];
        if (content) out.section(section.id, content);
        else out.append(bytes.subarray(section.start, section.end));
    }
    return out.written().slice();
}

/** The bytes that write(out) writes. */
export const written = (write) => {
    const out = new Writer();
    write(out);
    return out.written();
};

/** A section's content with more entries at its end: [bytes of an entry]. */
export function extended(bytes, module, id, entries) {
    const section = module.sections.find((each) => each.id === id);
    const reader = new Reader(bytes, section.body);
    const count = reader.unsigned();
    return written((out) => {
        out.unsigned(count + entries.length);
        out.append(bytes.subarray(reader.at, section.end));
        for (const entry of entries) out.append(entry);
    });
}

/** An entry of the exports. */
export const exported = (name, kind, index) =>
    written((out) => {
        out.name(name);
        out.byte(kind);
        out.unsigned(index);
    });

/** A code section of these functions' bodies. */
export function codeSection(bodies) {
    const out = new Writer(1 << 20);
    out.unsigned(bodies.length);
    for (const body of bodies) out.sized(body);
    return out.written();
}

/** The function names in the section "name": {number: name} as a Map. */
export function nameSection(names) {
    const list = new Writer();
    list.unsigned(names.size);
    for (const [index, name] of names) {
        list.unsigned(index);
        list.name(name);
    }
    const body = new Writer();
    body.name('name');
    body.section(1, list.written()); // of functions
    return written((out) => out.section(SECTION.custom, body.written()));
}

/** Where the instructions of a function begin: after its local variables. */
export function firstInstruction(bytes, body) {
    const reader = new Reader(bytes, body.begin);
    for (let left = reader.unsigned(); left > 0; --left) {
        reader.skipNumber();
        reader.byte();
    }
    return reader.at;
}

const within = (opcode, first, last) => opcode >= first && opcode <= last;

/** Skips an instruction's operands; the reader is just past its opcode. */
export function skipOperands(reader, opcode) {
    if (
        opcode <= 0x01 ||
        [0x05, 0x0b, 0x0f, 0x19, 0x1a, 0x1b, 0xd1].includes(opcode) ||
        within(opcode, 0x45, 0xc4)
    ) {
        return;
    }
    const isWithIndex =
        [0x0c, 0x0d, 0x10, 0x18, 0x3f, 0x40, 0x41, 0x42, 0xd0, 0xd2].includes(opcode) ||
        within(opcode, 0x02, 0x04) ||
        within(opcode, 0x06, 0x09) ||
        within(opcode, 0x20, 0x26);
    if (isWithIndex) {
        reader.skipNumber();
    } else if (opcode === 0x11 || within(opcode, 0x28, 0x3e)) {
        reader.skipNumber();
        reader.skipNumber();
    } else if (opcode === 0x0e) {
        for (let left = reader.unsigned() + 1; left > 0; --left) reader.skipNumber();
    } else if (opcode === 0x1c) {
        reader.at += reader.unsigned();
    } else if (opcode === 0x43) {
        reader.at += 4;
    } else if (opcode === 0x44) {
        reader.at += 8;
    } else if (opcode === 0xfc) {
        const which = reader.unsigned();
        if (which <= 7) return;
        reader.skipNumber();
        if ([8, 10, 12, 14].includes(which)) reader.skipNumber();
    } else if (opcode === 0xfe) {
        if (reader.unsigned() === 3) {
            reader.byte();
            return;
        }
        reader.skipNumber();
        reader.skipNumber();
    } else {
        throw new Error(`unknown instruction 0x${opcode.toString(16)}`);
    }
}

/** Each direct call in a function's body: {called: number of a function, at, end: its bytes}. */
export function* callsIn(bytes, body) {
    const reader = new Reader(bytes, firstInstruction(bytes, body));
    while (reader.at < body.end) {
        const at = reader.at;
        const opcode = reader.byte();
        if (opcode === OP.call) yield { called: reader.unsigned(), at, end: reader.at };
        else skipOperands(reader, opcode);
    }
}
