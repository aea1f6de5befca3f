// A colour for each of any number of stages: no two alike, in order around the circle of hues. Neighbours
// also differ in lightness. The theme sets how light they are.

/** The stages of the story, and the libraries; all stages if there is no story, or if none of its stages is
 *  among them. */
function inColour(stages, story) {
    if (!stages.some(({ stage }) => story.includes(stage))) return stages;
    return stages.filter(({ stage, kind }) => kind === 'library' || story.includes(stage));
}

/**
 * Stage -> colour, for the stages drawn in colour. `stages`: [{stage, kind}]; each row that is not a stage
 * has a shade of grey. `story`: names of the stages that tell the chapter's story.
 */
export function stageColours(stages, story = []) {
    const shown = inColour(stages, story);
    const own = shown.filter(({ kind }) => kind === 'stage');
    const colours = new Map();
    shown
        .filter(({ kind }) => kind !== 'stage')
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
