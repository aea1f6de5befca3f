// An attempt at an exercise: compiled, judged, played. Each belongs to the text it was made from.
import { computed, ref } from 'vue';
import { en, say, t } from '../language.mjs';
import { useAnswer } from './answer.mjs';
import { sentenceOf } from './engine.mjs';
import { useOutput } from './output.mjs';

/** The steps, as chain.mjs names them. */
const STEPS = {
    translate: en`translating`,
    compile: en`compiling`,
    load: en`loading the grader`,
    link: en`linking`,
    number: en`linking`,
    lines: en`linking`,
    fibers: en`linking`,
};

/**
 * @param engine, load() the compiler
 * @param id, name of the exercise and of its file
 * @param text a ref
 * @param judged called with (text, verdict) for a verdict on the current text
 */
export function useAttempt({ engine, load, id, name, text, judged }) {
    const busy = ref('');
    const step = ref('');
    const made = useAnswer(text);
    const verdict = useAnswer(text);
    const played = useAnswer(text);
    const printed = useAnswer(text);
    const print = useOutput(printed);

    async function compile(of) {
        if (made.value.value) return made.value.value;
        step.value = t`loading the compiler`;
        await engine.heard(load());
        const asked = { id, name: name(), text: of };
        const found = await engine.compileAttempt(asked, (each) => (step.value = say(STEPS[each] ?? each)));
        made.set(of, found);
        return found;
    }

    async function during(what, action) {
        if (busy.value) return;
        busy.value = what;
        const of = text.value;
        if (what === 'check') verdict.set(null, null);
        try {
            const found = await compile(of);
            step.value = t`running`;
            if (of === text.value) await action(of, found);
            else if (what === 'check') verdict.set(null, {}); // not run
        } catch (error) {
            verdict.set(of, { status: 'not_solved', bars: [], text: '', ended: sentenceOf(error) });
        }
        busy.value = step.value = '';
    }

    return {
        busy,
        step,
        made: made.value,
        verdict: verdict.value,
        played: played.value,
        isOld: verdict.isOld,
        output: computed(() => printed.value.value ?? ''),
        check: () =>
            during('check', async (of, found) => {
                const said = await engine.judge(found, { output: print(of) });
                verdict.set(of, said);
                if (of === text.value) judged(of, said);
            }),
        play: () =>
            during('play', async (of, found) => {
                const recording = found.program
                    ? await engine.judge(found, { play: true })
                    : { noRecording: t`it does not compile` };
                played.set(of, recording);
            }),
    };
}
