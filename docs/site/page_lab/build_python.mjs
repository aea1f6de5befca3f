// Makes python.image: the memory of Pyodide once it has loaded translate.py and check, with all of Python's
// library that they use. Kept in build/site/page_lab.
import fs from 'node:fs';
import path from 'node:path';
import { createRequire } from 'node:module';
import { loadPyodide, version } from 'pyodide';
import { ROOT, textOf } from '../build/places.mjs';
import { allExercises } from './build_exercises.mjs';
import { CACHE, sha } from './libraries.mjs';
import { headers } from './node_load.mjs';
import { writeFiles, writeTutorial } from './translator.mjs';

/** The modules of check that the browser lab's Python runs. */
const CHECK = [
    'grading_error.py',
    ...['__init__', 'blank', 'code_text', 'exercise', 'notes'].map((name) => `files/${name}.py`),
    ...['__init__', 'forbidden'].map((name) => `rules/${name}.py`),
    ...['__init__', 'diagnostics', 'page'].map((name) => `check/${name}.py`),
];

/** The sources, by their names as modules: {path: text}. */
function sources() {
    const emulator = 'common/emulator';
    const rewriting = fs
        .readdirSync(path.join(ROOT, emulator, 'rewriting'))
        .filter((name) => /\.py$/.test(name));
    const names = ['translate.py', ...rewriting.map((name) => `rewriting/${name}`)];
    return {
        'in_page.py': textOf('docs/site/page_lab/in_page.py'),
        ...Object.fromEntries(names.map((name) => [name, textOf(`${emulator}/${name}`)])),
        ...Object.fromEntries(CHECK.map((name) => [`grading/${name}`, textOf(`common/grading/${name}`)])),
    };
}

/** Uses everything once, so that each module that Python loads on first use is already there. */
const USE = `
import json, sys
sys.path.insert(0, "/translator")
import in_page
from grading.check import page

for text in ("int main() { k<<<1, 2>>>(); }", "int main() { k<<<1>>>(; }"):
    in_page.translate_json("main.cu", json.dumps({"main.cu": text}), "copies")
for id, name, text in json.loads(attempts):
    page.attempt_json("/tutorial", id, name, text)
`;

/** The bytes of python.image. */
export async function pythonImage() {
    const texts = sources();
    const exercises = allExercises();
    const [place, stamp] = ['python.image', 'python.stamp'].map((name) => path.join(CACHE, name));
    const script = fs.readFileSync(new URL(import.meta.url));
    const wanted = sha(version, script, ...[texts, headers(), exercises].map((each) => JSON.stringify(each)));
    if (!fs.existsSync(stamp) || fs.readFileSync(stamp, 'utf8') !== wanted) {
        fs.writeFileSync(place, await made(texts, exercises));
        fs.writeFileSync(stamp, wanted);
    }
    return fs.readFileSync(place);
}

async function made(texts, exercises) {
    const indexURL = path.dirname(createRequire(import.meta.url).resolve('pyodide'));
    const python = await loadPyodide({ indexURL, _makeSnapshot: true });
    writeFiles(python, '/translator', texts);
    const { id, name, stub, files } = exercises.find(({ id: each }) => each === 'first/ex1');
    writeTutorial(python, { ...headers(), ...files }); // check keeps the names that it finds there
    python.globals.set('attempts', JSON.stringify([[id, `${name}.cu`, stub]]));
    python.runPython(USE);
    return python.makeMemorySnapshot();
}
