// The Chinese pages: README.zh-Hant.md is README.md in Traditional Chinese; Simplified is made from it.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { ConverterFactory, Locale } from 'opencc-js';
import { LANGUAGES } from './languages.mjs';
import { hasPageLab } from './page_lab.mjs';
import { ROOT, textOf } from './places.mjs';
import { linkTo, pageOf, recommended, textsNamed } from './texts.mjs';

const END = '.zh-Hant.md';

export { LANGUAGES };

/** All Chinese texts of the repository, relative to it. */
export const translations = () => textsNamed(/\.zh-Hant\.md$/);

/** The English text of a Chinese one; any other is its own. */
export const originalOf = (text) => (text.endsWith(END) ? `${text.slice(0, -END.length)}.md` : text);

/** The Chinese of an English text, or '' if there is none. */
export function translationOf(text) {
    const found = text.replace(/\.md$/, END);
    return fs.existsSync(path.join(ROOT, found)) ? found : '';
}

/** The page of a text in a language: '' is English. README.md of the repository is a language's front page. */
export function pageIn(language, text) {
    const original = originalOf(text);
    if (!language) return pageOf(original);
    return `${language}/${original === 'README.md' ? 'index.md' : pageOf(original)}`;
}

/** The picture of a page in a language ('' is English): each language has its own version of a drawing, with
 *  its words. */
export const pictureIn = (language, name) =>
    language && name.endsWith('.svg') ? `${language}/${name}` : name;

/** The terms of the glossary: [Traditional, Simplified]. */
export function terms(glossary = textOf('docs/glossary.md')) {
    const table = glossary.slice(glossary.indexOf('| English | 繁體中文 | 简体中文 |'));
    return [...table.matchAll(/^\| ([^|]+) \| ([^|]+) \| ([^|]+) \|$/gm)]
        .slice(1)
        .flatMap(([, , from, to]) => {
            const [a, b] = [from, to].map((cell) =>
                cell
                    .replace(/（.*?）/g, '')
                    .trim()
                    .split('、'),
            );
            return a.length === b.length ? a.map((word, i) => [word, b[i]]) : [];
        });
}

/** Words that a dictionary of all words gets wrong here: [Traditional, Simplified]. */
const OWN = [
    // signs
    ['「', '“'],
    ['」', '”'],
    ['『', '‘'],
    ['』', '’'],
    // kept: a part of them is another word
    ['繁體中文', '繁體中文'],
    ['核心', '核心'],
    ['序列', '序列'],
    ['向量', '向量'],
    ['建立在', '建立在'],
    ['對角線', '对角线'],
    ['載入', '加载'],
    ['在傳輸中的位元組', '在途字节'],
    // rows and columns: 列 is a row in Taiwan and a column in China
    ['一列', '一行'],
    ['兩列', '两行'],
    ['每列', '每行'],
    ['各列', '各行'],
    ['庫列', '库行'],
    ['幾列', '几行'],
    ['整列', '整行'],
    [' 列', ' 行'], // row 3, 70 rows
    [' 列出', ' 列出'],
    ['欄', '列'],
    ['柵欄', '栅栏'],
    // bits
    ['位元組', '字节'],
    ['32 位元組', '32 字节'],
    ['32 位元', '32 位'],
    ['64 位元', '64 位'],
    ['符號位元', '符号位'],
    ['字組', '字'],
    // machine and program
    ['執行', '执行'],
    ['執行階段', '运行时'],
    ['區塊', '线程块'],
    ['時脈', '时钟'],
    ['平行', '并行'],
    ['循序', '串行'],
    ['作用中的', '活跃的'],
    ['程式化的相依啟動', '编程式依赖启动'],
    ['分頁', '页面'],
    ['配置', '分配'],
    ['複製', '复制'],
    ['回應', '响应'],
    ['回報', '报告'],
    ['解參考', '解引用'],
    ['引數', '实参'],
    ['傳回', '返回'],
    ['述詞', '谓词'],
    ['旗標', '标志'],
    ['無號', '无符号'],
    ['唯讀', '只读'],
    ['迴圈本體', '循环体'],
    ['標頭', '头文件'],
    ['註解', '注释'],
    ['中斷點', '断点'],
    ['預設', '默认'],
    ['建置', '构建'],
    ['當掉', '崩溃'],
    ['終端機', '终端'],
    ['結束代碼', '退出码'],
    // numbers and sorting
    ['無條件進位', '向上取整'],
    ['無條件捨去', '向下取整'],
    ['奈秒', '纳秒'],
    ['量測', '测量'],
    ['合併排序', '归并排序'],
    ['項目', '元素'],
    ['清單', '列表'],
    // the rest
    ['儲存庫', '仓库'],
    ['儲存格', '单元格'],
    ['套件', '软件包'],
    ['筆電', '笔记本电脑'],
    ['投影片', '幻灯片'],
    ['教學', '教程'],
    ['暖身', '热身'],
    ['概觀', '概述'],
    ['範例', '示例'],
    ['紀錄', '记录'],
    ['授權', '许可'],
    ['依序', '依次'],
    ['要嘛', '要么'],
    ['不拘', '不限'],
    ['雜訊', '噪声'],
    ['印', '打印'],
    ['輸入鍵', '回车键'],
    ['透過', '通过'],
];

