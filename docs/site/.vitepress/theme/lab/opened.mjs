// A file that a reader has opened, as a program's text.
import { t } from '../language.mjs';
import { MAX_TEXT } from './schema.mjs';

/** An error names a file that is not a program. */
export function textOf(name, bytes) {
    if (bytes.length > MAX_TEXT) throw new Error(t`${name} is larger than 1 MB`);
    let text;
    try {
        text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    } catch {
        throw new Error(t`${name} is not a text file`);
    }
    if (text.includes('\0')) throw new Error(t`${name} is not a text file`);
    text = text.replace(/\r\n?/g, '\n'); // as in the editor
    if (!text.trim()) throw new Error(t`${name} is empty`);
    return text;
}
