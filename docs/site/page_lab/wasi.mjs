// As much of WASI as a linked program calls, with files in memory.
import { joined } from './tools.mjs';

const ERRNO = { badFile: 8, noEntry: 44, notSupported: 52, pipe: 70 };
const TYPE = { terminal: 2, folder: 3, file: 4 };
const CAN_WRITE = 64n;

/**
 * @param memory () => the program's WebAssembly.Memory
 * @param files {path: text or bytes}; what the program writes is added
 * @param stdout, stderr take bytes
 * @param exit takes the code of a program that ends itself: it traps when that has returned
 */
export function wasi({ memory, files, args, environment, stdout, stderr, exit }) {
    const encoder = new TextEncoder();
    const view = () => new DataView(memory().buffer);
    const bytes = () => new Uint8Array(memory().buffer);
    const text = (at, length) => new TextDecoder().decode(bytes().slice(at, at + length));
    const contentOf = (name) => (typeof files[name] === 'string' ? encoder.encode(files[name]) : files[name]);
    const pathOf = (at, length) => {
        const name = text(at, length);
        return name.startsWith('/') ? name : `/${name}`;
    };
    // 0 to 2 are the standard streams, 3 is the folder /.
    const open = [null, null, null, { isFolder: true }];
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
    const writeStatus = (out, type, size) => {
        bytes().fill(0, out, out + 64);
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
            open[file]?.save?.();
            open[file] = null;
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
            return writeStatus(out, typeOf(file), open[file]?.data?.length ?? 0);
        },
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
        fd_read(file, list, count, out) {
            if (!isOpen(file)) return ERRNO.badFile;
            let total = 0;
            forBuffers(list, count, (begin, length) => {
                if (!open[file]?.data) return false;
                const part = open[file].data.subarray(open[file].at, open[file].at + length);
                bytes().set(part, begin);
                open[file].at += part.length;
                total += part.length;
                return part.length === length;
            });
            view().setUint32(out, total, true);
            return 0;
        },
        fd_write(file, list, count, out) {
            if (!isOpen(file)) return ERRNO.badFile;
            let total = 0;
            forBuffers(list, count, (begin, length) => {
                const part = bytes().slice(begin, begin + length);
                total += length;
                if (file === 1) stdout(part);
                else if (file === 2) stderr(part);
                else open[file].parts.push(part);
                return true;
            });
            view().setUint32(out, total, true);
            return 0;
        },
        fd_seek(file, offset, whence, out) {
            if (file < 3) return ERRNO.pipe;
            if (!open[file]) return ERRNO.badFile;
            const { at, data } = open[file];
            open[file].at = Number(offset) + [0, at, data.length][whence];
            view().setBigUint64(out, BigInt(open[file].at), true);
            return 0;
        },
        path_open(_folder, _lookup, at, length, _flags, rights, _inherited, _fileFlags, out) {
            const name = pathOf(at, length);
            const writes = (rights & CAN_WRITE) !== 0n;
            if (!writes && !(name in files)) return ERRNO.noEntry;
            const file = { data: writes ? new Uint8Array(0) : contentOf(name), at: 0, parts: [] };
            if (writes) file.save = () => (files[name] = joined(file.parts));
            open.push(file);
            view().setUint32(out, open.length - 1, true);
            return 0;
        },
        path_filestat_get(_folder, _flags, at, length, out) {
            const name = pathOf(at, length);
            if (!(name in files)) return ERRNO.noEntry;
            return writeStatus(out, TYPE.file, contentOf(name).length);
        },
        random_get(at, length) {
            crypto.getRandomValues(bytes().subarray(at, at + length));
            return 0;
        },
        sched_yield: () => 0,
        proc_exit(code) {
            for (const file of open) file?.save?.();
            exit(code);
        },
    };
    // What is not there says so when it is called.
    return new Proxy(calls, { get: (known, name) => known[name] ?? (() => ERRNO.notSupported) });
}
