// Runs one of LLVM's programs, which npm's @yowasp/clang has made of WebAssembly.

/**
 * @param run runClang or runLLVM
 * @param args the command line
 * @param files {name: text or bytes, or such an object for a folder}
 * @returns {ok, files, printed (stdout), said (stderr)}
 */
export async function runTool(run, args, files, input = '') {
    const asked = new TextEncoder().encode(input);
    let at = 0;
    const stdout = collector();
    const stderr = collector();
    const options = {
        stdin(bytes) {
            if (at >= asked.length) return null;
            const part = asked.subarray(at, at + bytes);
            at += part.length;
            return part;
        },
        stdout: stdout.add,
        stderr: stderr.add,
        fetchProgress() {},
    };
    try {
        const made = await run(args, files, options);
        return { ok: true, files: made, printed: stdout.text(), said: stderr.text() };
    } catch (error) {
        // Exit has the program's code; everything else is a fault of ours.
        if (error.code === undefined && error.files === undefined) throw error;
        return { ok: false, files: error.files ?? {}, printed: stdout.text(), said: stderr.text() };
    }
}

function collector() {
    const decoder = new TextDecoder();
    let text = '';
    return {
        add(bytes) {
            if (bytes) text += decoder.decode(bytes, { stream: true });
        },
        text: () => text,
    };
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
