// The front page: what this is, two kernels at work, the six problems. What each chapter reached is what
// README.md says, where `./tutorial docs` has put it from the measured results.
import fs from 'node:fs';
import path from 'node:path';
import { CHAPTERS, ROOT } from './places.mjs';
import { barsHtml } from './strip_html.mjs';
import { stripOf } from './strips.mjs';

/** The picture of each chapter's idea, and what it shows. */
const PICTURES = {
    ch01: ['half_steps', 'Eight keys are sorted by swapping neighbours'],
    ch02: ['tree', 'Three ways to add up eight numbers as a tree'],
    ch03: ['shuffle', 'Eight lanes add up their registers by shuffles'],
    ch04: ['adding', 'One thread adds seven numbers; or a tree does'],
    ch05: ['half_cleaner', 'A bitonic sequence becomes two halves'],
    ch06: ['sample_threshold', 'Keys below a threshold can be discarded unseen'],
};

/** {ch01: {problem, reached}}: the rows of README.md's table of chapters. */
export function chapterRows(readme) {
    const rows = {};
    for (const line of readme.split('\n')) {
        const [, id, problem, reached] =
            /^\| \[(ch\d\d)_\w+\]\([^)]*\) \| (.*?) \| (.*) \|$/.exec(line) ?? [];
        if (id) rows[id] = { problem, reached: reached.replace(/<!--.*?-->/g, '') };
    }
    return rows;
}

function card({ folder, id, number, title }, { problem, reached }) {
    const [picture, alt] = PICTURES[id];
    const inHtml = reached.replace(/`([^`]*)`/g, '<code>$1</code>');
    return `<div class="card">

[![${alt}](./${folder}/figures/${picture}.svg)](./${folder}/index.md)

### ${number} · [${title}](./${folder}/index.md) {#${id}}

${problem[0].toUpperCase()}${problem.slice(1)}.

<p class="reached">${inHtml[0].toUpperCase()}${inHtml.slice(1)}.</p>

</div>`;
}

/** What the two kernels that the page shows at work cost and took. */
const PAIR = { beside: 'sequential', measure: 'wavefronts', steps: false };

export function homePage(tryIt) {
    const rows = chapterRows(fs.readFileSync(path.join(ROOT, 'README.md'), 'utf8'));
    const cards = CHAPTERS.map((chapter) => card(chapter, rows[chapter.id]));
    return `---
title: Bubbles to Bandwidth
titleTemplate: CUDA C++ from naive to the speed of the memory
pageClass: home-page
sidebar: false
aside: false
editLink: false
prev: false
next: false
---

# Bubbles to Bandwidth

<p class="lead">A CUDA C++ tutorial: six problems, from a naive kernel to full memory bandwidth, one idea at a
time; on your GPU or, without one, in an emulator that shows in counts what each idea buys.</p>

<div class="home-buttons">
<a href="${tryIt}">Try a kernel now</a>
<a href="#on-your-machine">Start on your machine: two commands</a>
</div>

<LivePair />

${barsHtml(stripOf('ch03', 'coalesced', PAIR))}

## Six problems

<div class="cards">

${cards.join('\n\n')}

</div>

What each chapter reached was measured: [all results](./docs/results/index.md), for each GPU.

## On your machine

\`\`\`text
./tutorial run ch01      # chapter 1: times on a GPU, counts without one
./tutorial test          # all tests
\`\`\`

Both set up and build what they need, and no GPU is necessary. [How to start](./docs/start.md) says where the
folder comes from and what your system needs; [the overview](./overview.md) shows what they print.

## Who it is for

- **Students**: read [how a GPU works](./docs/gpu.md), then [the first kernel](./docs/first_kernel.md), and
  solve [exercises that check themselves](./docs/first_kernel/exercises/index.md).
- **Teachers**: [plans for an hour, half a day and six weeks](./docs/teaching.md), and a whole class graded by
  one command.
- **Engineers**: how the fastest versions of [a sum](./ch03_reduce_optimized/fastest.md), [a
  sort](./ch05_merge_bitonic/fastest.md) and [a top-k](./ch06_topk/fastest.md) work, and [how they were
  measured](./docs/measuring.md).
`;
}
