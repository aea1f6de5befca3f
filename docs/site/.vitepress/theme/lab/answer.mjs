// An answer belongs to its question: the program and the settings as they were. It is not shown for another
// question, however late it arrives.
import { computed, shallowRef } from 'vue';

/** @param question a ref of a text that contains everything an answer depends on */
export function useAnswer(question) {
    const kept = shallowRef({ of: null, value: null });
    return {
        value: computed(() => (kept.value.of === question.value ? kept.value.value : null)),
        /** There was one, for another question. */
        isOld: computed(() => kept.value.value !== null && kept.value.of !== question.value),
        set(of, value) {
            kept.value = { of, value };
        },
    };
}
