// How the book sets what a text file writes plainly: 2^20 as a power, us as µs, a number next to its unit.

const UNIT = /(\d) (?=(?:[nmµ]?s|[kMGTKE]i?B?(?:\/s)?|GHz|MHz)(?![\w-])|%)/g;
const MICROSECONDS = /(?<=\d )us(?![\w-]|\.\w)/g;
const POWER = /(?<=[\w)])\^(-?\w+|\([^()]*\))/;
/** The background of the book's pages in the dark (VitePress). */
const DARK_PAGE = '#1b1b1f';
const RAISED = { '-': '⁻', n: 'ⁿ' };

/** With the units as a book writes them. */
export function withUnits(text) {
    return text.replace(MICROSECONDS, 'µs').replace(UNIT, '$1\u00a0');
}

/** A text in parts, alternately on the line and raised: ['2', '20', ' keys']. */
export function powers(text) {
    return text.split(POWER).map((part, i) => (i % 2 ? part.replace('-', '−') : part));
}

/** All of this, for text that is valid as HTML. */
export function typeset(text) {
    return powers(withUnits(text))
        .map((part, i) => (i % 2 ? `<sup>${part}</sup>` : part))
        .join('');
}

/** The same where there are no elements, as in a picture; text without a superscript character stays as it
 *  is. */
export function withRaised(text) {
    return text.replace(new RegExp(POWER, 'g'), (power, exponent) => {
        const raised = [...exponent].map((each) => RAISED[each] ?? '⁰¹²³⁴⁵⁶⁷⁸⁹'[Number(each)] ?? '');
        return raised.every(Boolean) ? raised.join('') : power;
    });
}

/** A picture of the repository as the book shows it. */
export function pictureOfBook(svg) {
    return svg
        .replaceAll('#0d1117', DARK_PAGE)
        .replace(/>([^<]+)</g, (_, text) => `>${withRaised(text.replace(MICROSECONDS, 'µs'))}<`);
}
