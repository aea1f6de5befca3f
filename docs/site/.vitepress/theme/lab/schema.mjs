// What comes from a link or from the browser's storage, checked field by field: it may be truncated, old, or
// made by anybody. Invalid fields get the default, and are named.
import { t } from '../language.mjs';
import { DEVICES, ORDERS } from './choices.mjs';

export const SETTINGS = { n: 64, input: 'random', seed: 1, order: 'forward', device: 'h200', args: '' };
/** Characters of a program; no learner's file comes close to this. */
export const MAX_TEXT = 1 << 20;
const MAX_WORDS = 1000;
const MAX_N = 1 << 20;
const MAX_SEED = 999_999;
const MAX_HINTS = 100;

const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
const isWhole = (value, most) => Number.isInteger(value) && value >= 1 && value <= most;
/** A text that a reader may have written. */
export const isText = (value) =>
    typeof value === 'string' && value.length <= MAX_TEXT && !value.includes('\0');

const FITS = {
    n: (value) => isWhole(value, MAX_N),
    input: (value) => typeof value === 'string' && /^\w{1,40}$/.test(value),
    seed: (value) => isWhole(value, MAX_SEED),
    order: (value) => ORDERS.includes(value),
    device: (value) => typeof value === 'string' && Object.hasOwn(DEVICES, value),
    args: (value) => typeof value === 'string' && value.length <= MAX_WORDS && !value.includes('\0'),
};

/** {value, unfit}: the fields of `found` that fit, and the names of those that do not. */
function fitting(found, fits) {
    const value = {};
    const unfit = [];
    if (!isObject(found))
        return { value, unfit: found === undefined || found === null ? [] : [t`all of it`] };
    for (const [name, isFit] of Object.entries(fits)) {
        if (!Object.hasOwn(found, name) || found[name] === undefined) continue;
        if (isFit(found[name])) value[name] = found[name];
        else unfit.push(name);
    }
    return { value, unfit };
}

export const settingsFrom = (found) => fitting(found, FITS);

/** What a link may start at once. */
const MODES = ['run', 'count', 'faults', 'play'];

/** The words after # of an address: {stage, settings, work (packed), go: a mode or nothing, unfit}. */
export function linkFrom(hash) {
    const words = new URLSearchParams(hash.replace(/^#/, ''));
    const found = {};
    for (const name of Object.keys(SETTINGS)) {
        if (!words.has(name)) continue;
        const word = words.get(name);
        found[name] = typeof SETTINGS[name] === 'number' ? Number(word) : word;
    }
    const { value: settings, unfit } = settingsFrom(found);
    const stage = words.get('stage') ?? '';
    const go = words.get('go') ?? '';
    if (go && !MODES.includes(go)) unfit.push('go');
    return { stage, settings, work: words.get('work') ?? '', go: MODES.includes(go) ? go : '', unfit };
}

/** The work that a link holds: {value: {text or change, stage, settings}, unfit}; without a text there is no work. */
export function workFrom(found) {
    const { value, unfit } = fitting(found, {
        text: isText,
        change: isChange,
        stage: (stage) => typeof stage === 'string' && stage.length < 200,
    });
    const settings = settingsFrom(isObject(found) ? found.settings : undefined);
    return {
        value: { stage: '', ...value, settings: settings.value },
        unfit: [...unfit, ...settings.unfit],
    };
}

/** A difference to another text: that many characters of its beginning and end are kept. */
const isChange = (value) =>
    isObject(value) &&
    isText(value.text) &&
    Number.isInteger(value.of) &&
    [value.first, value.last].every((count) => Number.isInteger(count) && count >= 0 && count <= MAX_TEXT);

/** What was chosen last: {value: {chosen, settings}, unfit}. */
export function choiceFrom(found) {
    const { value, unfit } = fitting(found, { chosen: (key) => typeof key === 'string' && key.length < 200 });
    const settings = settingsFrom(isObject(found) ? found.settings : undefined);
    return { value: { ...value, settings: settings.value }, unfit: [...unfit, ...settings.unfit] };
}

/** Work on one exercise: {value: {text, isSolved, hints}, unfit}. */
export const attemptFrom = (found) =>
    fitting(found, {
        text: isText,
        isSolved: (value) => typeof value === 'boolean',
        hints: (value) => Number.isInteger(value) && value >= 0 && value <= MAX_HINTS,
    });

/** A sentence about what did not fit, or nothing. */
export function unfitSentence(what, unfit) {
    const names = [...new Set(unfit)];
    return names.length ? t`${what} holds something invalid, which was left out: ${names.join(', ')}.` : '';
}
