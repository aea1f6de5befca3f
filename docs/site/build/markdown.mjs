// How a text's Markdown is rendered on the site: links, pictures, code, numbers with units.
import { originalOf, pictureIn, wordIn } from './chinese.mjs';
import { captionHtml, figureAnchor, figureNumber } from './figures.mjs';
import { formula } from './formula.mjs';
import { meaningAt } from './glossary.mjs';
import { rewritten, target } from './links.mjs';
import { BASE, repositoryAddress } from './places.mjs';
import { powers, typeset, withRaised, withUnits } from './typography.mjs';

const repository = repositoryAddress();

/** Links of the texts lead to pages; those to a term show its meaning on hover. */
function linksBetweenPages(md) {
    md.core.ruler.push('links_between_pages', (state) => {
        const { text, language } = state.env.frontmatter ?? {};
        if (!text) return;
        for (const token of state.tokens) {
            for (const child of token.children ?? []) {
                if (child.type === 'image' && language) {
                    child.meta = { picture: pictureIn(language, target(child.attrGet('src'), text).name) };
                    child.attrSet('src', rewritten(child.attrGet('src'), text, repository, language));
                }
                if (child.type !== 'link_open') continue;
                const href = child.attrGet('href');
                if (state.env.frontmatter.source || href.includes('.md#L')) continue;
                const to = rewritten(href, text, repository, language);
                if (to === null) child.tag = 'span';
                else child.attrSet('href', to);
                const meaning =
                    /(?:^|\/)glossary(?:\.zh-Hant)?\.md#/.test(href) &&
                    meaningAt(href.split('#')[1], language);
                if (meaning) child.attrSet('title', meaning);
            }
        }
    });
}

/** What screen readers say about a heading's link to itself, which VitePress says in English. */
function headingLinks(md) {
    const words = 'Permalink to';
    md.core.ruler.push('heading_links', ({ tokens, env }) => {
        const { language } = env.frontmatter ?? {};
        if (!language) return;
        for (const child of tokens.flatMap(({ children }) => children ?? [])) {
            const label = child.attrGet?.('aria-label') ?? '';
            if (label.startsWith(words))
                child.attrSet('aria-label', label.replace(words, wordIn(language, words)));
        }
    });
}

/** A picture in a text links to itself, where it can be enlarged. */
function picturesAsLinks(md) {
    const image = md.renderer.rules.image;
    md.renderer.rules.image = (tokens, index, options, env, self) => {
        const { picture } = tokens[index].meta ?? {};
        const to = picture
            ? { kind: 'picture', name: picture }
            : env.frontmatter?.text && target(tokens[index].attrGet('src'), env.frontmatter.text);
        const html = image(tokens, index, options, env, self);
        const inLink = tokens.slice(0, index).some(({ type }) => type === 'link_open');
        if (to?.kind !== 'picture' || inLink) return html;
        return `<a class="picture" href="${BASE}${to.name}">${html}</a>`;
    };
}

/** A picture in a paragraph of its own is a figure, with a number, an address, and its alternative text as caption. */
function numberedFigures(md) {
    const { escapeHtml } = md.utils;
    md.core.ruler.push('numbered_figures', ({ tokens, env, Token }) => {
        const { text, language } = env.frontmatter ?? {};
        let count = 0;
        tokens.forEach(({ type, children }, at) => {
            const [image, ...others] = (type === 'inline' && children) || [];
            if (!text || image?.type !== 'image' || others.length > 0) return;
            if (!image.meta?.picture && target(image.attrGet('src'), text)?.kind !== 'picture') return;
            const number = figureNumber(originalOf(text), count++);
            if (isChart(image)) return; // what the page shows in its place has the caption
            const figure = tokens[at - 1];
            figure.tag = tokens[at + 1].tag = 'figure';
            figure.attrs = [
                ['id', figureAnchor(number)],
                ['class', 'figure'],
            ];
            const caption = new Token('html_inline', '', 0);
            caption.content = captionHtml(
                number,
                typeset(escapeHtml(image.content)),
                wordIn(language, 'Figure'),
            );
            children.push(caption);
        });
    });
}

const isChart = (image) => /(?:^|\/)figures\/time\.svg$/.test(image.attrGet('src'));

/** Indented code looks like fenced code, and a formula like a formula. */
function indentedCode(md) {
    md.core.ruler.push('indented_code', ({ tokens }) => {
        for (const token of tokens) {
            if (token.type !== 'code_block') continue;
            const html = /\n./.test(token.content) ? null : formula(token.content);
            if (html)
                Object.assign(token, {
                    type: 'html_block',
                    content: `<div class="formula" tabindex="0">${html}</div>\n`,
                });
            else Object.assign(token, { type: 'fence', info: 'text', markup: '```' });
        }
    });
}