const convert = ConverterFactory(Locale.from.twp, Locale.to.cn);
const KNOWN = new Map([...terms(), ...OWN]);
const ANY_KNOWN = new RegExp(`(${[...KNOWN.keys()].sort((a, b) => b.length - a.length).join('|')})`, 'u');

/** Traditional Chinese as Simplified: by the glossary's terms, and between them by OpenCC's tables (tw2sp). */
export const simplified = (text) =>
    text
        .split(ANY_KNOWN)
        .map((part, at) => (at % 2 ? KNOWN.get(part) : convert(part)))
        .join('');

/** Anchors of the sections that are older than the English ones, by text. */
export function staleSections() {
    const tool = path.join(ROOT, 'docs/tools/translations.py');
    return JSON.parse(execFileSync('python3', [tool, '--json'], { encoding: 'utf8' }));
}

/** The title of a Chinese text in a language. */
function titleIn(language, text) {
    const [, title] = /^# <a [^>]*><\/a>(.*)$/m.exec(textOf(text));
    return inLanguage(language, title.replaceAll('`', ''));
}

export const inLanguage = (language, words) => (language === 'zh-Hans' ? simplified(words) : words);

const linkIn = (language, text) => linkTo(pageIn(language, text));

/** The parts of the path that exist in Chinese, {text, link}, in the order of reading. */
export function pathIn(language) {
    return recommended()
        .map(([, original]) => translationOf(original))
        .filter(Boolean)
        .map((text) => ({ name: text, text: titleIn(language, text), link: linkIn(language, text) }));
}

/** What comes before and after a Chinese text: {prev, next}, {text, link} or false. */
export function neighboursIn(language, text) {
    const all = pathIn(language);
    const at = all.findIndex(({ name }) => name === text);
    const shown = (found) => (at >= 0 && found ? { text: found.text, link: found.link } : false);
    return { prev: shown(all[at - 1]), next: shown(all[at + 1]) };
}

/** The parts of the Chinese book that come from no text. */
export const WORDS = {
    'You will learn': '你會學到',
    Figure: '圖',
    'Permalink to': '這一節的連結：',
    stale: '這一節的英文已經改過，中文還沒有跟上：',
    english: '看英文版',
    'stale task': '這一題的英文已經改過，中文還沒有跟上。英文在檔案最上面的註解裡。',
    'Solve it in the browser lab': '在瀏覽器實驗室裡解這一題',
};

