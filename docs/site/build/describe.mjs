// What search engines and shared links say about a page: the beginning of its first paragraph.

const LONGEST = 160;
/** Lines that are not sentences: titles, tables, pictures, comments, HTML, code, quotes, lists. */
const NO_TEXT = /^(?:#|\||!|<|`{3,}|~{3,}|>|[-*] |\d+\. |\[!)/;

/** Markdown as plain text. */
export function plain(markdown) {
    return markdown
        .replace(/<!--.*?-->/gs, '')
        .replace(/<\/?(?:a|b|br|code|details|div|em|i|img|kbd|p|span|strong|sub|summary|sup)\b[^>]*>/g, '')
        .replace(/!\[[^\]]*\]\([^)]*\)/g, '')
        .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
        .replace(/[*`]/g, '')
        .replace(/\s+/g, ' ')
        .trim();
}

/** At most `longest` characters: whole sentences, or else whole words and an ellipsis. */
export function shortened(text, longest = LONGEST) {
    if (text.length <= longest) return text;
    const sentences = text.slice(0, longest).match(/^.*[.!?](?= )/)?.[0] ?? '';
    if (sentences.length >= longest / 3) return sentences;
    return `${text.slice(0, longest - 2).replace(/[\s,;:]+\S*$/, '')} …`;
}

/**
 * The description of a text: the first paragraph that has a sentence, '' if there is none. Its title comes
 * first if other texts begin the same way.
 */
export function description(markdown, withTitle = false) {
    const title = withTitle ? `${plain(/^# (.+)$/m.exec(markdown)[1])}. ` : '';
    let inCode = false;
    let paragraph = [];
    for (const line of [...markdown.split('\n'), '']) {
        if (/^ {0,3}(?:`{3,}|~{3,})/.test(line)) inCode = !inCode;
        if (!inCode && line.trim() !== '' && (paragraph.length > 0 || !NO_TEXT.test(line)))
            paragraph.push(line);
        else if (paragraph.length > 0) {
            const text = plain(paragraph.join('\n'));
            if (/[.:!?。：！？]$/.test(text)) return shortened(title + text.replace(/:$/, '.'));
            paragraph = [];
        }
    }
    return '';
}

/** The description of a text of the repository; exercises and results of all chapters begin alike. */
export function descriptionOf(text, markdown) {
    return description(markdown, /\/(?:exercises\/README|results)\.md$/.test(text));
}
