// The parts of Observable Plot that the charts use: the whole library is a third of a megabyte.
export { areaY, dot, gridY, line, plot, pointer, ruleY, tip } from '@observablehq/plot';
