// A number that a reader has predicted, next to the one that was counted.
import { t } from '../language.mjs';
import { tables, whole } from '../lab/counts.mjs';

const short = (value) => Number(value.toFixed(2)).toLocaleString('en');

/** A sentence on what a line's requests took; '' if there was nothing to predict, or nothing was counted. */
export function judged(counts, { predict, unit, file, guess }) {
    if (!counts || !predict) return '';
    const rows = tables(counts)
        .flatMap((kernel) => kernel.rows)
        .filter((row) => row.file === file && row.line === predict && row.unit === unit);
    const requests = rows.reduce((sum, row) => sum + row.requests, 0);
    if (!requests) return '';
    const took = rows.reduce((sum, row) => sum + row.took, 0);
    const each = took / requests;
    const counted = t`Line ${predict} takes ${whole(took, unit.slice(0, -1))} in ${whole(requests, 'request')}: ${short(each)} each.`;
    const said = Number(guess.trim().replace(',', '.'));
    if (guess.trim() === '' || Number.isNaN(said)) return counted;
    const isRight = Math.abs(said - each) <= 0.05 * each;
    return `${counted} ${isRight ? t`You said ${short(said)}: right.` : t`You said ${short(said)}.`}`;
}
