// The worker that runs programs: compiled ones, and the ready-made stages. Stop ends it at once.
import { compileTrace } from '../build/compile_trace.mjs';
import { execute } from './execute.mjs';
import { filesOf } from './files.mjs';
import { judge, traceOf } from './grading.mjs';
import { answer } from './messages.mjs';
import { executeStage, loadReady } from './ready.mjs';
import { speaker } from './speaker.mjs';

const BASE = new URL('./', import.meta.url).href;
const NOTHING = 'Nothing was accessed: no kernel ran, or it ended before its first access.';
/** How often a running program reports to the page. */
const ALIVE_MS = 1000;
const programs = new Map();

function readyMade(name, list) {
    if (!programs.has(name)) {
        const { load } = filesOf(BASE, list, () => {});
        const coming = loadReady(name, { load });
        coming.catch(() => programs.delete(name));
        programs.set(name, coming);
    }
    return programs.get(name);
}

/** The player's recording of a trace, or why there is none. */
function recordingOf(trace, sources, folder) {
    const sourceOf = (name) => {
        const file = [name, `${folder}/${name}`].find((each) => each in sources);
        return file && { file, text: sources[file] };
    };
    try {
        const recording = compileTrace(trace, sourceOf);
        return recording.steps.length ? { recording } : { noRecording: NOTHING };
    } catch (error) {
        return { noRecording: error.message };
    }
}

answer({
    /** An attempt at an exercise: what the judge says, or with `play` its recording. */
    async judge({ made, play }, tell) {
        if (!play) {
            const { flush, write } = speaker((text) => tell('output', { text }));
            const verdict = await judge(made, { stdout: write, stderr: write });
            flush();
            return verdict;
        }
        const trace = await traceOf(made.program);
        return trace ? recordingOf(trace, made.program.sources, '') : { noRecording: 'no kernel was run' };
    },
    async run(asked, tell) {
        // Only while files arrive and the browser compiles them: while the program runs, no timer fires.
        const beat = setInterval(() => tell('alive'), ALIVE_MS);
        try {
            return await run(asked, tell);
        } finally {
            clearInterval(beat);
        }
    },
});

async function run({ program, ready, folder, list, options }, tell) {
    const made = program ?? (await readyMade(ready, list));
    const { flush, write } = speaker((text) => tell('output', { text }));
    let told = 0;
    const streams = {
        stdout: write,
        stderr: write,
        looked() {
            flush();
            if (performance.now() - told < ALIVE_MS) return;
            told = performance.now();
            tell('alive');
        },
    };
    const { order, seed } = options;
    const result = options.stage
        ? await executeStage(made, { ...options, ...streams })
        : await execute(made, {
              ...options,
              ...streams,
              order: order === 'shuffle' ? `shuffle:${seed}` : order,
          });
    flush();
    const { trace, ...rest } = result;
    return trace ? { ...rest, ...recordingOf(trace, made.sources, folder) } : rest;
}
