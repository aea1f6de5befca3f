// The compiler's state in the browser: its size, how much of it has arrived, whether the browser has it, and
// whether this device has enough memory for it.
import { computed, ref } from 'vue';
import { en, say } from '../language.mjs';
import { OutOfMemory } from '../../../page_lab/messages.mjs';

/** GiB, as browsers round it. */
const SMALL_MEMORY = 2;
const DOUBTED = en`The compiler may need more memory than this device has: choose a ready-made program, or load it anyway.`;

/** @param mark from tab_mark.mjs */
export function useCompiler(engine, mark, memory = globalThis.navigator?.deviceMemory ?? 8) {
    const loaded = ref(0);
    const isReady = ref(false);
    const isKept = ref(false);
    /** Until a reader insists, nothing is loaded. */
    const isDoubted = ref(memory <= SMALL_MEMORY || mark.hasDied);
    const state = computed(() => ({
        bytes: engine.list ? engine.compilerBytes : 0,
        restBytes: engine.list ? engine.restBytes : 0,
        loaded: loaded.value,
        isReady: isReady.value,
        isKept: isKept.value,
        isLoading: loaded.value > 0 && !isReady.value,
        isDoubted: isDoubted.value,
        hasDied: mark.hasDied,
    }));

    async function load() {
        if (isDoubted.value) throw new Error(say(DOUBTED));
        loaded.value = Math.max(1, loaded.value);
        mark.hold();
        try {
            await engine.load((bytes) => (loaded.value = bytes));
            isReady.value = true;
        } catch (error) {
            loaded.value = 0;
            if (error instanceof OutOfMemory) isDoubted.value = true;
            throw error;
        }
    }

    return {
        state,
        load,
        async open() {
            isKept.value = await engine.isKept();
        },
        /** Called if the reader insists: loads it even if memory may not suffice. */
        insist() {
            isDoubted.value = false;
            return load();
        },
    };
}
