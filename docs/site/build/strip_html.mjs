// Draws the strip of a stage: HTML that works without scripts, and follows the page's theme.
import { duration, size } from '../.vitepress/theme/charts/quantities.mjs';
import { counted, en, say, t } from '../.vitepress/theme/language.mjs';
import { escaped, picture } from './strip_picture.mjs';
import { COUNTS, verdict } from './strips.mjs';
import { typeset } from './typography.mjs';

const LEGEND = en`Above, the lanes of one warp: filled ones work, pale ones stand by. Below, what they use: 32 words of memory in a row, pale blue what is moved with the same sectors, orange what has to wait for its bank; a bar is a key. On the right, all warps of the block.`;
const NEARLY = en`Here the lanes of a warp run a loop different numbers of times: which of them run together is shown only approximately.`;
const legend = (words) => `<p class="strip-legend">${say(words)}</p>`;

/** A stage and its steps. */
function side({ name, items, playback, steps }, role) {
    const shown = steps.map((at) => {
        const { html, words } = picture(playback, at);
        return `<li>${html}<p>${words}</p></li>`;
    });
    return `<div><p class="strip-name"><code>${name}</code> ${t`${role}, ${counted(items, 'item')}`}${playback.trace.launches.some(({ blocks }) => blocks > 1) ? t`, first block` : ''}</p><ol>${shown.join('')}</ol></div>`;
}

function factor([before, now]) {
    const ratio = before / now;
    if (ratio >= 1.005) return `÷ ${Number(ratio.toPrecision(3)).toLocaleString('en')}`;
    if (ratio <= 0.995) return `× ${Number((1 / ratio).toPrecision(3)).toLocaleString('en')}`;
    return '=';
}

/** Bars of the two stages in one quantity. */
function bars(names, values, title, shown) {
    const most = Math.max(...values);
    const rows = values.map((value, i) => {
        const part = Number((value / most).toPrecision(3));
        const by = i > 0 ? ` <b>${factor(values)}</b>` : '';
        return `<dt><code>${names[i]}</code></dt><dd><div>${shown(value)}${by}</div><span style="--part:${part}"></span></dd>`;
    });
    return `<div><p>${title}</p><dl>${rows.join('')}</dl></div>`;
}

/** 2 to a power as HTML. */
export function power(n) {
    return size(n).replace(/2\^(\d+)/, '2<sup>$1</sup>');
}

/** What both stages cost by the lab's counts, and how long both took. */
function costs({ stage, beside, measure, counted: of, timed }) {
    const names = [beside, stage].filter(Boolean);
    const inRow = timed.hot ? t`, launches in a row` : '';
    const count = t`${say(COUNTS[measure])}, ${power(of.n)} items`;
    const time = t`time on an ${timed.device}, ${power(timed.n)} items${inRow}`;
    const sides = [
        bars(names, of.of, count, (value) => value.toLocaleString('en')),
        bars(names, timed.us, time, duration),
    ];
    return `<div class="strip-bars">${sides.join('')}</div>`;
}

/** The bars alone. */
export function barsHtml(found) {
    return `<figure class="strip vp-raw" aria-label="${t`What ${found.beside} and ${found.stage} cost`}">${costs(found)}</figure>`;
}

/** The view in the player: both stages, in the compared measure if the player has it. */
function state({ chapter, stage, beside, measure }) {
    const isShown = measure === 'sectors' || measure === 'wavefronts';
    const words = { chapter, stage, ...(beside && { beside }), ...(isShown && { measure }) };
    return String(new URLSearchParams(words)).replaceAll('&', '&amp;');
}

/** `player`: the address of the player's page, relative to the page that shows the strip. */
export function stripHtml(found, player, hasLegend = false) {
    const { stage, beside, counted: of, timed, sides, removed, isAlike, isNear, says } = found;
    const steps = sides.map((each, i) => side(each, i === sides.length - 1 ? t`this stage` : t`before`));
    const two = steps.length > 1 ? ' are-two' : '';
    const said = beside ? [verdict(of.of, timed.us, isAlike), escaped(say(says))].filter(Boolean) : [];
    const parts = [
        removed &&
            `<p class="strip-idea"><code>${stage}</code> ${t`removes: ${typeset(escaped(say(removed)))}`}</p>`,
        steps.length > 0 && `<div class="strip-sides${two}">${steps.join('')}</div>`,
        steps.length > 0 && hasLegend && legend(LEGEND),
        isNear && legend(NEARLY),
        costs(found),
        said.length > 0 && `<p class="strip-says">${said.join(t` `)}</p>`,
        `<p class="strip-play"><a href="${player}?${state(found)}">${beside ? t`Both, step by step` : t`All of it, step by step`}</a></p>`,
    ];
    const label = beside ? t`${stage} beside ${beside}` : t`${stage}, where the chapter starts`;
    return `<figure class="strip vp-raw" aria-label="${label}">${parts.filter(Boolean).join('')}</figure>`;
}
