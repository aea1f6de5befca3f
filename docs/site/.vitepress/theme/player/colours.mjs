// A warp's colour. Eight that are told apart by everybody, used again in turn.
export const COLOURS = 8;

export function warpColour(warp) {
    return `var(--warp-${warp % COLOURS})`;
}
