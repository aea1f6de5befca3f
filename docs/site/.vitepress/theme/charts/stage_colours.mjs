// A colour for each of any number of stages: no two alike, in order around the circle of hues. Neighbours
// also differ in lightness. The theme sets how light they are.

/** Stage -> colour. `stages`: [{stage, isLibrary}]; libraries have a grey each. */
export function stageColours(stages) {
    const own = stages.filter(({ isLibrary }) => !isLibrary);
    const colours = new Map();
    stages
        .filter(({ isLibrary }) => isLibrary)
        .forEach(({ stage }, i, { length }) => {
            const part = length > 1 ? i / (length - 1) : 0;
            colours.set(
                stage,
                `color-mix(in srgb, var(--library-dark), var(--library-light) ${100 * part}%)`,
            );
        });
    own.forEach(({ stage }, i) => {
        const hue = Math.round((360 * i) / own.length + 20) % 360;
        colours.set(stage, `oklch(var(--stage-${i % 2 ? 'light' : 'dark'}) 0.15 ${hue})`);
    });
    return colours;
}
