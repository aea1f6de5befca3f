// Run, Count, Faults, Play: from the program as it is when the button is pressed to the result. All of
// that belongs to that program: if the program has changed since, none of that is shown or run.
import { computed, ref } from 'vue';
import { en, say, t } from '../language.mjs';
import { useAnswer } from './answer.mjs';
import { sentenceOf } from './engine.mjs';
import { useOutput } from './output.mjs';

const TIME_LIMIT_S = 10;
/** The steps, as chain.mjs names them. */
const STEPS = {
    translate: en`translating`,
    compile: en`compiling`,
    link: en`linking`,
    number: en`numbering accesses`,
    lines: en`finding lines`,
    fibers: en`making fibers`,
};
/** The last stages of chapters 5 and 6. */
const COMPILING_A_STAGE = en`compiling, up to a minute`;
/** One build is for running and counting, another for finding faults. */
const BUILD = { run: 'count', count: 'count', faults: 'faults', play: 'faults' };
/** At most two builds of one text. */
const MAX_KEPT = 2;

/**
 * @param engine, load() the compiler
 * @param job a ref: everything an answer depends on: {text, settings, stage, source: null if it is
 *     ready-made, ready, folder}; source: {name, chapter}
 */
export function useRun({ engine, load, job }) {
    const busy = ref(''); // 'run', 'count', 'faults', 'play', or nothing
    const step = ref('');
    const mode = ref('count');
    const question = computed(() => JSON.stringify(job.value));
    const answer = useAnswer(question);
    const printed = useAnswer(question);
    const print = useOutput(printed);
    /** Compiled programs, keyed by what they were made from. */
    const compiled = new Map();

    async function compile({ text, stage, source }, wanted) {
        // A chapter's program has one build, and options of its own.
        const asked = source.chapter ? { ...source, text, stage } : { ...source, text, mode: BUILD[wanted] };
        const key = JSON.stringify(asked);
        if (!compiled.has(key)) {
            step.value = t`loading the compiler`;
            await engine.heard(load());
            const made = await engine.compile(asked, (name) => {
                step.value = say(
                    source.chapter && name === 'compile' ? COMPILING_A_STAGE : (STEPS[name] ?? name),
                );
            });
            for (const other of compiled.keys()) if (compiled.size >= MAX_KEPT) compiled.delete(other);
            compiled.set(key, made);
        }
        return compiled.get(key);
    }

    async function resultOf(asked, wanted, of) {
        const made = asked.source ? await compile(asked, wanted) : {};
        if (asked.source && !made.program) return made;
        if (of !== question.value) return null;
        step.value = t`running`;
        const { stage, settings } = asked;
        const options = {
            ...settings,
            mode: wanted,
            stage,
            args: settings.args.split(/\s+/).filter(Boolean),
            timeLimit: TIME_LIMIT_S,
            hostLimit: TIME_LIMIT_S,
        };
        const work = { program: made.program, ready: asked.ready, folder: asked.folder, options };
        const ran = await engine.run(work, print(of));
        return { ...ran, diagnostics: made.diagnostics ?? [] };
    }

    /** True if the result belongs to the current program. */
    async function go(wanted) {
        if (busy.value) return false;
        const of = question.value;
        busy.value = mode.value = wanted;
        answer.set(null, null);
        printed.set(null, null);
        let result;
        try {
            result = await resultOf(job.value, wanted, of);
        } catch (error) {
            result = { ended: sentenceOf(error) };
        }
        if (result) answer.set(of, { ...result, mode: wanted });
        else answer.set('', {}); // not run
        busy.value = step.value = '';
        return of === question.value;
    }

    return {
        busy,
        step,
        mode,
        result: answer.value,
        output: computed(() => printed.value.value ?? ''),
        isOld: answer.isOld,
        go,
        stop() {
            if (busy.value) engine.stop();
        },
    };
}
