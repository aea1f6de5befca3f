// The part of WASI that linked programs and the tools call, with files in memory.

const ERRNO = { badFile: 8, noEntry: 44, notSupported: 52, pipe: 70 };
const TYPE = { terminal: 2, folder: 3, file: 4 };
const CAN_WRITE = 64n;
const OPEN = { create: 1, isFolder: 2, truncate: 8 };

/** An open file. What is written grows by doubling. */
class File {
    constructor(name, data, writes) {
        Object.assign(this, { name, data, writes, size: data.length, at: 0 });
    }

    read(at, length) {
        return this.data.subarray(at, Math.min(at + length, this.size));
    }

    resize(size) {
        if (size > this.data.length) {
            const larger = new Uint8Array(Math.max(size, 2 * this.data.length));
            larger.set(this.data);
            this.data = larger;
        }
        this.size = size;
    }

    write(at, part) {
        if (at + part.length > this.size) this.resize(at + part.length);
        this.data.set(part, at);
    }
}

/** The path without "." and "..", and with a / at its beginning. */
export function normalized(path) {
    const parts = [];
    for (const part of path.split('/')) {
        if (part === '..') parts.pop();
        else if (part !== '' && part !== '.') parts.push(part);
    }
    return `/${parts.join('/')}`;
}

/**
 * @param memory () => the program's WebAssembly.Memory
 * @param files {path: text or bytes}; what the program writes is added. Those of its prototype are also seen
 * @param stdin bytes that the program reads
 * @param stdout, stderr take bytes
 * @param exit takes the code of a program that ends itself: the program traps when this has returned
 */
