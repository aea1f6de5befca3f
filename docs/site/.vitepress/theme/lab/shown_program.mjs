// The program on display: which one was chosen, its text, what runs it.
import { computed, ref, shallowRef } from 'vue';
import { ownKey } from './catalogue.mjs';
import { sentenceOf } from './engine.mjs';
import { linesOfStage, restOf } from './stage_text.mjs';
import { FIRST_NAME } from './store.mjs';

const FILE = 'main.cu';

/** @param notice a ref of a sentence: why something could not be shown */
export function useShownProgram({ engine, catalogue, work, settings, notice }) {
    const { programs, edits } = work;
    const chosen = ref('');
    /** A ready-made program's text. */
    const source = shallowRef({ name: '', text: '' });

    const item = computed(() => catalogue.itemOf(chosen.value));
    const entry = computed(() => catalogue.entryOf(item.value));
    const own = computed(() => item.value?.own ?? '');
    const isOwn = computed(() => own.value !== '');
    /** A chapter's main.cu needs the rest of its folder and the harness, so an edited one still belongs to
     *  the chapter. */
    const isChapter = computed(() => (entry.value?.stages.length ?? 0) > 0);
    const isEdited = computed(() => isChapter.value && entry.value.name in edits.value);
    const text = computed(() => {
        if (isOwn.value) return programs.value[own.value] ?? '';
        if (isEdited.value) return edits.value[entry.value.name];
        return source.value.text;
    });
    const shownLines = computed(() => (isEdited.value ? linesOfStage(text.value, item.value.stage) : []));

    /** Everything an answer depends on; see run.mjs. */
    const job = computed(() => ({
        text: text.value,
        settings: { ...settings, args: isOwn.value ? settings.args : '' },
        stage: item.value?.stage ?? '',
        source: sourceOf(),
        ready: item.value?.name,
        folder: entry.value?.folder,
    }));

    function sourceOf() {
        if (isOwn.value) return { name: FILE };
        return isEdited.value ? { name: entry.value.source, chapter: entry.value.name } : null;
    }

    let choosing = 0;

    /** Shows another program; the last request wins, whichever arrives first. False if this was not the last. */
    async function choose(key) {
        const mine = ++choosing;
        const found = catalogue.itemOf(key);
        const ready = catalogue.entryOf(found);
        if (ready && source.value.name !== ready.name) {
            try {
                const came = await engine.text(`ready/${ready.source}`);
                if (mine !== choosing) return false;
                source.value = { name: ready.name, text: came };
            } catch (error) {
                if (mine !== choosing) return false;
                notice.value = sentenceOf(error);
                if (chosen.value) return false;
                key = ownKey(FIRST_NAME);
            }
        }
        chosen.value = key;
        const inputs = entry.value?.inputs ?? [];
        if (inputs.length && !inputs.includes(settings.input)) settings.input = inputs[0];
        return true;
    }

    return {
        chosen,
        item,
        entry,
        own,
        isOwn,
        isChapter,
        isEdited,
        /** The id of the exercise on display, if it is one. */
        exercise: computed(() => item.value?.id ?? ''),
        needsCompiler: computed(() => isOwn.value || isEdited.value),
        text,
        original: computed(() => source.value.text),
        shownLines,
        folded: computed(() => restOf(shownLines.value, text.value.split('\n').length)),
        file: computed(() => (isOwn.value ? FILE : (entry.value?.source.split('/').at(-1) ?? FILE))),
        job,
        choose,
    };
}
