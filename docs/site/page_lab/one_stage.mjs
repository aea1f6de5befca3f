// A chapter's main.cu with one stage: compiling all of them for each type of keys takes up to ten times as
// long. What is left out becomes blanks, so that each line keeps its number.

/** A row of the table: {{"NAME", … */
const ROW = /^ *(?=\{\{"(\w+)",)/gm;
/** A launcher that is a template. Others are compiled anyway, and without a caller clang would inline what
 *  they call elsewhere. */
const TEMPLATE = /\w<\w+(?:, \w+)?>/;
/** Code for keys that only an option chooses, which the browser lab does not have. */
const OTHER_KEYS = /(\bif \([^()]*\b(?:type == "\w+"|values)\)\s*\{?\s*)(return [^;]*;)/g;
const REFUSED = 'throw std::runtime_error("the page compiles one type of keys");';

const blank = (text) => text.replace(/[^\n]/g, ' ');

/** Where the braces that open at `from` are closed, after the comma that follows. */
function endOfRow(text, from) {
    const parts = /"(?:\\.|[^"\\\n])*"|\/\/.*|[{}]/g;
    parts.lastIndex = from;
    let depth = 0;
    for (let part; (part = parts.exec(text));) {
        if (part[0] === '{') ++depth;
        if (part[0] === '}' && --depth === 0) return parts.lastIndex + (text[parts.lastIndex] === ',');
    }
    return text.length;
}

/** `text` unchanged if its table has no such stage. */
export function withOneStage(text, stage) {
    let out = '';
    let at = 0;
    let isThere = false;
    for (const { index, 0: indent, 1: name } of text.matchAll(ROW)) {
        const begin = index + indent.length;
        const end = endOfRow(text, begin);
        const row = text.slice(begin, end);
        if (name === stage) isThere = true;
        out += text.slice(at, begin) + (name === stage || !TEMPLATE.test(row) ? row : blank(row));
        at = end;
    }
    return isThere ? out + withOneType(text.slice(at)) : text;
}

/** `text` with the keys that the browser lab's programs have when no option chooses others. */
export const withOneType = (text) =>
    text.replace(
        OTHER_KEYS,
        (_, condition, statement) => condition + REFUSED + '\n'.repeat(statement.split('\n').length - 1),
    );
