// What is recorded for the player: stages, inputs, sizes; broken kernels of the fault gallery.
import { pathToFileURL } from 'node:url';

/** Kernels of the fault gallery that can be watched, each with a right one for the same input. */
export const GALLERY = {
    warp_without_syncwarp: 'right_syncwarp',
    last_block_without_fence: 'right_last_block',
};

export function galleryPrograms() {
    return [...new Set(Object.entries(GALLERY).flat())].sort();
}

if (import.meta.url === pathToFileURL(process.argv[1]).href && process.argv[2] === '--gallery') {
    console.log(galleryPrograms().join('\n'));
}
