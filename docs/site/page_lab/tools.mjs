// Runs one of LLVM's programs, which npm's @yowasp/clang has made of WebAssembly.

/**
 * @param run runClang or runLLVM
 * @param args the command line
 * @param files {name: text or bytes, or such an object for a folder}
 * @returns {ok, files, printed (stdout, as bytes), said (stderr, as text)}
 *
 * A tool's own file is copied for each few bytes that it writes. Have it print what is large.
 */
export async function runTool(run, args, files, input = '') {
    const asked = new TextEncoder().encode(input);
    let at = 0;
    const stdout = [];
    const stderr = [];
    const options = {
        stdin(bytes) {
            if (at >= asked.length) return null;
            const part = asked.subarray(at, at + bytes);
            at += part.length;
            return part;
        },
        stdout: (bytes) => bytes && stdout.push(bytes),
        stderr: (bytes) => bytes && stderr.push(bytes),
        fetchProgress() {},
    };
    const all = (files) => ({
        files,
        printed: joined(stdout),
        said: new TextDecoder().decode(joined(stderr)),
    });
    try {
        const made = await run(args, files, options);
        return { ok: true, ...all(made) };
    } catch (error) {
        // Exit has the program's code; everything else is a fault of ours.
        if (error.code === undefined && error.files === undefined) throw error;
        return { ok: false, ...all(error.files ?? {}) };
    }
}

/** Parts as one array of bytes. */
export function joined(parts) {
    const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
    let at = 0;
    for (const part of parts) {
        all.set(part, at);
        at += part.length;
    }
    return all;
}

/** {'a/b': text} as the object of objects that the tools take. */
export function treeOf(files) {
    const tree = {};
    for (const [name, content] of Object.entries(files)) {
        const parts = name.split('/').filter(Boolean);
        let folder = tree;
        for (const part of parts.slice(0, -1)) folder = folder[part] ??= {};
        folder[parts.at(-1)] = content;
    }
    return tree;
}
