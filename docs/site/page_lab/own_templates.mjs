// Gives the inline functions and templates in an object of a library names of the library's own. The
// linker keeps one copy of those that have the same name: if it kept the learner's, which calls hooks,
// the lab would watch itself.
//
// The names are in the object's section "linking"; nothing else refers to them by name.
import { Reader, SECTION, Writer } from './wasm_binary.mjs';

const OWN = '.library';
/** Names shared by several libraries: the emulator's operator delete, which replaces the C++ library's and
 *  which programs call; and {fmt}, which programs do not have. */
const SHARED = /^(?:_Zd[al]Pv|_ZNK?3fmt)/;
const COMDATS = 7;
const SYMBOLS = 8;
const KIND = { function: 0, data: 1, global: 2, section: 3, tag: 4, table: 5 };
const FLAG = { weak: 1, undefined: 0x10, explicitName: 0x40 };

/** The object with its own names; those that other objects need, according to `wanted`, stay as they are. */
export function ownTemplates(object, wanted = new Set()) {
    const reader = new Reader(object, 8);
    const out = new Writer(object.length + 4096);
    out.append(object.subarray(0, 8));
    while (reader.at < object.length) {
        const start = reader.at;
        const id = reader.byte();
        const size = reader.unsigned();
        const end = reader.at + size;
        if (id === SECTION.custom && reader.name() === 'linking') {
            const content = renamed(new Reader(object.subarray(reader.at, end)), end - reader.at, wanted);
            const body = new Writer(content.length + 16);
            body.name('linking');
            body.append(content);
            out.section(SECTION.custom, body.written());
        } else {
            out.append(object.subarray(start, end));
        }
        reader.at = end;
    }
    return out.written().slice();
}

function renamed(reader, length, wanted) {
    const out = new Writer(length * 1.2);
    out.unsigned(reader.unsigned()); // the version
    const parts = [];
    while (reader.at < length) {
        const id = reader.byte();
        const size = reader.unsigned();
        parts.push({ id, bytes: reader.bytes.subarray(reader.at, reader.at + size) });
        reader.at += size;
    }
    // The groups come first, and are identified by the names of their functions.
    const own = new Set();
    const changed = new Map();
    for (const part of parts.filter(({ id }) => id === SYMBOLS))
        changed.set(part, symbols(part.bytes, own, wanted));
    for (const part of parts.filter(({ id }) => id === COMDATS)) changed.set(part, groups(part.bytes, own));
    for (const part of parts) {
        out.section(part.id, changed.get(part) ?? part.bytes);
    }
    return out.written();
}

function symbols(bytes, own, wanted) {
    const reader = new Reader(bytes);
    const out = new Writer(bytes.length * 1.2);
    const count = reader.unsigned();
    out.unsigned(count);
    for (let i = 0; i < count; ++i) {
        const kind = reader.byte();
        const flags = reader.unsigned();
        out.byte(kind);
        out.unsigned(flags);
        const isDefined = !(flags & FLAG.undefined);
        const copyNumbers = (n) => {
            for (let k = 0; k < n; ++k) out.unsigned(reader.unsigned());
        };
        if (kind === KIND.data) {
            out.name(reader.name());
            if (isDefined) copyNumbers(3);
        } else if (kind === KIND.section) {
            copyNumbers(1);
        } else {
            copyNumbers(1);
            if (!isDefined && !(flags & FLAG.explicitName)) continue;
            let name = reader.name();
            const isWeak = kind === KIND.function && isDefined && flags & FLAG.weak;
            if (isWeak && !wanted.has(name) && !SHARED.test(name)) {
                own.add(name);
                name += OWN;
            }
            out.name(name);
        }
    }
    return out.written();
}

function groups(bytes, own) {
    const reader = new Reader(bytes);
    const out = new Writer(bytes.length * 1.2);
    const count = reader.unsigned();
    out.unsigned(count);
    for (let i = 0; i < count; ++i) {
        const name = reader.name();
        out.name(own.has(name) ? name + OWN : name);
        out.unsigned(reader.unsigned());
        const members = reader.unsigned();
        out.unsigned(members);
        for (let k = 0; k < members; ++k) {
            out.byte(reader.byte());
            out.unsigned(reader.unsigned());
        }
    }
    return out.written();
}
