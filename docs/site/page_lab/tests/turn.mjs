// Tests that take too long for every run take turns: common/building/turn.py says whose turn it is.
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { ROOT } from '../../build/places.mjs';

const { turn, changed } = JSON.parse(
    execFileSync('python3', [path.join(ROOT, 'common/building/turn.py')], { maxBuffer: 1 << 26 }),
);

/** The files that the branch or the last ten commits have changed, from the root of the repository. */
export const CHANGED = new Set(changed);

/** Today's part of a list, and what is `always` tested. */
export function inTurn(list, parts, always = () => false) {
    if (turn === 'all') return list;
    return list.filter((each, i) => i % parts === Number(turn) % parts || always(each));
}
