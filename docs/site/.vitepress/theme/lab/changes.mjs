// What a reader does to programs: typing, an edit of a ready-made one, other files; nothing is lost without asking.
import { t } from '../language.mjs';
import { ownKey } from './catalogue.mjs';

/** @param show(key) shows a program */
export function useChanges({ program, work, show, confirm = (question) => window.confirm(question) }) {
    const { entry, own, isOwn, isChapter, isEdited, text, file, chosen } = program;

    const open = (content, name) => show(ownKey(work.add(name, content)));

    return {
        open,
        edit(now) {
            if (now === text.value) return;
            if (isEdited.value) work.keep('edits', entry.value.name, now);
            else if (isOwn.value) work.keep('programs', own.value, now);
        },
        editThis() {
            if (isChapter.value) {
                work.keep('edits', entry.value.name, text.value);
                return show(chosen.value);
            }
            const name = file.value === 'main.cu' ? `${entry.value.name.split('/').at(-1)}.cu` : file.value;
            return open(text.value, name);
        },
        restore() {
            if (!confirm(t`Discard your edit of this chapter?`)) return;
            work.keep('edits', entry.value.name, undefined);
            show(chosen.value);
        },
        remove() {
            if (!confirm(t`Discard ${own.value}?`)) return;
            work.keep('programs', own.value, undefined);
            show(ownKey(Object.keys(work.programs.value)[0]));
        },
        /** Files of exercises that were opened: none of them has been judged yet. */
        importExercises(found) {
            for (const [id, content] of Object.entries(found))
                work.keepExercise(id, { ...work.exercises.value[id], text: content, isSolved: false });
        },
    };
}