const INTERFACE = {
    outline: { level: [2, 3], label: '本頁內容' },
    docFooter: { prev: '上一頁', next: '下一頁' },
    darkModeSwitchLabel: '外觀',
    lightModeSwitchTitle: '改成亮色',
    darkModeSwitchTitle: '改成暗色',
    sidebarMenuLabel: '目錄',
    returnToTopLabel: '回到頁首',
    skipToContentLabel: '跳到內容',
    notFound: {
        title: '沒有這一頁',
        quote: '它可能搬走了。上面的搜尋知道每一頁，首頁也是。',
        linkText: '回首頁',
        linkLabel: '回首頁',
    },
};
const SEARCH = {
    button: { buttonText: '搜尋', buttonAriaLabel: '搜尋' },
    modal: {
        resetButtonTitle: '清除',
        backButtonTitle: '關閉',
        noResultsText: '找不到',
        footer: {
            selectText: '打開',
            selectKeyAriaLabel: '輸入鍵',
            navigateText: '選擇',
            navigateUpKeyAriaLabel: '上',
            navigateDownKeyAriaLabel: '下',
            closeText: '關閉',
            closeKeyAriaLabel: 'Esc',
        },
    },
};

/** An object of words, translated into a language. */
const allIn = (language, words) => JSON.parse(inLanguage(language, JSON.stringify(words)));

/** The pages of a language that come from no text. */
const toolsIn = (id) => [
    { text: inLanguage(id, '階段播放器'), link: `/${id}/play.html` },
    ...(hasPageLab() ? [{ text: inLanguage(id, '瀏覽器實驗室'), link: `/${id}/page_lab/` }] : []),
];

/** The bar at the top: the lab, the chapters, the glossary. */
function navIn(id) {
    const all = pathIn(id);
    const shown = (pattern, text) =>
        all
            .filter(({ name }) => pattern.test(name))
            .map((each) => ({ text: text ? inLanguage(id, text) : each.text, link: each.link }));
    return [
        ...(hasPageLab() ? [{ text: inLanguage(id, '實驗室'), link: `/${id}/page_lab/` }] : []),
        ...shown(/^docs\/first_kernel\.zh/, '第一個 kernel'),
        { text: inLanguage(id, '各章'), items: shown(/^ch\d\d_\w+\/README/) },
        ...shown(/^docs\/glossary\./, '詞彙表'),
    ];
}

/** VitePress's locales: for each language besides English that has a text. */
export function locales() {
    if (translations().length === 0) return {};
    return Object.fromEntries(
        LANGUAGES.map(({ id }) => [
            id,
            {
                lang: id,
                link: `/${id}/`,
                themeConfig: {
                    ...allIn(id, INTERFACE),
                    nav: navIn(id),
                    sidebar: [
                        { text: inLanguage(id, '學習路線'), items: pathIn(id) },
                        { text: inLanguage(id, '工具'), items: toolsIn(id) },
                        { text: 'English', items: [{ text: inLanguage(id, '所有頁面'), link: '/docs/' }] },
                    ],
                },
            },
        ]),
    );
}

/** What the search says in each language. */
export const searchLocales = () =>
    Object.fromEntries(LANGUAGES.map(({ id }) => [id, { translations: allIn(id, SEARCH) }]));

/** A word of WORDS in a language ('' is English). */
export const wordIn = (language, word) => (language ? inLanguage(language, WORDS[word]) : word);

const HEADING = /^(#{1,6}) <a id="([^"]+)"><\/a>(.*)$/;

/** A Chinese text as lines of a page: its headings with the English anchors, old sections with a note. */
export function asPage(markdown, text, stale) {
    const english = (anchor) =>
        // an exercise has a file in English, and no section
        /^ex\d+_/.test(anchor) ? `./${anchor}.cu` : `./${path.posix.basename(originalOf(text))}#${anchor}`;
    let isCode = false;
    return markdown.split('\n').flatMap((line) => {
        if (/^`{3,}/.test(line)) isCode = !isCode;
        const heading = !isCode && HEADING.exec(line);
        if (!heading) return /^<!-- translates /.test(line) ? [] : [line];
        const [, level, anchor, title] = heading;
        const note = `::: warning ${WORDS.stale}[${WORDS.english}](${english(anchor)})\n:::`;
        return [`${level} ${title.trim()} {#${anchor}}`, ...(stale.includes(anchor) ? ['', note, ''] : [])];
    });
}
