// The parts of the animated pictures.

export const line = (kind, x1, y1, x2, y2) =>
    `<line class="${kind}" x1="${x1}" y1="${y1}" x2="${x2}" y2="${y2}"/>`;
export const rect = (kind, x, y, width, height) =>
    `<rect class="${kind}" x="${x}" y="${y}" width="${width}" height="${height}"/>`;
export const text = (kind, x, y, words) => `<text class="${kind}" x="${x}" y="${y}">${words}</text>`;
export const path = (kind, d) => `<path class="${kind}" d="${d}"/>`;

/** Different keys 0 to count - 1 in an order that looks random but is always the same. */
export function shuffled(count, seed) {
    const keys = Array.from({ length: count }, (_, i) => i);
    let state = seed;
    for (let i = count - 1; i > 0; --i) {
        state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
        const j = Math.floor((state / 2 ** 32) * (i + 1));
        [keys[i], keys[j]] = [keys[j], keys[i]];
    }
    return keys;
}
