// An answer belongs to its question: the program as it was, its settings. It is not shown for another question,
// however late it arrives.
import { computed, shallowRef } from 'vue';

/** @param question a ref of a text that says all that an answer depends on */
export function useAnswer(question) {
    const kept = shallowRef({ of: null, value: null });
    return {
        value: computed(() => (kept.value.of === question.value ? kept.value.value : null)),
        /** There was one, to another question. */
        isOld: computed(() => kept.value.value !== null && kept.value.of !== question.value),
        set(of, value) {
            kept.value = { of, value };
        },
    };
}
