// translate.py in the page, by Pyodide: what the build does to a source before a compiler sees it. Also
// what ./tutorial check does before that, to an attempt at an exercise.

/** Where included files go that hold something to change, below the sources. */
export const COPIES = 'translated';

/** Of the repository, as far as check reads it. */
const TUTORIAL = '/tutorial';
let started;

const json = (files, name) => files.load(name).then((bytes) => JSON.parse(new TextDecoder().decode(bytes)));

function writeFiles(python, folder, texts) {
    for (const [name, text] of Object.entries(texts)) {
        const place = `${folder}/${name}`;
        python.FS.mkdirTree(place.replace(/\/[^/]*$/, ''));
        python.FS.writeFile(place, text);
    }
}

async function start(files, pyodideAddress) {
    const [python, sources] = await Promise.all([
        import(`${pyodideAddress}pyodide.mjs`).then(({ loadPyodide }) =>
            loadPyodide({ indexURL: pyodideAddress }),
        ),
        json(files, 'translator.json'),
    ]);
    writeFiles(python, '/translator', sources);
    return python;
}

/** One Python serves both. */
function pythonOf(files, pyodideAddress) {
    started ??= start(files, pyodideAddress);
    started.catch(() => (started = undefined));
    return started;
}

/** Returns async (id, name, text) => {source, …} or {reason, text}: common/grading/check/page.py. */
export async function attempter(files, pyodideAddress) {
    const [python, grading, headers] = await Promise.all([
        pythonOf(files, pyodideAddress),
        json(files, 'exercises/grading.json'),
        json(files, 'headers.json'),
    ]);
    writeFiles(python, '/translator', grading);
    for (const [name, text] of Object.entries(headers))
        writeFiles(python, TUTORIAL, { [name.replace(/^tutorial\//, '')]: text });
    const call = python.runPython(`
import sys
sys.path.insert(0, "/translator")
from grading.check.page import attempt_json
attempt_json
`);
    return async (id, name, text) => {
        const exercise = await json(files, `exercises/${id}.json`);
        writeFiles(python, TUTORIAL, exercise.files);
        return JSON.parse(call(TUTORIAL, id, name, text));
    };
}

/**
 * @returns async (name, text, others) => {text, copies, said}; without text where it was refused.
 *     others: {path: text} of files that the source includes; copies: those that were changed
 */
export async function translator(files, pyodideAddress) {
    const python = await pythonOf(files, pyodideAddress);
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
