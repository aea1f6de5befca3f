// The compiler's messages as data.

const MESSAGE = /^(.+?):(\d+):(\d+): (fatal error|error|warning|note): (.*)$/;

/** [{file, line, column, severity, text}]; files below /src are given without that folder. */
export function diagnosticsOf(said) {
    return said.split('\n').flatMap((line) => {
        const found = line.match(MESSAGE);
        if (!found) return [];
        const [, file, row, column, severity, text] = found;
        return [
            {
                file: file.replace(/^\/?src\//, ''),
                line: Number(row),
                column: Number(column),
                severity: severity === 'fatal error' ? 'error' : severity,
                text,
            },
        ];
    });
}