export function wasi({ memory, files, args, environment = {}, stdin, stdout, stderr, exit }) {
    const encoder = new TextEncoder();
    const view = () => new DataView(memory().buffer);
    const bytes = () => new Uint8Array(memory().buffer);
    const text = (at, length) => new TextDecoder().decode(bytes().slice(at, at + length));
    const contentOf = (name) => (typeof files[name] === 'string' ? encoder.encode(files[name]) : files[name]);
    const pathOf = (at, length) => normalized(text(at, length));
    // 0 to 2 are the standard streams, 3 is the folder /.
    const open = [new File('', stdin ?? new Uint8Array(0)), null, null, { name: '/', isFolder: true }];
    const save = (file) => {
        if (file?.writes) files[file.name] = file.data.subarray(0, file.size);
    };
    let folders;
    /** path -> names of a folder's files and folders, or undefined: folders are the beginnings of files' names. */
    const folder = (path) => {
        if (!folders) {
            folders = new Map([['/', new Set()]]);
            for (let each in files) {
                for (let isKnown = false; each && !isKnown;) {
                    const end = each.lastIndexOf('/');
                    const above = each.slice(0, end) || '/';
                    isKnown = folders.has(above);
                    if (!isKnown) folders.set(above, new Set());
                    folders.get(above).add(each.slice(end + 1));
                    each = each.slice(0, end);
                }
            }
        }
        return folders.get(path);
    };
    /** A compiler knows files by their numbers. */
    const numbers = new Map();
    const numberOf = (name) => {
        if (!numbers.has(name)) numbers.set(name, numbers.size + 1);
        return numbers.get(name);
    };
    const words = args.map((each) => encoder.encode(`${each}\0`));
    const variables = Object.entries(environment).map(([name, value]) =>
        encoder.encode(`${name}=${value}\0`),
    );

    const sizes = (list) => (count, size) => {
        view().setUint32(count, list.length, true);
        view().setUint32(
            size,
            list.reduce((sum, each) => sum + each.length, 0),
            true,
        );
        return 0;
    };
    const strings = (list) => (pointers, buffer) => {
        let at = buffer;
        list.forEach((each, i) => {
            view().setUint32(pointers + 4 * i, at, true);
            bytes().set(each, at);
            at += each.length;
        });
        return 0;
    };
    const isOpen = (file) => file < 3 || Boolean(open[file]);
    /** Calls visit(begin, length) for each buffer of a list until it returns false. */
    const forBuffers = (list, count, visit) => {
        for (let i = 0; i < count; ++i) {
            const begin = view().getUint32(list + 8 * i, true);
            if (!visit(begin, view().getUint32(list + 8 * i + 4, true))) return;
        }
    };
    const writeStatus = (out, type, size, name = '') => {
        bytes().fill(0, out, out + 64);
        view().setBigUint64(out + 8, BigInt(numberOf(name)), true);
        view().setUint8(out + 16, type);
        view().setBigUint64(out + 32, BigInt(size), true);
        return 0;
    };
    const typeOf = (file) => (file < 3 ? TYPE.terminal : open[file].isFolder ? TYPE.folder : TYPE.file);

    const calls = {
        args_sizes_get: sizes(words),
        args_get: strings(words),
        environ_sizes_get: sizes(variables),
        environ_get: strings(variables),
        clock_time_get(clock, _precision, out) {
            const isWallClock = clock === 0;
            const now = isWallClock
                ? BigInt(Date.now()) * 1000000n
                : BigInt(Math.round(performance.now() * 1e6));
            view().setBigUint64(out, now, true);
            return 0;
        },
        clock_res_get(_clock, out) {
            view().setBigUint64(out, 1000n, true);
            return 0;
        },
        fd_close(file) {
            if (file < 3 || !open[file]) return ERRNO.badFile;
            save(open[file]);
            delete open[file];
            return 0;
        },
        fd_fdstat_get(file, out) {
            if (!isOpen(file)) return ERRNO.badFile;
            view().setUint8(out, typeOf(file));
            view().setUint16(out + 2, 0, true);
            view().setBigUint64(out + 8, 0xffffffffn, true);
            view().setBigUint64(out + 16, 0xffffffffn, true);
            return 0;
        },
        fd_fdstat_set_flags: () => 0,
        fd_filestat_get(file, out) {
            if (!isOpen(file)) return ERRNO.badFile;
            return writeStatus(out, typeOf(file), open[file]?.size ?? 0, open[file]?.name);
        },
        fd_filestat_set_size(file, size) {
            if (!open[file]?.writes) return ERRNO.badFile;
            open[file].resize(Number(size));
            return 0;
        },
        fd_filestat_set_times: () => 0,
        fd_prestat_get(file, out) {
            if (file !== 3) return ERRNO.badFile;
            view().setUint32(out, 0, true);
            view().setUint32(out + 4, 1, true);
            return 0;
        },
        fd_prestat_dir_name(file, at) {
            if (file !== 3) return ERRNO.badFile;
            bytes()[at] = '/'.charCodeAt(0);
            return 0;
        },
        fd_readdir(file, buffer, length, cookie, out) {
            if (!open[file]?.isFolder) return ERRNO.badFile;
            const { name } = open[file];
            let at = 0;
            [...folder(name)].slice(Number(cookie)).every((each, i) => {
                const path = normalized(`${name}/${each}`);
                const word = encoder.encode(each);
                const entry = new Uint8Array(24 + word.length);
                const fields = new DataView(entry.buffer);
                fields.setBigUint64(0, cookie + BigInt(i) + 1n, true);
                fields.setBigUint64(8, BigInt(numberOf(path)), true);
                fields.setUint32(16, word.length, true);
                fields.setUint8(20, path in files ? TYPE.file : TYPE.folder);
                entry.set(word, 24);
                const part = entry.subarray(0, length - at);
                bytes().set(part, buffer + at);
                at += part.length;
                return at < length;
            });
            view().setUint32(out, at, true);
            return 0;
        },
        fd_read(file, list, count, out) {
            if (!(open[file] instanceof File)) return ERRNO.badFile;
            const status = calls.fd_pread(file, list, count, BigInt(open[file].at), out);
            open[file].at += view().getUint32(out, true);
            return status;
        },
        fd_pread(file, list, count, offset, out) {
            if (!(open[file] instanceof File)) return ERRNO.badFile;
            let at = Number(offset);
            forBuffers(list, count, (begin, length) => {
                const part = open[file].read(at, length);
                bytes().set(part, begin);
                at += part.length;
                return part.length === length;
            });
            view().setUint32(out, at - Number(offset), true);
            return 0;
        },
        fd_write(file, list, count, out) {
            if (!isOpen(file)) return ERRNO.badFile;
            let total = 0;
            forBuffers(list, count, (begin, length) => {
                const part = bytes().subarray(begin, begin + length);
                total += length;
                if (file === 1) stdout(part.slice());
                else if (file === 2) stderr(part.slice());
                else {
                    open[file].write(open[file].at, part);
                    open[file].at += length;
                }
                return true;
            });
            view().setUint32(out, total, true);
            return 0;
        },
        fd_seek(file, offset, whence, out) {
            if (file < 3) return ERRNO.pipe;
            if (!open[file] || open[file].isFolder) return ERRNO.badFile;
            const { at, size } = open[file];
            open[file].at = Number(offset) + [0, at, size][whence];
            view().setBigUint64(out, BigInt(open[file].at), true);
            return 0;
        },
        path_open(_folder, _lookup, at, length, flags, rights, _inherited, _fileFlags, out) {
            const name = pathOf(at, length);
            const writes = (rights & CAN_WRITE) !== 0n && !(flags & OPEN.isFolder);
            const known = files[name];
            if (known === undefined && !(writes ? flags & OPEN.create : folder(name))) return ERRNO.noEntry;
            const isNew = known === undefined || flags & OPEN.truncate;
            let number = 4;
            while (open[number]) ++number;
            if (known === undefined && !writes) open[number] = { name, isFolder: true };
            else if (!writes) open[number] = new File(name, contentOf(name), false);
            else open[number] = new File(name, isNew ? new Uint8Array(0) : contentOf(name).slice(), true);
            save(open[number]);
            view().setUint32(out, number, true);
            return 0;
        },
        path_filestat_get(_folder, _flags, at, length, out) {
            const name = pathOf(at, length);
            if (name in files) return writeStatus(out, TYPE.file, contentOf(name).length, name);
            return folder(name) ? writeStatus(out, TYPE.folder, 0, name) : ERRNO.noEntry;
        },
        path_rename(_from, at, length, _to, newAt, newLength) {
            const [name, newName] = [pathOf(at, length), pathOf(newAt, newLength)];
            if (!Object.hasOwn(files, name)) return ERRNO.noEntry;
            files[newName] = files[name];
            delete files[name];
            for (const file of open) if (file?.name === name) file.name = newName;
            return 0;
        },
        path_unlink_file(_folder, at, length) {
            const name = pathOf(at, length);
            if (!Object.hasOwn(files, name)) return ERRNO.noEntry;
            delete files[name];
            return 0;
        },
        random_get(at, length) {
            crypto.getRandomValues(bytes().subarray(at, at + length));
            return 0;
        },
        sched_yield: () => 0,
        proc_exit(code) {
            open.forEach(save);
            exit(code);
        },
    };
    // Functions that are missing say so when they are called.
    return new Proxy(calls, { get: (known, name) => known[name] ?? (() => ERRNO.notSupported) });
}
