// The page's side of the lab's two workers: one compiles, the other runs. Stop ends only the latter, so that
// the compiler need not be loaded again.
import { t } from '../language.mjs';
import { bytesOf, filesOf } from '../../../page_lab/files.mjs';
import { Colleague, OutOfMemory } from '../../../page_lab/messages.mjs';

/** A run ends by itself at its time limit, and reports from time to time that it is alive; the page ends it
 *  if it has not reported for this many milliseconds. */
const GRACE_MS = 3000;
/** The compiler needs less for any program; a chapter takes half a minute on a slow machine. */
const COMPILE_LIMIT_MS = 180_000;
/** Once the last file has arrived, the browser translates the compiler: half a minute on a slow machine. */
const SILENCE_LIMIT_MS = 90_000;
/** A grader runs an attempt dozens of times. */
const JUDGE_LIMIT_MS = 60_000;

/** As Chromium, Firefox and Safari word it. */
const NO_NETWORK = /failed to fetch|networkerror|load failed|dynamically imported module/i;

export class Stopped extends Error {}
class Stalled extends Error {}

/** What ended an action, as a sentence. */
export function sentenceOf(error) {
    if (error instanceof Stopped) return t`Stopped.`;
    if (error instanceof OutOfMemory)
        return t`This browser has too little memory for that. The ready-made stages need much less.`;
    if (NO_NETWORK.test(error.message))
        return t`This needs something that is not in this browser, and there is no network to load it from.`;
    return t`${error.message[0].toUpperCase()}${error.message.slice(1)}.`.replace(/([.。])\1/, '$1');
}

export class Engine {
    /** `base`: the address of page_lab/. */
    constructor(base, silenceLimit = SILENCE_LIMIT_MS) {
        this.base = base;
        this.silenceLimit = silenceLimit;
        this.compiler = new Colleague(`${base}compile_worker.mjs`);
        this.runner = new Colleague(`${base}run_worker.mjs`);
        this.loading = null;
        this.begin();
    }

    /** Reset by Stop. */
    begin() {
        this.stopped = new Promise((_, failed) => (this.end = failed));
        this.stopped.catch(() => {});
    }

    /** The result, unless Stop is pressed first: then the work continues, and its result is ignored. */
    heard(coming) {
        return Promise.race([coming, this.stopped]);
    }

    /** Some are packed: files.json says which. */
    async answer(name) {
        const files = filesOf(this.base, this.list ?? {}, () => {}, this.files.isServed);
        const answer = await files.fetch(this.base + name);
        if (!answer.ok) throw new Error(t`${name} could not be loaded (${answer.status})`);
        return answer;
    }

    async json(name) {
        return (await this.answer(name)).json();
    }

    async text(name) {
        return (await this.answer(name)).text();
    }

    /** What `./tutorial docs serve` finds in its repository: {exercises: {ID: text}, programs: {name: text}}. */
    async repository() {
        return (await this.json('repository.json')) ?? {};
    }

    /** What is available: the files with their sizes, the ready-made programs. */
    async open() {
        this.list = await this.json('files.json');
        return this.json('ready/index.json');
    }

    get hasCompiler() {
        return 'chain.mjs' in (this.list ?? {});
    }

    /** What the workers import, except for Python, which comes with the compiler. */
    get scripts() {
        return Object.keys(this.list).filter((name) => /^[^/]*\.mjs$/.test(name));
    }

    /** What a worker is told about the files. */
    get files() {
        return { list: this.list, isServed: Boolean(globalThis.navigator?.serviceWorker?.controller) };
    }

    /** The compiler's size in bytes, as sent over the network. */
    get compilerBytes() {
        return bytesOf(this.list, (name) => !/^(ready|harness|exercises)\/|^llvm_rest/.test(name));
    }

    /** The size of its other part, which only a few programs need. */
    get restBytes() {
        return bytesOf(this.list, (name) => /^llvm_rest/.test(name));
    }

    /** Is the compiler in the browser's cache already? Private windows may forbid the check. */
    async isKept() {
        if (!this.hasCompiler) return false;
        const { version } = this.list['llvm.wasm'];
        try {
            const found = ['.gz', ''].map((end) => caches.match(`${this.base}llvm.wasm${end}?v=${version}`));
            return (await Promise.all(found)).some(Boolean);
        } catch {
            return false;
        }
    }

    /** Loads the compiler, once. told(bytes so far). A browser may lose a request, or the answer to one: if
     *  nothing is heard for a while, it is loaded a second time. */
    load(told) {
        this.loading ??= this.loadOnce(told).catch((error) => {
            if (!(error instanceof Stalled)) throw error;
            return this.loadOnce(told);
        });
        this.loading.catch(() => (this.loading = null));
        return this.loading;
    }

    loadOnce(told) {
        let sum = 0;
        const asked = this.compiler.ask('load', this.files, (kind, { bytes }) => {
            limit.again();
            if (kind === 'loaded') told((sum += bytes));
        });
        const limit = limited(asked, this.silenceLimit, () =>
            this.compiler.end(
                new Stalled(t`nothing more of the compiler arrived for ${this.silenceLimit / 1000} s`),
            ),
        );
        return limit.result;
    }

    /** {program, diagnostics, said} for a source as chain.mjs takes it; step(what is being done). */
    async compile(source, step) {
        return this.compiled('compile', source, step);
    }

    /** An attempt at an exercise, with its grader. */
    async compileAttempt({ id, name, text }, step) {
        return this.compiled('compileAttempt', { id, name, text }, step);
    }

    async compiled(what, source, step) {
        const asked = this.compiler.ask(what, { ...this.files, source }, (kind, news) => {
            if (kind === 'step') step(news.step);
        });
        const limit = limited(asked, COMPILE_LIMIT_MS, () => {
            this.loading = null;
            this.compiler.end(new Error(t`the compiler was stopped after ${COMPILE_LIMIT_MS / 1000} s`));
        });
        return this.heard(limit.result);
    }

    /** Runs a compiled program, or a ready-made one by its name; output(text) as it arrives. */
    async run({ program, ready, folder, options }, output) {
        const asked = this.runner.ask(
            'run',
            { program, ready, folder, list: this.list, options },
            (kind, { text }) => {
                limit.again();
                if (kind === 'output') output(text);
            },
        );
        const limit = limited(asked, 1000 * options.timeLimit + GRACE_MS, () =>
            this.runner.end(
                new Error(t`the program was stopped: it did not respond for ${options.timeLimit} s`),
            ),
        );
        return limit.result;
    }

    /** The judge's verdict on a compiled attempt; with `play` its recording. */
    async judge(made, { play = false, output = () => {} } = {}) {
        const asked = this.runner.ask('judge', { made, play }, (kind, { text }) => output(text));
        return limited(asked, JUDGE_LIMIT_MS, () =>
            this.runner.end(new Error(t`the program was stopped after ${JUDGE_LIMIT_MS / 1000} s`)),
        ).result;
    }

    /** A compilation continues: it takes seconds, as would starting the compiler again. */
    stop() {
        this.runner.end(new Stopped());
        this.end(new Stopped());
        this.begin();
    }

    close() {
        this.runner.end(new Stopped());
        this.compiler.end(new Stopped());
    }
}

/** Calls end() when again() has not been called for that long. */
function limited(asked, ms, end) {
    let timer = setTimeout(end, ms);
    return {
        result: asked.finally(() => clearTimeout(timer)),
        again() {
            clearTimeout(timer);
            timer = setTimeout(end, ms);
        },
    };
}
