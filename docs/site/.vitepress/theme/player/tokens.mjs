// Colours for a line of CUDA C++ in the player: comments, strings, numbers, words of the language. The
// classes are those that build/token_classes.mjs gives to the code of the texts.
const WORDS = new Set(
    (
        'alignas auto bool break case char class const constexpr continue default do double else enum explicit ' +
        'extern false float for if inline int long namespace nullptr operator return short signed sizeof static ' +
        'struct switch template this true typename union unsigned using void volatile while ' +
        '__global__ __device__ __host__ __shared__ __constant__ __restrict__ __forceinline__ __launch_bounds__'
    ).split(' '),
);
const TOKEN =
    /(?<comment>\/\/.*|\/\*.*?\*\/)|(?<string>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|(?<number>\b\d[\w.]*)|(?<call>[A-Za-z_]\w*(?=\s*(?:<[^<>()]*>)?\())|(?<word>[A-Za-z_]\w*)/g;
const CLASSES = { comment: 'c-comment', string: 'c-string', number: 'c-number', call: 'c-call' };

/** [{text, kind}]: `kind` is a class, or ''. */
export function tokens(line) {
    const found = [];
    let at = 0;
    for (const match of line.matchAll(TOKEN)) {
        const [kind, text] = Object.entries(match.groups).find(([, each]) => each !== undefined);
        const name = WORDS.has(text) ? 'c-word' : CLASSES[kind];
        if (!name) continue;
        if (match.index > at) found.push({ text: line.slice(at, match.index), kind: '' });
        found.push({ text, kind: name });
        at = match.index + text.length;
    }
    if (at < line.length) found.push({ text: line.slice(at), kind: '' });
    return found;
}
