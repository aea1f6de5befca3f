// The stairs as HTML that works without scripts: on the front page all flights in one picture, on the map a
// row for each step.
import { duration, round } from '../.vitepress/theme/charts/quantities.mjs';
import { SCALE, placeOf } from './stairs.mjs';
import { power } from './strip_html.mjs';
import { escaped } from './strip_picture.mjs';
import { typeset } from './typography.mjs';

const place = (us) => Number(placeOf(us).toFixed(4));

/** How much of the axis a factor of ten takes. */
const DECADE = Number((1 / Math.log10(SCALE.high / SCALE.low)).toFixed(4));

/** "0.5 ms" is never broken across lines. */
const time = (us) => duration(us).replace(' ', '&nbsp;');

function removed({ beside, removed: text }) {
    return beside ? `removes ${typeset(escaped(text))}` : 'where the chapter starts.';
}

/** A step compared with the one in its section, which is named if it is not the previous one. */
function against({ stage, us, beside }, steps) {
    const at = steps.findIndex((each) => each.stage === beside);
    const before = steps[at]?.us;
    if (!us || !before) return '';
    const name = steps[at + 1].stage === stage ? '' : ` <span>(${beside})</span>`;
    const ratio = before / us;
    if (ratio >= 1.005) return `÷ ${round(ratio)}${name}`;
    return ratio <= 0.995 ? `× ${round(1 / ratio)}${name}` : `=${name}`;
}

function kindOf({ us }, { library }) {
    if (us === null) return ' is-untimed';
    return us <= library.us ? ' is-fast' : '';
}

/** Circles of exercises: theme/home/SolvedMarks.vue fills in those that are solved. */
const mark = ({ id }) => `<i class="mark" data-exercise="${id}"></i>`;

/** Times with a line on the axis, the highest first. */
function decades() {
    const found = [];
    for (let us = SCALE.high / 10; us >= SCALE.low; us /= 10) found.push(us);
    return found;
}

function axis() {
    const labels = decades().map((us) => `<span style="--at: ${place(us)}">${time(us)}</span>`);
    return `<div class="flight-axis" aria-hidden="true">${labels.join('')}</div>`;
}

/** The total gain of a flight, in words. */
function sums({ steps, library, n }) {
    const [first, last] = [steps[0].us, steps.at(-1).us];
    return `<span><b>${time(first)} → ${time(last)}</b> <b>÷&nbsp;${round(first / last)}</b></span> <span>library: ${time(library.us)} (<code>${library.name}</code>), n&nbsp;=&nbsp;${power(n)}</span>`;
}

function flightStep(step, found) {
    const { stage, us, address, exercises } = step;
    const told = [us === null ? 'not timed at this n' : time(us), against(step, found.steps)].filter(Boolean);
    const count = exercises.length
        ? ` ${exercises.length === 1 ? 'One exercise' : `${exercises.length} exercises`}.`
        : '';
    const at = us === null ? 1 : place(us);
    const tip = `<span class="step-tip"><span><code>${stage}</code> ${told.join(', ')}</span> <span>${removed(step)}${count}</span></span>`;
    return `<li class="flight-step${kindOf(step, found)}" style="--at: ${at}"><a href="./${address}">${tip}</a><span class="marks">${exercises.map(mark).join('')}</span></li>`;
}

function flightHtml(found, problem) {
    const { folder, number, title, steps, library } = found;
    return `<section class="flight" aria-label="Chapter ${number}: ${title}">
<div class="flight-head"><p><a href="./${folder}/index.html">${number} ${title}</a></p><p>${problem}</p></div>
<div class="flight-plot">${axis()}<ol>${steps.map((step) => flightStep(step, found)).join('')}</ol><div class="flight-library" style="--at: ${place(library.us)}"></div></div>
<p class="flight-sum">${sums(found)}</p>
</section>`;
}

/** All flights in one picture. `problems`: {ch01: 'sort by swapping neighbours'}. */
export function stairsHtml(flights, problems) {
    const count = flights.reduce((sum, { steps }) => sum + steps.length, 0);
    return `<figure class="stairs vp-raw" style="--decade: ${DECADE}">
<a class="past-stairs" href="#past-the-stairs">Past the stairs</a>
<div class="flights">
${flights.map((found) => flightHtml(found, problems[found.id])).join('\n')}
</div>
<figcaption id="past-the-stairs" tabindex="-1">Each of the ${count} steps is a stage: as high as the time that it takes on an ${flights[0].device}, on one logarithmic scale. <b>Grey</b> is slower than the library, whose time is the dashed line; <b class="is-fast">green</b> is at least as fast; hatched steps were not timed at this n. A circle is an exercise, and a full one is solved. <a href="./map.html">All steps, with their code and exercises</a></figcaption>
</figure>`;
}

function codeLines(lines) {
    const tags = { '+': 'ins', '-': 'del', ' ': 'span' };
    return lines
        .map((line) => {
            const tag = tags[line?.sign ?? ' '];
            return `<${tag}>${line ? escaped(`${line.sign}${line.text}`) : ' ⋯'}</${tag}>`;
        })
        .join('');
}

function codeHtml({ beside, stage, code: { file, first, lines, isCut } }) {
    const changed = lines.filter((line) => line && line.sign !== ' ').length;
    const what = beside
        ? `${isCut ? 'First' : 'All'} lines that differ from <code>${beside}</code>`
        : 'Where it starts';
    const source = `<a href="./${file}.html#L${first}">${file.split('/').at(-1)}, line ${first}</a>`;
    return `<details><summary>code${beside ? `<span>: ${changed}${isCut ? '+' : ''} lines</span>` : ''}</summary><p>${what}; ${source}</p><pre v-pre tabindex="0" aria-label="Code of ${stage}"><code>${codeLines(lines)}</code></pre></details>`;
}

/** Links to exercises. */
export function exercisesHtml(exercises) {
    if (!exercises.length) return '';
    const items = exercises.map(
        (each) =>
            `<li><a href="./${each.file}.html">${mark(each)}${each.name} ${escaped(each.title)}</a></li>`,
    );
    return `<ul class="step-exercises">${items.join('')}</ul>`;
}

function row(step, found) {
    const { stage, us, address, exercises } = step;
    const took =
        us === null ? 'not timed at this n' : `${time(us)} <small>${against(step, found.steps)}</small>`;
    return `<li class="stair-step${kindOf(step, found)}" style="--at: ${us === null ? 0 : place(us)}">
<a class="step-name" href="./${address}"><code>${stage}</code></a>
<div class="step-track"><span class="step-bar"></span><span class="step-time">${took}</span></div>
${codeHtml(step)}
<div class="step-text"><p>${removed(step)}</p>${exercisesHtml(exercises)}</div>
</li>`;
}

const counted = (count, word) => `${count} ${word}${count === 1 ? '' : 's'}`;

/** The steps of a chapter, as rows: on a phone they are folded, so that the page is no longer than its
 *  chapters. */
export function stepsHtml(found) {
    const { steps, library } = found;
    const exercises = steps.reduce((sum, step) => sum + step.exercises.length, 0);
    return `<div class="stair vp-raw" style="--library: ${place(library.us)}">
<p class="stair-sum">${sums(found)}</p>
<details class="stair-steps"><summary>${counted(steps.length, 'step')}, ${counted(exercises, 'exercise')}</summary>
<ol>
${steps.map((step) => row(step, found)).join('\n')}
</ol>
</details>
</div>`;
}
