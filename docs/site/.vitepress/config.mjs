import fs from 'node:fs';
import path from 'node:path';
import { bundledLanguages } from 'shiki';
import { defineConfig } from 'vitepress';
import { locales, searchLocales } from '../build/chinese.mjs';
import { cuda } from '../build/cuda_grammar.mjs';
import { interfaceWords } from '../build/interface_words.mjs';
import { remembered } from '../build/remembered.mjs';
import { bookMarkdown } from '../build/markdown.mjs';
import { hasPageLab } from '../build/page_lab.mjs';
import { BASE, CHAPTERS, OUT, PAGES, SITE, WORK, repositoryAddress, siteAddress } from '../build/places.mjs';
import { slug } from '../build/slug.mjs';
import { withClasses } from '../build/token_classes.mjs';
import { sidebar } from '../build/texts.mjs';
import { withoutUnused } from '../build/unused_styles.mjs';

/** Inlined into the page: a relative address would change its meaning when the reader goes to another page. */
const ICON = `data:image/svg+xml,${encodeURIComponent(fs.readFileSync(path.join(SITE, 'public/icon.svg'), 'utf8').trim())}`;
const repository = repositoryAddress();
const address = siteAddress();
const cpp = (await bundledLanguages.cpp()).default;
const DESCRIPTION =
    'A CUDA C++ tutorial: six problems, from a naive kernel to full memory bandwidth, one idea at a time. With and without a GPU.';

/** What the search finds on a page: its text, not its drawings. */
function searched(markdown, env, md) {
    const html = md.render(markdown, env);
    if (env.frontmatter?.search === false) return '';
    return html.replace(/<figure class="strip .*?<\/figure>/gs, '').replace(/<sup>(.*?)<\/sup>/g, '^$1');
}

/** The words of a text for the search; Chinese has no blanks between them. This also runs in the browser. */
function tokenize(text) {
    const words = new Intl.Segmenter('zh', { granularity: 'word' });
    return text
        .split(/[\n\r\p{Z}\p{P}]+/u)
        .flatMap((part) =>
            /\p{Script=Han}/u.test(part) ? [...words.segment(part)].map(({ segment }) => segment) : part,
        );
}

export default defineConfig({
    title: 'Bubbles to Bandwidth',
    description: DESCRIPTION,
    lang: 'en',
    locales: { root: { lang: 'en' }, ...locales() },
    base: BASE,
    srcDir: path.relative(SITE, PAGES),
    outDir: OUT,
    cacheDir: path.join(WORK, 'cache'),
    metaChunk: true,
    lastUpdated: false,
    router: { prefetchLinks: false }, // done by theme/prefetch.mjs
    sitemap: address ? { hostname: address } : undefined,
    markdown: {
        theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
        languages: [...cpp, cuda],
        anchor: { slugify: slug },
        toc: { slugify: slug },
        headers: { slugify: slug },
        config(md) {
            const highlight = remembered(md.options.highlight);
            md.options.highlight = (...words) => withClasses(highlight(...words));
            bookMarkdown(md);
        },
    },
    head: [
        ['meta', { name: 'theme-color', content: '#0b6e4f' }],
        ['meta', { property: 'og:type', content: 'website' }],
        ['meta', { property: 'og:site_name', content: 'Bubbles to Bandwidth' }],
        ['meta', { name: 'twitter:card', content: address ? 'summary_large_image' : 'summary' }],
        ['link', { rel: 'icon', type: 'image/svg+xml', href: ICON }],
    ],
    transformHead({ pageData }) {
        const page = pageData.relativePath.replace(/(^|\/)index\.md$/, '$1').replace(/\.md$/, '.html');
        const head = [
            ['meta', { property: 'og:title', content: pageData.title || 'Bubbles to Bandwidth' }],
            ['meta', { property: 'og:description', content: pageData.description || DESCRIPTION }],
        ];
        if (address) {
            head.push(['meta', { property: 'og:url', content: address + page }]);
            head.push(['meta', { property: 'og:image', content: `${address}card.png` }]);
            head.push(['meta', { property: 'og:image:width', content: '1200' }]);
            head.push(['meta', { property: 'og:image:height', content: '630' }]);
            head.push(['link', { rel: 'canonical', href: address + page }]);
        }
        return head;
    },
    themeConfig: {
        logo: '/icon.svg',
        sidebar: sidebar(),
        outline: { level: [2, 3], label: 'On this page' },
        nav: [
            ...(hasPageLab() ? [{ text: 'Lab', link: '/page_lab/' }] : []),
            { text: 'First kernel', link: '/docs/first_kernel.html' },
            {
                text: 'Chapters',
                items: CHAPTERS.map(({ folder, number, title }) => ({
                    text: `${number}  ${title}`,
                    link: `/${folder}/`,
                })),
            },
            { text: 'Glossary', link: '/docs/glossary.html' },
        ],
        notFound: {
            title: 'THERE IS NO SUCH PAGE',
            quote: 'It may have moved. The search above knows all pages, and so does the front page.',
            linkText: 'To the front page',
            linkLabel: 'to the front page',
        },
        search: {
            provider: 'local',
            options: {
                detailedView: false,
                _render: searched,
                // One wrong letter in a short word; in longer ones, two swapped letters as well.
                miniSearch: { options: { tokenize }, searchOptions: { fuzzy: 0.34, maxFuzzy: 2 } },
                locales: searchLocales(),
            },
        },
        socialLinks: repository ? [{ icon: 'github', link: repository }] : [],
        editLink: repository
            ? {
                  pattern: ({ frontmatter }) => `${repository}/edit/main/${frontmatter.text}`,
                  text: 'Edit this page',
              }
            : undefined,
        docFooter: { prev: 'Before', next: 'Next' },
        externalLinkIcon: true,
    },
    vite: {
        publicDir: path.join(SITE, 'public'),
        build: { chunkSizeWarningLimit: 1500, assetsInlineLimit: 0 },
        css: { postcss: { plugins: [withoutUnused()] } },
        plugins: [interfaceWords()],
    },
});
