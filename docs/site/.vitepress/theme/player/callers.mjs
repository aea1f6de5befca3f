// Where the kernel calls the function that a step is in: the reader also sees the kernel's loop.

/** The name of the function that a part of a source defines: what comes before its first bracket. */
function nameOf({ lines }) {
    const text = lines
        .join('\n')
        .replace(/\/\/.*|__launch_bounds__\([^()]*\)|\w+\(\w*\)(?=\s*\w+\s+\w+\()/g, '');
    return /([A-Za-z_]\w*)\s*\(/.exec(text)?.[1] ?? '';
}

/** Lines ("file:line") of other functions that call the one in which `place` is, up to the kernel. */
export function callers(sources, place, kernel) {
    const parts = sources.flatMap(({ name, parts }) => parts.map((part) => ({ file: name, ...part })));
    const holds = ({ file, first, lines }) =>
        place && file === place[0] && place[1] >= first && place[1] < first + lines.length;
    const top = kernel
        .replace(/[<(].*/s, '')
        .split('::')
        .at(-1);
    const found = new Set();
    const seen = new Set();
    const left = parts.filter(holds);
    for (let part = left.pop(); part; part = left.pop()) {
        const name = nameOf(part);
        if (seen.has(part) || !name || name === top) continue;
        seen.add(part);
        const call = new RegExp(`\\b${name}\\s*(?:<[^()]*>)?\\(`);
        for (const other of parts) {
            if (other === part) continue;
            const lines = other.lines.flatMap((line, i) =>
                call.test(line.replace(/\/\/.*/, '')) ? [`${other.file}:${other.first + i}`] : [],
            );
            if (lines.length === 0) continue;
            for (const line of lines) found.add(line);
            left.push(other);
        }
    }
    return found;
}
