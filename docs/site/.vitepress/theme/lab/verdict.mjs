// The outcome of a run, in a sentence; faults as the lab reports them.
import { t } from '../language.mjs';
import { tables, whole } from './counts.mjs';

/** A fault's places are in its text: "… at FILE:LINE". */
const PLACE = /\bat ([\w./-]+):(\d+)/;

/** [{title, text, file, line, isNote}] of a result; a note is not a fault, but deserves a look. */
export function faultsOf(result) {
    return (result?.faults ?? []).map(({ text: said, file, line, is_note: isNote = false }) => {
        const text = inPage(said);
        const [, place, number] = PLACE.exec(text) ?? [];
        return {
            title: text.trim().split('\n')[0],
            text: text.trim(),
            file: (file || place)?.split('/').at(-1),
            line: Number(line || number) || 0,
            isNote,
        };
    });
}

/** What the emulator's own checks have found in a run that did not look for faults. A program may ask for more
 *  memory than there is. */
export const reportsOf = (result) =>
    ['run', 'count'].includes(result?.mode)
        ? (result.reports ?? []).filter(({ code }) => code !== 'out_of_memory')
        : [];

/** Advice that only a terminal can follow is left out: environment variables, options. */
export const inPage = (text) =>
    text
        .replace(/^TUTORIAL_\w+ .*\n?/gm, '')
        .replace(/; TUTORIAL_\w+ sets [^.\n]*\./g, '.')
        .replace(/ ?TUTORIAL_\w+ sets [^.\n]*\./g, '')
        .replace(/ \(TUTORIAL_\w+=[^)\n]*\)/g, '')
        .replace(/, or (a larger|set) TUTORIAL_\w+,?/g, '')
        .replace(/\S+ times TUTORIAL_\w+, (\S+ s here); 0 is none/g, '$1');

function reportSentence({ mode, counts }, [{ code, text }]) {
    const [first] = text.split('\n');
    if (code !== 'no_progress') return t`${first} Press Faults to see more.`;
    const counted =
        mode === 'count' && counts && tables(counts).length ? t` What was counted by then is shown.` : '';
    return t`${first}${counted} Make n, the grid or the loop smaller. Press Faults to see where it was.`;
}

/** {sentence, kind: 'good' | 'bad' | ''}; good is what something has checked. */
export function verdictOf(result, { order }) {
    if (!result) return { sentence: '', kind: '' };
    if (result.ended) return { sentence: result.ended, kind: result.ended === t`Stopped.` ? '' : 'bad' };
    if (!('code' in result)) {
        const errors = result.diagnostics.filter(({ severity }) => severity === 'error').length;
        return { sentence: t`It does not compile: ${whole(Math.max(1, errors), 'error')}.`, kind: 'bad' };
    }
    const found = faultsOf(result).filter(({ isNote }) => !isNote).length;
    if (found)
        return { sentence: t`${whole(found, 'fault')} found, threads in ${order} order.`, kind: 'bad' };
    const reports = reportsOf(result);
    if (reports.length) return { sentence: reportSentence(result, reports), kind: 'bad' };
    const checked = result.counts?.stages ?? [];
    const skipped = checked.find(({ check }) => check === 'skipped');
    if (skipped) return { sentence: t`It was not run: ${skipped.message}.`, kind: '' };
    const wrong = checked.find(({ check }) => check && check !== 'ok');
    const said = wrong ? wrong.message || wrong.check : result.wrong;
    if (said) return { sentence: t`Wrong result: ${said}.`, kind: 'bad' };
    if (result.code !== 0)
        return { sentence: result.why || t`It ended with code ${result.code}.`, kind: 'bad' };
    if (result.mode === 'faults')
        return { sentence: t`No fault found, threads in ${order} order.`, kind: 'good' };
    const ended = t`It finished, in ${Math.round(result.ms)} ms in this browser.`;
    if (checked.some(({ check }) => check === 'ok')) return { sentence: ended, kind: 'good' };
    return { sentence: t`${ended} Faults looks for mistakes that a run does not show.`, kind: '' };
}
