// Everything that can be chosen: the reader's own programs, the ready-made ones, exercises.
import { computed, shallowRef } from 'vue';
import { groups, ownGroup } from './choices.mjs';
import { exerciseGroups, inLanguage } from './exercises.mjs';
import { FIRST_NAME } from './store.mjs';

export const ownKey = (name) => `own/${name}`;

/** @param engine, work of work.mjs, language of the exercises' titles */
export function useCatalogue(engine, work, language) {
    const index = shallowRef([]);
    const exercises = shallowRef([]);
    const choices = computed(() => [
        ...(engine.hasCompiler && index.value.length ? [ownGroup(Object.keys(work.programs.value))] : []),
        ...groups(index.value),
        ...exerciseGroups(exercises.value, work.exercises.value),
    ]);
    const items = computed(() => choices.value.flatMap((group) => group.items));
    return {
        exercises,
        choices,
        itemOf: (key) => items.value.find((each) => each.key === key),
        /** What the site's build says about a ready-made program: {name, source, stages, folder, …}. */
        entryOf: (item) => index.value.find(({ name }) => name === item?.name),
        /** The first program shown to a reader who comes without a link. */
        firstKey: () => items.value.find((each) => !each.own)?.key ?? ownKey(FIRST_NAME),
        async open() {
            index.value = await engine.open();
            if (!engine.hasCompiler) return;
            const all = await engine.json('exercises/index.json');
            exercises.value = all.map((each) => inLanguage(each, language));
        },
    };
}
