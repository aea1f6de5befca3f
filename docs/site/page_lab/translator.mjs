// translate.py in the page, by Pyodide: what the build does to a source before a compiler sees it.

/** Where included files go that hold something to change, below the sources. */
export const COPIES = 'translated';

/**
 * @returns async (name, text, others) => {text, copies, said}; without text where it was refused.
 *     others: {path: text} of files that the source includes; copies: those that were changed
 */
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
    const call = python.runPython(`
import contextlib, io, json, os, shutil, sys
sys.path.insert(0, "/translator")
import translate

def call(name, files):
    shutil.rmtree("/src", ignore_errors=True)
    for file, text in json.loads(files).items():
        os.makedirs(os.path.dirname(f"/src/{file}"), exist_ok=True)
        with open(f"/src/{file}", "w", encoding="utf-8") as out:
            out.write(text)
    said = io.StringIO()
    try:
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            translate.main([f"/src/{name}", "/out.cpp", "--source-root", "/src", "--copies", "/src/${COPIES}"])
    except SystemExit as end:
        if end.code:
            return json.dumps({"said": said.getvalue() + ("" if isinstance(end.code, int) else str(end.code))})
    copies = {}
    for folder, _, names in os.walk("/src/${COPIES}"):
        for file in names:
            with open(f"{folder}/{file}", encoding="utf-8") as copy:
                copies[os.path.relpath(f"{folder}/{file}", "/src")] = copy.read()
    with open("/out.cpp", encoding="utf-8") as out:
        return json.dumps({"text": out.read(), "copies": copies, "said": ""})

call
`);
    return async (name, text, others = {}) =>
        JSON.parse(call(name, JSON.stringify({ ...others, [name]: text })));
}
