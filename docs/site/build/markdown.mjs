// What becomes of a text's Markdown on the site: links, pictures, code, numbers with units.
import { meaningAt } from './glossary.mjs';
import { rewritten, target } from './links.mjs';
import { BASE, repositoryAddress } from './places.mjs';

const repository = repositoryAddress();
const UNIT = /(\d) (?=(?:[num]?s|[kMGTKE]i?B?(?:\/s)?|GHz|MHz)(?![\w-])|%)/g;

/** Links of the texts lead to pages; those to a term say on hover what it means. */
function linksBetweenPages(md) {
    md.core.ruler.push('links_between_pages', (state) => {
        const text = state.env.frontmatter?.text;
        if (!text) return;
        for (const token of state.tokens) {
            for (const child of token.children ?? []) {
                if (child.type !== 'link_open') continue;
                const href = child.attrGet('href');
                if (state.env.frontmatter.source || href.includes('.md#L')) continue;
                const to = rewritten(href, text, repository);
                if (to === null) child.tag = 'span';
                else child.attrSet('href', to);
                const meaning = /(?:^|\/)glossary\.md#/.test(href) && meaningAt(href.split('#')[1]);
                if (meaning) child.attrSet('title', meaning);
            }
        }
    });
}

/** A picture of a text leads to itself, where it can be enlarged. */
function picturesAsLinks(md) {
    const image = md.renderer.rules.image;
    md.renderer.rules.image = (tokens, index, options, env, self) => {
        const to = env.frontmatter?.text && target(tokens[index].attrGet('src'), env.frontmatter.text);
        const html = image(tokens, index, options, env, self);
        const inLink = tokens.slice(0, index).some(({ type }) => type === 'link_open');
        if (to?.kind !== 'picture' || inLink) return html;
        return `<a class="picture" href="${BASE}${to.name}">${html}</a>`;
    };
}

/** Indented code looks like fenced code. */
function indentedCode(md) {
    md.core.ruler.push('indented_code', ({ tokens }) => {
        for (const token of tokens) {
            if (token.type === 'code_block')
                Object.assign(token, { type: 'fence', info: 'text', markup: '```' });
        }
    });
}

/** Sources have a number, and an address, for each line. */
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

/** A number and its unit stay on one line. */
function unitsBesideNumbers(md) {
    md.core.ruler.push('units_beside_numbers', ({ tokens }) => {
        for (const { children } of tokens) {
            for (const child of children ?? []) {
                if (child.type === 'text') child.content = child.content.replace(UNIT, '$1\u00a0');
            }
        }
    });
}

/** All of it, for a markdown-it. */
export function bookMarkdown(md) {
    linksBetweenPages(md);
    indentedCode(md);
    picturesAsLinks(md);
    numberedLines(md);
    unitsBesideNumbers(md);
}
