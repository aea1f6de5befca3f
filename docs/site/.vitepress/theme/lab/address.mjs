// What is shown, in the address and in the browser's storage: read when the page opens and when the address
// changes, written when something else is shown.
import { watch } from 'vue';
import { t } from '../language.mjs';
import { ownKey } from './catalogue.mjs';
import { sentenceOf } from './engine.mjs';
import { changed, unpacked } from './saved.mjs';
import { SETTINGS, linkFrom, unfitSentence, workFrom } from './schema.mjs';
import { FIRST_NAME } from './store.mjs';

/** Any program of the reader's own, in an address. */
const OWN = 'own';

/** @param kept what the store kept from the last visit; show(key) shows a program, go(mode) runs it */
export function useAddress({ engine, catalogue, program, work, settings, store, kept, notice, show, go }) {
    const { chosen, own, isOwn, needsCompiler, exercise } = program;

    /** What a link says; without a link, the work that was kept, or the first stage. Invalid parts are named. */
    async function follow(hash) {
        const link = linkFrom(hash);
        const unfit = [...link.unfit];
        Object.assign(settings, link.settings);
        let key = link.stage || (kept.chosen ?? '');
        if (link.work) {
            try {
                const found = await keyOfWork(link.work);
                unfit.push(...found.unfit);
                key = found.key;
            } catch (error) {
                notice.value = sentenceOf(error);
            }
        } else if (link.stage && link.stage !== OWN && !catalogue.itemOf(link.stage)) {
            notice.value = t`There is no ${link.stage.slice(0, 60)} here.`;
        }
        if (unfit.length) notice.value = unfitSentence(t`This link`, unfit);
        if (key === OWN) key = ownKey(own.value || FIRST_NAME);
        await show(catalogue.itemOf(key) ? key : catalogue.firstKey());
        // A program that must be compiled runs only when the reader asks for it.
        const isReady = link.stage === chosen.value && !needsCompiler.value && !exercise.value;
        if (link.go && isReady) await go(link.go);
    }

    /** Stores the work of a link next to the reader's own. */
    async function keyOfWork(packed) {
        const { value, unfit } = workFrom(await unpacked(packed));
        const { stage, change } = value;
        const of = catalogue.itemOf(stage);
        const chapter = catalogue.entryOf(of);
        let content = value.text;
        if (change && chapter) content = changed(await engine.text(`ready/${chapter.source}`), change);
        if (content === undefined) throw new Error(t`this link contains no program: ask for it again`);
        Object.assign(settings, value.settings);
        if (!chapter?.stages.length) return { key: ownKey(work.add('from a link.cu', content)), unfit };
        work.addEdit(chapter.name, content);
        return { key: of.key, unfit };
    }

    function remember() {
        const changedSettings = Object.entries(settings).filter(([name, value]) => value !== SETTINGS[name]);
        const words = isOwn.value
            ? ''
            : `#${new URLSearchParams({ stage: chosen.value, ...Object.fromEntries(changedSettings) })}`;
        history.replaceState(history.state, '', location.pathname + location.search + words);
        store.keepChoice({ chosen: chosen.value, settings: { ...settings } });
    }

    watch(settings, () => chosen.value && remember());
    return {
        follow,
        remember,
        async followAgain() {
            notice.value = '';
            try {
                await follow(location.hash);
            } catch (error) {
                notice.value = sentenceOf(error);
            }
        },
    };
}
