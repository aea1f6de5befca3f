// Shiki writes two colours with each token of code. A class is a third as long, and a page of a source has
// thousands of tokens. Its colours are in the theme's style.css, and the player uses the same classes.

const CLASSES = {
    '#A0111F/#FF9492': 'c-word',
    '#023B95/#91CBFF': 'c-number',
    '#622CBC/#DBB7FF': 'c-call',
    '#702C00/#FFB757': 'c-variable',
    '#66707B/#BDC4CC': 'c-comment',
    '#032563/#ADDCFF': 'c-string',
};

/** The same code. Plain text needs no colour of its own; what has no class keeps its style. */
export function withClasses(html) {
    return html
        .replaceAll(/<span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6">([^<]*)<\/span>/g, '$1')
        .replaceAll(/ style="--shiki-light:(#\w+);--shiki-dark:(#\w+)"/g, (all, light, dark) => {
            const name = CLASSES[`${light}/${dark}`];
            return name ? ` class="${name}"` : all;
        });
}