/** The longest name that is never broken. */
const SHORT = 16;

/** Where code is broken: a long name after an underscore, in a narrow column or a heading; an option never. */
function breaksInCode(md) {
    const code = md.renderer.rules.code_inline;
    md.renderer.rules.code_inline = (tokens, index, ...rest) => {
        const html = code(tokens, index, ...rest).replace(
            /(?<=[> ])-[\w=+:.-]+(?=[< ])/g,
            '<span class="whole">$&</span>',
        );
        if (tokens[index].content.length <= SHORT) return html;
        return html.replace(/(?<=>[^<]*[A-Za-z\d])_(?=\w)/g, '_<wbr>');
    };
}

/**
 * How long the longest text of each column is, in characters: up to a limit, that is the column's minimum
 * width. Long names break there after an underscore.
 */
function widthsOfColumns(md) {
    const lengthOf = ({ children }) =>
        (children ?? [])
            .filter(({ type }) => /^(?:text|code_inline)$/.test(type))
            .reduce((sum, { content }) => sum + content.length, 0);
    md.core.ruler.push('widths_of_columns', ({ tokens, Token }) => {
        const breakable = (child) =>
            child.content.split(/(?<=[A-Za-z\d]_)(?=\w)/).flatMap((content, i) => {
                const part = Object.assign(new Token('text', '', 0), { content });
                return i
                    ? [Object.assign(new Token('html_inline', '', 0), { content: '<wbr>' }), part]
                    : [part];
            });
        let cells = [];
        let column = 0;
        tokens.forEach((token, at) => {
            if (token.type === 'table_open') cells = [];
            if (token.type === 'tr_open') column = 0;
            if (token.type === 'td_open' && !token.attrGet('style')) {
                const text = tokens[at + 1];
                cells.push({ token, column, length: lengthOf(text) });
                text.children = text.children?.flatMap((child) =>
                    child.type === 'text' && child.content.length > SHORT ? breakable(child) : [child],
                );
            }
            if (/^t[dh]_open$/.test(token.type)) ++column;
            if (token.type !== 'table_close') return;
            for (const cell of cells) {
                const same = cells.filter((each) => each.column === cell.column);
                cell.token.attrSet('style', `--longest:${Math.max(...same.map(({ length }) => length))}`);
            }
        });
    });
}

/** A line of a text that ends between two elements: Vue drops a line break there, but no blank. */
function lineBreaks(md) {
    md.renderer.rules.softbreak = () => ' ';
}

/** An empty cell is the heading of nothing. */
function emptyHeadings(md) {
    md.core.ruler.push('empty_headings', ({ tokens }) => {
        tokens.forEach(({ type }, at) => {
            if (type === 'th_open' && tokens[at + 1].content === '')
                tokens[at].tag = tokens[at + 2].tag = 'td';
        });
    });
}

/** Sources have a number and an address for each line. */
function numberedLines(md) {
    const fence = md.renderer.rules.fence;
    md.renderer.rules.fence = (tokens, index, options, env, self) => {
        const html = fence(tokens, index, options, env, self);
        if (!env.frontmatter?.source) return html;
        let number = 0;
        return html.replaceAll('<span class="line">', () => {
            ++number;
            return `<span class="line" id="L${number}"><a class="line-number" href="#L${number}">${number}</a>`;
        });
    };
}

/** Numbers with units and powers as a book has them; code is left as it is typed. */
function typography(md) {
    md.core.ruler.push('typography', ({ tokens, Token }) => {
        const raised = (nesting) =>
            Object.assign(new Token(`sup_${nesting > 0 ? 'open' : 'close'}`, 'sup', nesting), {
                markup: '^',
            });
        const text = (content) => Object.assign(new Token('text', '', 0), { content });
        tokens.forEach((token, at) => {
            // The table of contents uses a heading's text, without its elements.
            const isHeading = tokens[at - 1]?.type === 'heading_open';
            token.children = token.children?.flatMap((child) => {
                if (child.type !== 'text') return [child];
                const content = withUnits(child.content);
                if (isHeading) return [text(withRaised(content))];
                return powers(content).flatMap((part, i) =>
                    i % 2 ? [raised(1), text(part), raised(-1)] : [text(part)],
                );
            });
        });
    });
}

/** Adds all of this to a markdown-it. */
export function bookMarkdown(md) {
    linksBetweenPages(md);
    headingLinks(md);
    indentedCode(md);
    numberedFigures(md);
    emptyHeadings(md);
    breaksInCode(md);
    widthsOfColumns(md);
    lineBreaks(md);
    picturesAsLinks(md);
    numberedLines(md);
    typography(md);
}
