// Words of the interface for the current page: they arrive before it is shown, and change with it.
import { useData } from 'vitepress';
import { getCurrentInstance, shallowRef, watch } from 'vue';
import { keepIn, speak, teach } from './language.mjs';

/** When the site is built, many pages are rendered at once, each by an app of its own: a component uses its
 *  app's language. */
const properties = () => getCurrentInstance()?.appContext.config.globalProperties ?? {};
const ofTheApp = {
    get value() {
        return properties().$spoken ?? '';
    },
    set value(id) {
        properties().$spoken = id;
    },
};

keepIn(import.meta.env.SSR ? ofTheApp : shallowRef(''));

const TABLES = {
    'zh-Hant': () => import('virtual:words/zh-Hant'),
    'zh-Hans': () => import('virtual:words/zh-Hans'),
};

/** Loads what is said in the language of an address, if it is not English. */
async function learn(address) {
    const [, id] = /\/(zh-Han[ts])(?:\/|$)/.exec(address) ?? [];
    try {
        if (id) teach(id, (await TABLES[id]()).default);
    } catch {
        // Without a network, what is not in the page itself is English.
    }
}

/** For enhanceApp: no page is shown before its words are there. */
export function learnWithPages(router) {
    router.onBeforePageLoad = learn;
}

/** In a component's setup: from now on texts are in the page's language. */
export function speakAsThePage() {
    const { lang } = useData();
    watch(lang, speak, { immediate: true, flush: 'sync' });
}
