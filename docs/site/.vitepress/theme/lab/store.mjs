// What a reader's browser keeps: each program, each edit of a chapter and each exercise under a key of its
// own, so that two tabs that work on different ones do not touch each other's.
import { attemptFrom, choiceFrom, isText } from './schema.mjs';

const CHOICE = 'page-lab:choice';
const KINDS = { programs: 'page-lab:program:', edits: 'page-lab:edit:', earlier: 'page-lab:earlier:' };
const EXERCISES = 'page-lab:exercise:';

/** The two keys of an earlier version. */
const OLD = { work: 'page-lab', exercises: 'page-lab-exercises' };
/** The name of the reader's first program. */
export const FIRST_NAME = 'main.cu';

function parsed(text) {
    try {
        return JSON.parse(text);
    } catch {
        return 'no JSON';
    }
}

const textFrom = (found) =>
    isText(found) ? { value: found, unfit: [] } : { value: undefined, unfit: ['a text'] };

export class Store {
    /** `storage`: the browser's, or null if there is none. */
    constructor(storage) {
        this.storage = storage;
        this.unfit = [];
        this.takeOver();
    }

    /** The browser's own storage, to which some settings forbid access. */
    static ofBrowser() {
        try {
            return new Store(window.localStorage);
        } catch {
            return new Store(null);
        }
    }

    get(key) {
        try {
            return this.storage?.getItem(key) ?? null;
        } catch {
            return null;
        }
    }

    /** False if the browser keeps nothing: full, or forbidden. */
    set(key, text) {
        try {
            if (text === undefined) this.storage.removeItem(key);
            else this.storage.setItem(key, text);
            return true;
        } catch {
            return false;
        }
    }

    read(key, from) {
        const text = this.get(key);
        if (text === null) return undefined;
        const { value, unfit } = from(parsed(text));
        this.unfit.push(...unfit);
        return value;
    }

    /** {name: value} for all keys with this prefix. */
    all(prefix, from) {
        const found = {};
        for (const key of this.keys()) {
            if (!key.startsWith(prefix)) continue;
            const value = this.read(key, from);
            if (value !== undefined) found[key.slice(prefix.length)] = value;
        }
        return found;
    }

    keys() {
        try {
            return Array.from({ length: this.storage?.length ?? 0 }, (_, i) => this.storage.key(i)).sort();
        } catch {
            return [];
        }
    }

    /** {chosen, settings} */
    choice() {
        return this.read(CHOICE, choiceFrom) ?? { settings: {} };
    }
    keepChoice(choice) {
        return this.set(CHOICE, JSON.stringify(choice));
    }

    /** {name: text} of a kind: programs, edits of chapters, or what a link's edit has replaced. */
    texts(kind) {
        return this.all(KINDS[kind], textFrom);
    }
    keepText(kind, name, text) {
        return this.set(KINDS[kind] + name, text === undefined ? undefined : JSON.stringify(text));
    }

    /** {ID: {text, isSolved, hints}} */
    exercises() {
        return this.all(EXERCISES, attemptFrom);
    }
    keepExercise(id, attempt) {
        return this.set(EXERCISES + id, JSON.stringify(attempt));
    }

    /**
     * Calls changed({kind, name, value}) when another tab has kept something; value is undefined if it was
     * removed. Returns a function that stops this.
     */
    listen(changed, target = window) {
        const hear = ({ key, newValue }) => {
            const kinds = { ...KINDS, exercises: EXERCISES };
            for (const [kind, prefix] of Object.entries(kinds)) {
                if (!key?.startsWith(prefix)) continue;
                const from = kind === 'exercises' ? attemptFrom : textFrom;
                const value = newValue === null ? undefined : from(parsed(newValue)).value;
                changed({ kind, name: key.slice(prefix.length), value });
            }
        };
        target.addEventListener('storage', hear);
        return () => target.removeEventListener('storage', hear);
    }

    /** What an earlier version has kept, under the keys of this one. */
    takeOver() {
        const old = parsed(this.get(OLD.work));
        const exercises = parsed(this.get(OLD.exercises));
        const isKept = [];
        if (old && typeof old === 'object') {
            if (isText(old.text)) isKept.push(this.keepText('programs', FIRST_NAME, old.text));
            for (const [name, text] of Object.entries(old.edits ?? {}))
                if (isText(text)) isKept.push(this.keepText('edits', name, text));
            isKept.push(this.keepChoice(choiceFrom(old).value));
        }
        if (exercises && typeof exercises === 'object') {
            for (const [id, attempt] of Object.entries(exercises))
                isKept.push(this.keepExercise(id, attemptFrom(attempt).value));
        }
        if (!isKept.every(Boolean)) return;
        for (const key of Object.values(OLD)) if (this.get(key) !== null) this.set(key, undefined);
    }
}
