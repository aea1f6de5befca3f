// The words of the interface as modules of the site, virtual:words/zh-Hant and /zh-Hans, and for the build itself.
import { INTERFACE_WORDS } from '../words/interface.mjs';
import { speak, teach } from '../.vitepress/theme/language.mjs';
import { LANGUAGES, inLanguage } from './chinese.mjs';

const NAME = 'virtual:words/';

/** {English: words} of a language. */
export const wordsOf = (id) =>
    Object.fromEntries(
        Object.entries(INTERFACE_WORDS).map(([english, words]) => [english, inLanguage(id, words)]),
    );

/** For Vite. */
export const interfaceWords = () => ({
    name: 'interface-words',
    resolveId: (id) => (id.startsWith(NAME) ? `\0${id}` : undefined),
    load: (id) =>
        id.startsWith(`\0${NAME}`)
            ? `export default ${JSON.stringify(wordsOf(id.slice(NAME.length + 1)))}`
            : undefined,
});

for (const { id } of LANGUAGES) teach(id, wordsOf(id));

/** From here on, what the build writes into pages is in this language; '' is English. */
export const buildIn = speak;
