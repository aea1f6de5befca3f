// A reader's work: programs by name, edits of chapters, exercises. Nothing is replaced without asking;
// what another tab stores is taken over.
import { onScopeDispose, ref } from 'vue';
import { t } from '../language.mjs';
import { FIRST } from './first.mjs';
import { FIRST_NAME } from './store.mjs';

/** "main.cu", "main 2.cu", …: the first that is free. */
export function freeName(name, taken) {
    const [, stem, end] = /^(.*?)(\.\w+)?$/.exec(name);
    for (let i = 1; ; ++i) {
        const found = i === 1 ? name : `${stem} ${i}${end ?? ''}`;
        if (!taken.includes(found)) return found;
    }
}

const replaced = (all, name, value) => {
    const { [name]: _, ...others } = all;
    return value === undefined ? others : { ...others, [name]: value };
};

/** @param store from store.mjs; `lost` is called with a sentence if the browser stores nothing */
export function useWork(store, lost) {
    const kinds = {
        programs: ref({ [FIRST_NAME]: FIRST, ...store.texts('programs') }),
        edits: ref(store.texts('edits')),
        earlier: ref(store.texts('earlier')),
        exercises: ref(store.exercises()),
    };
    const unfit = store.unfit;
    const { programs, edits, earlier, exercises } = kinds;
    const told = (isKept, how) => {
        if (!isKept) lost(t`This browser keeps nothing: ${how}.`);
    };

    function keep(kind, name, text) {
        kinds[kind].value = replaced(kinds[kind].value, name, text);
        told(store.keepText(kind, name, text), t`save the program as a file, or copy its link`);
    }

    return {
        programs,
        edits,
        earlier,
        exercises,
        unfit,
        keep,
        /** The name under which an incoming text is kept: its existing name, if it has one here, else a new
         *  one. */
        add(name, text) {
            const known = Object.entries(programs.value).find(([, each]) => each === text);
            if (known) return known[0];
            const found = freeName(name, Object.keys(programs.value));
            keep('programs', found, text);
            return found;
        },
        /** Another edit of a chapter; the reader's own edit is kept, and can be restored. */
        addEdit(name, text) {
            const mine = edits.value[name];
            if (mine === text) return;
            if (mine !== undefined) keep('earlier', name, mine);
            keep('edits', name, text);
        },
        swapEdit(name) {
            const [now, before] = [edits.value[name], earlier.value[name]];
            keep('edits', name, before);
            keep('earlier', name, now);
        },
        keepExercise(id, attempt) {
            exercises.value = { ...exercises.value, [id]: attempt };
            told(store.keepExercise(id, attempt), t`save the files`);
        },
        /** Takes over what another tab keeps; changed() after each. */
        listen(changed, target) {
            const end = store.listen(({ kind, name, value }) => {
                kinds[kind].value = replaced(kinds[kind].value, name, value);
                changed(kind, name);
            }, target);
            onScopeDispose(end);
        },
    };
}
