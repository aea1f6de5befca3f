// What came of a run, in a sentence; faults as the lab reports them.
import { whole } from './counts.mjs';

/** A fault's places stand in its text: "… at FILE:LINE". */
const PLACE = /\bat ([\w./-]+):(\d+)/;

/** [{title, text, file, line, isNote}] of a result; a note is no fault, but deserves a look. */
export function faultsOf(result) {
    return (result?.faults ?? []).map(({ text, file, line, is_note: isNote = false }) => {
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

/** {sentence, kind: 'good' | 'bad' | ''} */
export function verdictOf(result, { order }) {
    if (!result) return { sentence: '', kind: '' };
    if (result.ended) return { sentence: result.ended, kind: result.ended === 'Stopped.' ? '' : 'bad' };
    if (!('code' in result)) {
        const errors = result.diagnostics.filter(({ severity }) => severity === 'error').length;
        return { sentence: `It does not compile: ${whole(Math.max(1, errors), 'error')}.`, kind: 'bad' };
    }
    const found = faultsOf(result).filter(({ isNote }) => !isNote).length;
    if (found) return { sentence: `${whole(found, 'fault')} found, threads in ${order} order.`, kind: 'bad' };
    const checked = result.counts?.stages ?? [];
    const skipped = checked.find(({ check }) => check === 'skipped');
    if (skipped) return { sentence: `It was not run: ${skipped.message}.`, kind: '' };
    const wrong = checked.find(({ check }) => check && check !== 'ok');
    const said = wrong ? wrong.message || wrong.check : result.wrong;
    if (said) return { sentence: `Wrong result: ${said}.`, kind: 'bad' };
    if (result.code !== 0) return { sentence: `It ended with code ${result.code}.`, kind: 'bad' };
    if (result.mode === 'faults')
        return { sentence: `No fault found, threads in ${order} order.`, kind: 'good' };
    return {
        sentence: `It ran to its end, in ${Math.round(result.ms)} ms of this browser's time.`,
        kind: 'good',
    };
}
