// An exercise in the other languages of the book: its section of exercises/README.zh-Hant.md.
import path from 'node:path';
import { LANGUAGES, simplified, translationOf, wordIn } from '../build/chinese.mjs';
import { textOf } from '../build/places.mjs';
import { taskPictures } from './task_pictures.mjs';

const HINT = /<details><summary>.*?<\/summary>\n\n([^]*?)\n\n<\/details>/g;

/** {title, task: its paragraphs, hints} of an exercise in a text with a section for each; null without one. */
export function sectionOfExercise(markdown, name) {
    const [, title, body] =
        new RegExp(`^## <a id="${name}"></a>[^：\n]*：(.*)\n((?:(?!## <a ).*\n?)*)`, 'm').exec(markdown) ??
        [];
    if (!title) return null;
    const task = [...body.matchAll(/^\*\*(題目|已知|要求)\*\*(：.*)$/gm)].map(
        ([, label, words]) => label + words,
    );
    return { title, task, hints: [...body.matchAll(HINT)].map(([, hint]) => hint) };
}

/**
 * What a page says about an exercise in a language, {id: {title, task, hints, pictures, root, note}}. root:
 * where the section that prepares it is in the book; note: a line above the task if it is older than the
 * English one. `stale`: the anchors of such sections, by text.
 */
export function taskInLanguages({ folder, name, read }, stale) {
    const text = translationOf(`${folder}/exercises/README.md`);
    const found = text && sectionOfExercise(textOf(text), name);
    if (!found) return {};
    const prepared = translationOf(path.posix.join(folder, read.split('#')[0]));
    const isOld = (stale[text] ?? []).includes(name);
    const said = { ...found, pictures: taskPictures({ folder, read }, translationOf) };
    return Object.fromEntries(
        LANGUAGES.map(({ id }) => [
            id,
            {
                ...(id === 'zh-Hans' ? JSON.parse(simplified(JSON.stringify(said))) : said),
                root: prepared ? `${id}/` : '',
                note: isOld ? wordIn(id, 'stale task') : '',
            },
        ]),
    );
}
