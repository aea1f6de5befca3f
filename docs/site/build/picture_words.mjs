// A picture of the repository with Chinese words: the same drawing, its words from words/pictures.mjs.
import { KEPT, PICTURE_WORDS } from '../words/pictures.mjs';
import { simplified } from './chinese.mjs';

/** A number that is not part of a name, as in "2^20 items" or "block 3", but not one as in "H200" or "L1". */
const NUMBER = /(?<!\w)\d(?:[\d.,]*\d)?/g;
const TEXT = /(<text [^>]*>)([^<]*)(<\/text>)/g;
/** After the fonts for Latin letters, before the last one. */
const FONTS = {
    'zh-Hant': "'Noto Sans TC','PingFang TC','Microsoft JhengHei'",
    'zh-Hans': "'Noto Sans SC','PingFang SC','Microsoft YaHei'",
};

const plain = (text) => text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** The entry of words/pictures.mjs for a line of a picture: '#' in place of each number. */
export const entryOf = (text) => plain(text).replace(NUMBER, '#');

/** The lines of a picture that contain words: a single letter is the name of something. */
export const wordsIn = (svg) =>
    [...svg.matchAll(TEXT)].map(([, , text]) => entryOf(text)).filter((entry) => /[A-Za-z]{2}/.test(entry));

/** A line in Traditional Chinese; a line without an entry stays English. */
function translated(text) {
    const found = PICTURE_WORDS[entryOf(text)];
    if (found === undefined || KEPT.includes(entryOf(text))) return text;
    const numbers = text.match(NUMBER) ?? [];
    return escaped(found.replace(/#/g, () => numbers.shift()));
}

/** `title`: the page's description of the picture, in Traditional Chinese. */
export function withWords(language, svg, title) {
    const said = svg
        .replace(TEXT, (_, open, text, close) => open + translated(text) + close)
        .replace(/<title>.*?<\/title>\n<desc>.*?<\/desc>/s, () => `<title>${escaped(title)}</title>`)
        .replace('<svg ', `<svg lang="${language}" `);
    const script = language === 'zh-Hans' ? simplified(said) : said;
    return script.replace(/,(sans-serif|monospace)\}/g, `,${FONTS[language]},$1}`);
}
