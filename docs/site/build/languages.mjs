// The languages of the book.

/** The languages of the book besides English; the first is that of the files. */
export const LANGUAGES = [
    { id: 'zh-Hant', name: '繁體中文' },
    { id: 'zh-Hans', name: '简体中文' },
];
