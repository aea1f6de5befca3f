// What the book says outside its texts, in the language of the page. Code contains the English: t`Step ${n}`
// is "Step 3", or "第 3 步", as words/interface.mjs translates 'Step {0}'.

const tables = new Map();
let language = { value: '' };

/** A page keeps the language in a ref of Vue, so that what is shown follows it; the build needs no Vue. */
export const keepIn = (ref) => (language = ref);

/** Adds a language: {English: its words}, with {0}, {1} for the values, and '# word' for a number of them. */
export const teach = (id, table) => tables.set(id, table);

/** Switches to this language; to English if it is unknown. */
export const speak = (id) => (language.value = tables.has(id) ? id : '');

const known = (key) => tables.get(language.value)?.[key];

/** The address, below the site's, of a page that exists in each language. */
export const localPage = (name) => `/${language.value ? `${language.value}/` : ''}${name}`;

/** English that say() translates when it is shown. */
export const en = ([text]) => text;

/** A text that is kept in English, in the language of the page. */
export const say = (text) => known(text) ?? text;

export function t(strings, ...values) {
    const said = known(strings.reduce((key, part, i) => `${key}{${i - 1}}${part}`));
    if (said === undefined) return strings.reduce((text, part, i) => text + values[i - 1] + part);
    return spaced(said.replace(/\{(\d)\}/g, (_, i) => values[i]));
}

/** With a blank between Chinese and Latin letters, as in the texts. */
const spaced = (text) =>
    text
        .replace(/(?<=\p{Script=Han})(?=[A-Za-z0-9])/gu, ' ')
        .replace(/(?<=[A-Za-z0-9])(?=\p{Script=Han})/gu, ' ');

/** "1 sector", "1,024 sectors". */
export function counted(number, one, many = `${one}s`) {
    const shown = number.toLocaleString('en');
    return known(`# ${one}`)?.replace('#', shown) ?? `${shown} ${number === 1 ? one : many}`;
}
