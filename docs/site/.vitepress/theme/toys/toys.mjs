// Small pictures of how a GPU works, each with one or two numbers to drag. The cost of a request is computed
// by the player's rules, which are the lab's.
import { sectors, wavefronts } from '../player/costs.mjs';
import { counted, en, t } from '../language.mjs';
import { ALGORITHMS } from './algorithms.mjs';

const WARP = 32;
const WORD = 4;
const LANES = Array.from({ length: WARP }, (_, lane) => lane);

function rowsOf(words) {
    return Math.floor(Math.max(...words) / WARP) + 1;
}

/** The word that lane i reads, as one would write it: "word 3 + 2 i", "word i", "word 0". */
function wordOfLane(stride, offset = 0) {
    const terms = [];
    if (offset !== 0 || stride === 0) terms.push(String(offset));
    if (stride !== 0) terms.push(stride === 1 ? 'i' : `${stride} i`);
    return t`word ${terms.join(' + ')}`;
}

/**
 * {title, inputs: {name: {title, min, max, start}}, plays, show(values)}: `plays` is the input that moves by
 * itself. show returns {words, lanes, cells, picture}: one or two sentences; rows of lanes {name, states};
 * rows of words of memory, {state, note}; {width, height, parts}, the parts of an SVG.
 */
export const TOYS = {
    ...ALGORITHMS,
    block: {
        title: en`One block, its warps`,
        inputs: { threads: { title: en`threads in the block`, min: 1, max: 1024, start: 200 } },
        show({ threads }) {
            const warps = Math.ceil(threads / WARP);
            const idle = warps * WARP - threads;
            return {
                lanes: Array.from({ length: warps }, (_, warp) => ({
                    name: String(warp),
                    states: LANES.map((lane) => (warp * WARP + lane < threads ? 'works' : 'idles')),
                })),
                words: t`${counted(threads, 'thread')}: ${counted(warps, 'warp')}. ${
                    idle === 0
                        ? t`Every lane has a thread.`
                        : t`${counted(idle, 'lane')} of the last one never work.`
                }`,
            };
        },
    },
    divergence: {
        title: en`An if splits a warp`,
        inputs: { every: { title: en`if (lane % k == 0), k`, min: 1, max: 32, start: 2 } },
        show({ every }) {
            const takes = (lane) => lane % every === 0;
            const inside = LANES.filter(takes).length;
            const sides = [
                { name: 'if', states: LANES.map((lane) => (takes(lane) ? 'works' : 'idles')) },
                { name: 'else', states: LANES.map((lane) => (takes(lane) ? 'idles' : 'works')) },
            ];
            return {
                lanes: inside === WARP ? sides.slice(0, 1) : sides,
                words:
                    inside === WARP
                        ? t`All lanes take the same side: one pass with 32 lanes.`
                        : t`Two passes, one after the other: ${inside} of 32 lanes work in the first, ${WARP - inside} in the second.`,
            };
        },
    },
    banks: {
        title: en`One request of a warp to shared memory`,
        inputs: {
            stride: { title: en`stride in words`, min: 0, max: 33, start: 2 },
        },
        show({ stride }) {
            const words = LANES.map((lane) => lane * stride);
            const cost = wavefronts(
                LANES,
                words.map((word) => word * WORD),
                WORD,
                'load',
            );
            const cells = Array.from({ length: rowsOf(words) * WARP }, (_, word) => {
                const pass = cost.pass.get(word);
                if (pass === undefined) return { state: '', note: '' };
                return {
                    state: pass > 0 ? 'is-load is-conflict' : 'is-load',
                    note: pass > 0 ? pass + 1 : '',
                };
            });
            return {
                cells,
                words: t`Lane i reads ${wordOfLane(stride)}. A column is a bank: ${counted(cost.actual, 'wavefront')}${
                    cost.actual > cost.least ? t`, where ${cost.least} would do` : ''
                }.`,
            };
        },
    },
    sectors: {
        title: en`One request of a warp to global memory`,
        inputs: {
            stride: { title: en`stride in words`, min: 0, max: 32, start: 1 },
            offset: { title: en`offset in words`, min: 0, max: 31, start: 0 },
        },
        show({ stride, offset }) {
            const words = LANES.map((lane) => offset + lane * stride);
            const touched = sectors(
                words.map((word) => word * WORD),
                WORD,
            );
            const used = new Set(words);
            const cells = Array.from({ length: rowsOf(words) * WARP }, (_, word) => ({
                state: `${used.has(word) ? 'is-load' : ''} ${touched.has(Math.floor(word / 8)) ? 'in-sector' : ''}`,
                note: '',
            }));
            const bytes = touched.size * 32;
            const share = Math.round((100 * used.size * WORD) / bytes);
            return {
                cells,
                words: t`Lane i reads ${wordOfLane(stride, offset)}: ${counted(touched.size, 'sector')}, ${counted(bytes, 'byte')} moved, of which ${share} % are used.`,
            };
        },
    },
};
