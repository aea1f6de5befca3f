// What can be run: ready-made stages, programs of the fault gallery, and settings for all.

import { t } from '../language.mjs';

/** A shuffle uses the seed. */
export const ORDERS = ['forward', 'reverse', 'shuffle'];

/** TUTORIAL_CPU_DEVICE's names (common/emulator/src/device_models.cpp). */
export const DEVICES = {
    h200: 'H200',
    h100: 'H100',
    a100: 'A100',
    l4: 'L4',
    rtx4090: 'RTX 4090',
    rtx3090: 'RTX 3090',
    t4: 'T4',
    v100: 'V100',
};

/** The reader's own programs, by name; the first one first. */
export const ownGroup = (names) => ({
    id: 'own',
    title: t`Your own`,
    items: names.map((name) => ({ key: `own/${name}`, own: name, title: name })),
});

/** Examples that show a mistake, or do nothing. */
const LAST = /^examples\/(deadlock|empty|race)$/;

/** The ready-made programs by chapter: [{id, title, items: [{key, name, stage, title}]}]. */
export function groups(index) {
    const found = new Map();
    for (const { name, chapter, stages = [] } of index) {
        if (!found.has(chapter)) found.set(chapter, []);
        const items = stages.length
            ? stages.map((stage) => ({ key: `${name}/${stage}`, name, stage, title: stage }))
            : [{ key: name, name, stage: '', title: name.split('/').at(-1).replaceAll('_', ' ') }];
        found.get(chapter).push(...items);
    }
    // The first one of a list is what a visitor sees.
    for (const items of found.values()) items.sort((a, b) => LAST.test(a.key) - LAST.test(b.key));
    return [...found].map(([id, items]) => ({ id, title: titleOf(id), items }));
}

function titleOf(chapter) {
    const number = /^ch0(\d)/.exec(chapter)?.[1];
    const others = { first: t`First kernel`, gallery: t`Fault gallery`, examples: t`Examples` };
    return number ? t`Chapter ${number}` : others[chapter];
}
