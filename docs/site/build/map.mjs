// The page with the learning path: the stages of each chapter as steps, with their code and the exercises
// that they prepare. `./tutorial map` prints the sections and exercises, and marks those that are solved.
import { addressOf, exercises, flights } from './stairs.mjs';
import { exercisesHtml, stepsHtml } from './stairs_html.mjs';

const FIRST = 'docs/first_kernel';

function part(found) {
    const { id, number, title, others, pages } = found;
    const links = pages.map(([name, address]) => {
        const short = name.replace(/^Chapter \d+[:,]?\s*/, '');
        return `<a href="./${address}">${short[0].toUpperCase()}${short.slice(1)}</a>`;
    });
    const also = [
        others.length > 0 && `<p>Exercises that are about no single step:</p>${exercisesHtml(others)}`,
        `<p>More: ${links.join(' · ')}</p>`,
    ];
    return `## ${number} ${title} {#${id}}

${stepsHtml(found)}

<div class="stair-more vp-raw">${also.filter(Boolean).join('')}</div>`;
}

/** The page, as Markdown. */
export function mapPage() {
    const found = flights();
    const warmUps = exercisesHtml(exercises(FIRST, 'first'));
    return `---
title: The learning path
description: The stages of all chapters in the order of reading, with their times, their code and the exercises that they prepare.
pageClass: map-page
editLink: false
aside: false
search: false
prev: false
next: false
---

# The learning path

Six chapters, each from a naive kernel to the fastest. A step is a stage, and its bar is the time that it
takes on an ${found[0].device}, on one logarithmic scale for all chapters; the dashed line is the library. Green
steps are at least as fast as it.

${found.map(({ id, number, title }) => `[${number} ${title}](#${id})`).join(' · ')}

<SolvedMarks has-total />

\`./tutorial map\` prints the sections and exercises in a terminal, and marks what you have solved there.

## First steps

[How a GPU works](./${addressOf('docs/gpu.md')}), then [the first kernel](./${addressOf(`${FIRST}.md`)}), with ten
warm-ups:

<div class="stair-more vp-raw">${warmUps}</div>

${found.map(part).join('\n\n')}
`;
}
