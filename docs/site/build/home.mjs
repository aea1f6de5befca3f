// The front page: what this is, the stairs of the six chapters, two kernels at work.
import { textOf } from './places.mjs';
import { flights } from './stairs.mjs';
import { stairsHtml } from './stairs_html.mjs';
import { barsHtml } from './strip_html.mjs';
import { stripOf } from './strips.mjs';

/** {ch01: 'sort by swapping neighbours'}: from README.md's table of chapters. */
function problems() {
    const readme = textOf('README.md');
    const rows = [...readme.matchAll(/^\| \[(ch\d\d)_\w+\]\([^)]*\) \| (.*?) \| .* \|$/gm)];
    return Object.fromEntries(rows.map(([, id, problem]) => [id, problem]));
}

/** The costs of the two kernels on the page, and how long they took. */
const PAIR = { beside: 'sequential', measure: 'wavefronts', steps: false };

export function homePage(tryIt) {
    return `---
title: Bubbles to Bandwidth
titleTemplate: CUDA C++ from naive kernels to full memory bandwidth
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

${stairsHtml(flights(), problems())}

<SolvedMarks />

## One step, as it runs

<LivePair />

${barsHtml(stripOf('ch03', 'coalesced', PAIR))}

Every stage has such a comparison below its heading. [All results](./docs/results/index.md) has the times, for
each GPU.

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
