// Tests that take too long for every run take turns.

const DAY = 24 * 3600 * 1000;

/** Which turn it is: TUTORIAL_TURN, or the day. 'all' tests everything. */
export function inTurn(list, parts) {
    const wanted = process.env.TUTORIAL_TURN || String(Math.floor(Date.now() / DAY));
    if (wanted === 'all') return list;
    return list.filter((_, i) => i % parts === Number(wanted) % parts);
}
