// translate.py in the page, by Pyodide: what the build does to a source before a compiler sees it. Also what
// ./tutorial check does first with an attempt at an exercise. Python comes with both loaded: its memory is
// python.image, made by build_python.mjs, since starting it again takes seconds.

/** The folder, below the sources, for included files that were changed. */
export const COPIES = 'translated';

/** The files of the repository that check reads. */
const TUTORIAL = '/tutorial';
let started;

const json = (files, name) => files.load(name).then((bytes) => JSON.parse(new TextDecoder().decode(bytes)));

export function writeFiles(python, folder, texts) {
    for (const [name, text] of Object.entries(texts)) {
        const place = `${folder}/${name}`;
        python.FS.mkdirTree(place.replace(/\/[^/]*$/, ''));
        python.FS.writeFile(place, text);
    }
}

/** Headers, or an exercise's files, where check looks for them. */
export function writeTutorial(python, texts) {
    for (const [name, text] of Object.entries(texts))
        writeFiles(python, TUTORIAL, { [name.replace(/^tutorial\//, '')]: text });
}

/** One Python for both. */
function pythonOf(files, base) {
    started ??= start(files, `${base}pyodide/`);
    started.catch(() => (started = undefined));
    return started;
}

async function start(files, indexURL) {
    const { loadPyodide } = await import(`${indexURL}pyodide.mjs`);
    const python = await loadPyodide({ indexURL, _loadSnapshot: files.load('python.image') });
    delete python._api.config._loadSnapshot; // 30 MB
    return python;
}

/** Returns async (id, name, text) => {source, …} or {reason, text}: common/grading/check/page.py. */
export async function attempter(files, base) {
    const [python, headers] = await Promise.all([pythonOf(files, base), json(files, 'headers.json')]);
    writeTutorial(python, headers);
    const { attempt_json: call } = python.pyimport('grading.check.page');
    return async (id, name, text) => {
        const exercise = await json(files, `exercises/${id}.json`);
        writeTutorial(python, exercise.files);
        return JSON.parse(call(TUTORIAL, id, name, text));
    };
}

/**
 * @returns async (name, text, others) => {text, copies, said}; without text if it was refused.
 *     others: {path: text} of files that the source includes; copies: those that were changed
 */
export async function translator(files, base) {
    const python = await pythonOf(files, base);
    const { translate_json: call } = python.pyimport('in_page');
    return async (name, text, others = {}) =>
        JSON.parse(call(name, JSON.stringify({ ...others, [name]: text }), COPIES));
}
