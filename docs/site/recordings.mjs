// What is recorded for the player: stages, inputs, sizes; broken kernels of the fault gallery.
import { pathToFileURL } from 'node:url';

/** For chapters that order keys. For ten-digit keys the player shows the ranks. */
const KEYS = [
    ['random', 64],
    ['sorted', 64],
    ['reversed', 64],
    ['random', 61],
    ['random', 16],
];
/** For chapters that compute sums, in which order does not matter; their stages take the same number of steps
 *  for more items. */
const ITEMS = [
    ['random', 64],
    ['random', 61],
    ['random', 16],
    ['random', 1024],
];
/** Small enough to add by hand. */
const DIGITS = ['digits', 64];

/** Chapter 4's items are always digits. */
const INPUTS = {
    ch01: KEYS,
    ch02: [DIGITS, ...ITEMS],
    ch03: [DIGITS, ...ITEMS],
    ch04: ITEMS,
    ch05: KEYS,
    ch06: KEYS,
};

/** Keys of chapters that can sort several types: ints, which the kernels use as they are. */
const TYPES = { ch01: 'int', ch05: 'int' };

/** The inputs of a stage: {name, title, words}, the first is what the player begins with. */
export function inputsOf(chapter, stage) {
    const isLong = ([, n]) => n > 64 && stage === 'one_thread';
    const inputs = INPUTS[chapter].filter((input) => !isLong(input));
    return inputs.map(([kind, n]) => ({
        name: `${kind}-${n}`,
        title: `${n.toLocaleString('en')} ${kind}${n % 2 ? ' (odd)' : ''}`,
        words: ['--n', String(n), '--input', kind, ...(TYPES[chapter] ? ['--type', TYPES[chapter]] : [])],
    }));
}

/**
 * Stages in which the lanes of a warp take different numbers of rounds in a loop. The lab sees every branch,
 * so it knows which of them run together; the player, which sees only accesses, comes close.
 */
export const APPROXIMATE = {
    ch05: [
        'merge_rank',
        'merge_split',
        'merge_path',
        'merge_tiles',
        'merge_windows',
        'sample_sort',
        'kept_buckets',
        'few_ways',
        'ordered_tiles',
        'computed_places',
        'sample_best',
    ],
    ch06: [
        'insert',
        'parallel_output',
        'multi_pass',
        'candidate_set',
        'next_tile',
        'one_read',
        'sample_threshold',
        'digit_passes',
        'radix_select',
        'segment_maxima',
        'segment_lead',
        'best',
    ],
};

/** Kernels of the fault gallery that can be watched, each with a right one for the same input. */
export const GALLERY = {
    reverse_without_barrier: 'right_reverse',
    warp_without_syncwarp: 'right_syncwarp',
    last_block_without_fence: 'right_last_block',
    last_block_without_second_fence: 'right_last_block',
};

export function galleryPrograms() {
    return [...new Set(Object.entries(GALLERY).flat())].sort();
}

if (import.meta.url === pathToFileURL(process.argv[1]).href && process.argv[2] === '--gallery') {
    console.log(galleryPrograms().join('\n'));
}
