// Formulas of the texts, plain lines like "((1 + u)^d - 1) * (|x1| + |x2|)", as MathML.

const TOKEN = /\s*(<=|>=|…|\.\.\.|[≈=+*/^(),|-]|\d+|[A-Za-z]+\d*)(\s*)/y;
const OPERATORS = { '<=': '≤', '>=': '≥', '...': '⋯', '…': '⋯', '*': '·', '-': '−', x: '×' };
const INDEXED = /^([a-z])(\d+)$|^([xe])(n|d)$/;
/** Words that are names in a formula; other words are text. */
const NAMES = /^(?:fl|ln|max|min)$/;

function tokensOf(line) {
    const found = [];
    TOKEN.lastIndex = 0;
    while (TOKEN.lastIndex < line.length) {
        const [, text, space] = TOKEN.exec(line) ?? [];
        if (text === undefined) return null;
        found.push({ text, space });
    }
    return found;
}

/** The MathML of a line, or null if it is no formula. */
export function formula(line) {
    const tokens = /[=≈]| \/ /.test(line) && !/--/.test(line) ? tokensOf(line.trim()) : null;
    if (!tokens) return null;
    let at = 0;
    const row = (parts) => (parts.length === 1 ? parts[0] : `<mrow>${parts.join('')}</mrow>`);
    /** The bars of an absolute value are not binary operators. */
    const sign = (text) => `<mo stretchy="false"${text === '|' ? ' lspace="0" rspace="0"' : ''}>${text}</mo>`;

    /** Whether a token of this kind follows, and not a sign, which would have a gap of its own. */
    const isNext = (kind) => at < tokens.length && kind.test(tokens[at].text) && tokens[at].text !== 'x';

    function word({ text, space }) {
        const [, ...index] = INDEXED.exec(text) ?? [];
        const [name, below] = index.filter(Boolean);
        if (name)
            return `<msub><mi>${name}</mi>${/\d/.test(below) ? `<mn>${below}</mn>` : `<mi>${below}</mi>`}</msub>`;
        if (/^\d/.test(text))
            return `<mn>${text}</mn>${space && isNext(/^[a-z]/) ? '<mspace width="0.2em"/>' : ''}`;
        const before = tokens[at - 2]; // a space after a parenthesis is lost otherwise
        const gap = before?.space && /[)|]/.test(before.text) ? '&nbsp;' : '';
        if (text.length > 1 && !NAMES.test(text))
            return `<mtext>${gap}${space && isNext(/^[\w|(]/) ? `${text}&nbsp;` : text}</mtext>`;
        return `<mi>${text}</mi>${space && isNext(/^[\w(]/) ? '<mspace width="0.2em"/>' : ''}`;
    }

    /** What is in parentheses; otherwise one number, name or sign. */
    function atom() {
        const token = tokens[at++];
        if (!token) throw new Error(`a formula ends too early: ${line}`);
        if (token.text === '(') {
            const inside = sequence(')');
            if (tokens[at++]?.text !== ')') throw new Error(`a parenthesis is not closed: ${line}`);
            return { inside, html: row([sign('('), ...inside, sign(')')]) };
        }
        if (/^\w/.test(token.text) && token.text !== 'x') return { html: word(token) };
        return { html: sign(OPERATORS[token.text] ?? token.text), isSign: true };
    }

    function sequence(end) {
        let parts = [];
        while (at < tokens.length && tokens[at].text !== end) {
            let { html, inside, isSign } = atom();
            while (!isSign && tokens[at]?.text === '^') {
                ++at;
                const minus = tokens[at]?.text === '-' ? (++at, sign('−')) : '';
                html = `<msup>${html}${row([minus, atom().html].filter(Boolean))}</msup>`;
                inside = undefined;
            }
            if (!isSign && tokens[at]?.text === '/') {
                const isWhole = tokens[at - 1].space !== '';
                ++at;
                const below = atom();
                const above = isWhole ? row([...parts, html]) : row(inside ?? [html]);
                if (isWhole) parts = [];
                html = `<mfrac>${above}${row(below.inside ?? [below.html])}</mfrac>`;
            }
            parts.push(html);
        }
        return parts;
    }

    return `<math display="block">${row(sequence())}</math>`;
}
