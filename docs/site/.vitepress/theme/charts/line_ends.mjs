// Where the names of lines are placed, so that none covers another.

/** Positions of labels, from their ideal positions: in order, `gap` apart, between `low` and `high`. */
export function spread(wanted, gap, low, high) {
    const order = wanted.map((y, i) => ({ y, i })).sort((a, b) => a.y - b.y);
    let at = low;
    for (const each of order) {
        each.y = Math.max(each.y, at);
        at = each.y + gap;
    }
    at = high;
    for (const each of order.reverse()) {
        each.y = Math.min(each.y, at);
        at = each.y - gap;
    }
    const places = [];
    for (const { y, i } of order) places[i] = y;
    return places;
}
