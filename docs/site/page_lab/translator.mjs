// translate.py in the page, by Pyodide: what the build does to a source before a compiler sees it.

/** Returns async (name, text) => {text, said}; without text where it was refused. */
export async function translator(files, pyodideAddress) {
    const [python, sources] = await Promise.all([
        import(`${pyodideAddress}pyodide.mjs`).then(({ loadPyodide }) =>
            loadPyodide({ indexURL: pyodideAddress }),
        ),
        files.load('translator.json').then((bytes) => JSON.parse(new TextDecoder().decode(bytes))),
    ]);
    for (const [name, text] of Object.entries(sources)) {
        const place = `/translator/${name}`;
        python.FS.mkdirTree(place.replace(/\/[^/]*$/, ''));
        python.FS.writeFile(place, text);
    }
    python.FS.mkdirTree('/src');
    const call = python.runPython(`
import contextlib, io, sys
sys.path.insert(0, "/translator")
import translate

def call(name):
    said = io.StringIO()
    try:
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            translate.main([f"/src/{name}", "/src/out.cpp", "--source-root", "/src", "--copies", "/src/copies"])
    except SystemExit as end:
        if end.code:
            return said.getvalue() + ("" if isinstance(end.code, int) else str(end.code))
    return ""

call
`);
    return async (name, text) => {
        python.FS.writeFile(`/src/${name}`, text);
        const said = call(name);
        return said ? { said } : { text: python.FS.readFile('/src/out.cpp', { encoding: 'utf8' }), said: '' };
    };
}
