// The compiler's state in the page: how large it is, how much of it has come, whether the browser has it.
import { computed, ref } from 'vue';

/** GiB, as browsers round it. */
const SMALL_MEMORY = 2;

export function useCompiler(engine, memory = globalThis.navigator?.deviceMemory ?? 8) {
    const loaded = ref(0);
    const isReady = ref(false);
    const isKept = ref(false);
    const state = computed(() => ({
        bytes: engine.list ? engine.compilerBytes : 0,
        loaded: loaded.value,
        isReady: isReady.value,
        isKept: isKept.value,
        isLoading: loaded.value > 0 && !isReady.value,
        isSmall: memory <= SMALL_MEMORY,
    }));
    return {
        state,
        async open() {
            isKept.value = await engine.isKept();
        },
        async load() {
            loaded.value = Math.max(1, loaded.value);
            try {
                await engine.load((bytes) => (loaded.value = bytes));
                isReady.value = true;
            } catch (error) {
                loaded.value = 0;
                throw error;
            }
        },
    };
}
