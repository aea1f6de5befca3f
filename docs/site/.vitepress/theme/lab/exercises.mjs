// The exercises: how they are chosen, and a reader's files to and from the repository's folders, as an archive.
import { t } from '../language.mjs';
import { textOf } from './opened.mjs';

const RECORD = 512; // bytes, of a tar archive

/** An exercise, or its entry in the index, with its texts in a language of the book. */
export const inLanguage = (exercise, language) => ({ ...exercise, ...exercise.said?.[language] });

/** The groups to choose from: the warm-ups, then those of each chapter. Solved ones are marked. */
export function exerciseGroups(index, work) {
    const found = new Map();
    for (const { id, title } of index) {
        const chapter = id.split('/')[0];
        if (!found.has(chapter)) found.set(chapter, []);
        const mark = work[id]?.isSolved ? '✓ ' : '';
        found.get(chapter).push({ key: `exercise/${id}`, id, title: `${mark}${id.split('/')[1]} ${title}` });
    }
    return [...found].map(([chapter, items]) => ({
        id: `exercises/${chapter}`,
        title: chapter === 'first' ? t`Warm-ups` : t`Exercises ${Number(chapter.slice(2))}`,
        items,
    }));
}

/** A learner's file in the repository. */
export const placeOf = ({ folder, name }) => `${folder}/exercises/${name}.cu`;

/** An archive (tar) of all files that were begun; unpacked in the repository, they are in their folders. */
export function archiveOf(index, work) {
    const files = index.filter(({ id }) => work[id]?.text !== undefined);
    const parts = files.flatMap((exercise) => {
        const content = new TextEncoder().encode(work[exercise.id].text);
        return [
            header(placeOf(exercise), content.length),
            content,
            new Uint8Array(-content.length & (RECORD - 1)),
        ];
    });
    return new Blob([...parts, new Uint8Array(2 * RECORD)], { type: 'application/x-tar' });
}

function header(name, size) {
    const record = new Uint8Array(RECORD);
    const put = (at, text) => record.set(new TextEncoder().encode(text), at);
    const octal = (number, digits) => number.toString(8).padStart(digits, '0');
    put(0, name);
    put(100, '0000644\0' + '0000000\0'.repeat(2) + octal(size, 11) + '\0');
    put(136, octal(Math.floor(Date.now() / 1000), 11) + '\0' + ' '.repeat(8) + '0');
    put(257, 'ustar\0' + '00');
    put(
        148,
        octal(
            record.reduce((sum, byte) => sum + byte, 0),
            6,
        ) + '\0 ',
    );
    return record;
}

/** The texts of files that a reader has chosen, archives or single ones: {ID: text}. If files are not
 *  exercises, or archives are incomplete, an error names them and nothing is taken. */
export async function filesFrom(chosen, index) {
    const found = {};
    for (const file of chosen) {
        const bytes = new Uint8Array(await file.arrayBuffer());
        const isArchive = word(bytes, 257, 5) === 'ustar';
        for (const [name, content] of isArchive ? unpacked(bytes, file.name) : [[file.name, bytes]]) {
            const isPlace = index.some((each) => name.endsWith(placeOf(each)));
            if (isArchive && !isPlace && !/\.cu$/.test(name)) continue;
            const text = textOf(name, content);
            const exercise = exerciseOf(name, text, index);
            if (exercise) found[exercise.id] = text;
            else if (!isArchive) throw new Error(t`${name} is not the file of an exercise`);
        }
    }
    return found;
}

const asked = (text) => /^\/\/.*\bCheck: \.\/tutorial check (\S+)/m.exec(text)?.[1];

/** Identified by its path; without a folder, by the line at its top that says how it is checked. */
function exerciseOf(name, text, index) {
    const found = index.find(
        (each) =>
            name.endsWith(placeOf(each)) || (asked(text) === each.id && name.endsWith(`${each.name}.cu`)),
    );
    if (found && (asked(text) ?? found.id) !== found.id)
        throw new Error(t`${name} is the file of ${asked(text)}, not of ${found.id}`);
    return found;
}

const word = (bytes, from, length) =>
    new TextDecoder().decode(bytes.subarray(from, from + length)).replace(/\0.*$/s, '');

/** Its checksums, its sizes and its end are checked. */
function* unpacked(bytes, archive) {
    const damaged = new Error(t`${archive} is incomplete: nothing in it was opened`);
    let at = 0;
    for (; at + RECORD <= bytes.length && bytes[at] !== 0;) {
        const record = bytes.subarray(at, at + RECORD);
        const sum = record.reduce((all, byte, i) => all + (i >= 148 && i < 156 ? 32 : byte), 0);
        const size = parseInt(word(record, 124, 12), 8);
        if (parseInt(word(record, 148, 8), 8) !== sum || !(size >= 0) || at + RECORD + size > bytes.length)
            throw damaged;
        const prefix = word(record, 345, 155);
        const name = word(record, 0, 100);
        const isFile = record[156] === 0x30 || record[156] === 0;
        if (isFile)
            yield [prefix ? `${prefix}/${name}` : name, bytes.subarray(at + RECORD, at + RECORD + size)];
        at += RECORD * (1 + Math.ceil(size / RECORD));
    }
    if (at + RECORD > bytes.length) throw damaged;
}

/** The comment at a file's top, as lines: its title, then its task. */
const commentOf = (text) => (/^(?:\/\/.*\n)+/.exec(text)?.[0] ?? '').split('\n').slice(0, -1);

/** The lines of a file that its task takes, below its title, to be folded; or none. */
export function taskLines(text) {
    const last = commentOf(text).length;
    return last > 2 ? [{ first: 2, last, isWhole: true }] : [];
}

/** The task of a file, from the comment at its top: what to do, what is given, what is required, without what is for
 * a terminal. */
export function taskOf(text) {
    const lines = commentOf(text)
        .slice(1) // its title
        .map((line) => line.replace(/^\/\/ ?/, ''))
        .filter((line) => !/^\s*(?:Read:|Check:|Stuck\?)|\.\/tutorial check/.test(line));
    return lines
        .join('\n')
        .split(/\n(?=\s*\n|Given: |Required: )/)
        .map((each) => each.trim().replace(/\s*\n\s*/g, ' '))
        .filter(Boolean);
}

const PART = /(^(?:Task|Given|Required|題目|题目|已知|要求)[:：]|^```\w*\n[^]*?\n```$|`[^`\n]+`)/m;

/** [{tag, text}] of a paragraph of a task or of a hint: its first word, code, and the text between them. */
export const partsOf = (paragraph) =>
    paragraph
        .split(PART)
        .filter(Boolean)
        .map((text, at) => {
            if (text.startsWith('```')) return { tag: 'pre', text: text.replace(/^.*\n|\n```$/g, '') };
            if (text.startsWith('`')) return { tag: 'code', text: text.slice(1, -1) };
            return { tag: at === 0 && /[:：]$/.test(text) ? 'b' : 'span', text };
        });
