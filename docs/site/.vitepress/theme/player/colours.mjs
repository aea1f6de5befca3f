// A warp's colour: eight that everybody can tell apart, used in rotation.
export const COLOURS = 8;

export function warpColour(warp) {
    return `var(--warp-${warp % COLOURS})`;
}
