// The compiler's messages as data.

// translate.py names no column.
const MESSAGE = /^(.+?):(\d+):(?:(\d+):)? (fatal error|error|warning|note): (.*)$/;

/** What the compiler says about a rewritten line, and what it means, as in
 *  common/grading/check/diagnostics.py. */
const MEANT = [
    [
        /^variably modified type .* template argument/,
        'the size of a __shared__ array must be a constant; memory whose size the launch gives is declared ' +
            'extern __shared__ float name[];',
    ],
    [
        /Thrust is not installed/,
        'Thrust is not available in the browser; in a terminal ./tutorial run compiles it',
    ],
    [/ 'TypedLaunch</, "the arguments of this launch do not fit the kernel's parameters"],
    [
        /^no matching member function for call to 'configure'/,
        'between <<< and >>> go: blocks, threads per block, bytes of dynamic shared memory, ' +
            'stream; the last three may be left out',
    ],
];

/**
 * [{file, line, column, severity, text}]; files below /src are given without that folder. column 0: not
 * known. Only the first error of a line is kept.
 */
export function diagnosticsOf(said) {
    const all = withAddress(said)
        .split('\n')
        .flatMap((line) => {
            const found = line.match(MESSAGE);
            return found ? [diagnosticOf(found)] : [];
        });
    const place = ({ file, line }) => `${file}:${line}`;
    const errors = new Map();
    for (const each of all)
        if (each.severity === 'error' && !errors.has(place(each))) errors.set(place(each), each);
    return all.filter((each) => (errors.get(place(each)) ?? each) === each);
}

/** cudaMalloc(d, …) for cudaMalloc(&d, …): clang says which overloads do not fit, but not why. */
const NO_ADDRESS =
    /no matching function for call to '(cudaMalloc\w*)'\n.*\b\1\w*\(\s*(\w[\w.]*)\s*,(?:.*\n){2}.*could not match 'T \*' against/g;
const withAddress = (said) =>
    said.replace(NO_ADDRESS, (all, call, pointer) =>
        all.replace(/^.*/, `${call} takes the address of the pointer: &${pointer}`),
    );

function diagnosticOf([, file, row, column, severity, text]) {
    const meant = MEANT.find(([words]) => words.test(text))?.[1];
    return {
        file: file.replace(/^\/?src\//, ''),
        line: Number(row),
        column: meant ? 0 : Number(column ?? 0),
        severity: severity === 'fatal error' ? 'error' : severity,
        text: meant ?? text,
    };
}
