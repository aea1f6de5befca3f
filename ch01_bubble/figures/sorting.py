"""The pictures of chapter 1: half-steps, alternating segments, keys in lanes, warps that overlap and
their refresh, the halo."""

from svg import Svg

CELL = 46


def half_steps():
    """An odd-even transposition sort of eight keys, half-step by half-step, as it really runs."""
    keys = [6, 3, 8, 4, 7, 2, 5, 1]
    row, left, top = 62, 150, 56
    picture = Svg(
        left + CELL * len(keys) + 170,
        top + row * (len(keys) + 1) - 4,
        "Odd-even transposition sort of eight keys",
        "Nine rows of eight keys. Even half-steps compare the pairs 0 1, 2 3, 4 5, 6 7; odd half-steps "
        "the pairs 1 2, 3 4, 5 6. Pairs that swap are orange. After eight half-steps the keys are sorted.",
    )
    for position in range(len(keys)):
        picture.text(left + CELL * (position + 0.5), top - 24, str(position), "muted", 16, "middle", mono=True)
    picture.text(left - 14, top - 24, "position", "muted", 16, "end")

    def draw_keys(y):
        for position, key in enumerate(keys):
            x = left + CELL * position
            picture.rect(x + 3, y - 15, CELL - 6, 30, "soft", "line", 4, 1)
            smallest = key == 1
            picture.text(
                x + CELL / 2, y + 5, str(key), "blue" if smallest else "ink", 16, "middle", smallest, mono=True
            )

    for step in range(len(keys)):
        y = top + row * step
        draw_keys(y)
        first = step % 2
        middle = y + row / 2
        picture.text(left - 14, middle + 5, "even half-step" if first == 0 else "odd half-step", "muted", 16, "end")
        swaps = 0
        for low in range(first, len(keys) - 1, 2):
            swapped = keys[low] > keys[low + 1]
            swaps += swapped
            colour = "orange" if swapped else "line"
            x1, x2 = left + CELL * (low + 0.5), left + CELL * (low + 1.5)
            if swapped:
                picture.arrow(x1, y + 18, x2, y + row - 18, colour, 2)
                picture.arrow(x2, y + 18, x1, y + row - 18, colour, 2)
                keys[low], keys[low + 1] = keys[low + 1], keys[low]
            else:
                picture.path(f"M {x1} {y + 20} v 9 H {x2} v -9", colour, 2)
        note = f"{swaps} of {len(range(first, len(keys) - 1, 2))} pairs swap"
        picture.text(left + CELL * len(keys) + 14, middle + 5, note, "muted", 16)
    draw_keys(top + row * len(keys))
    picture.text(left + CELL * len(keys) + 14, top + row * len(keys) + 5, "sorted", "green", 16, bold=True)
    return picture.render()


def segments():
    """Rounds of the many-block version: segments from 0, then segments moved by half."""
    blocks, width, row, left, top = 5, 132, 78, 96, 24
    picture = Svg(
        left + blocks * width + 16,
        top + 4 * row + 22,
        "Alternating segments",
        "Four rounds over an array of five segments. In even rounds a block sorts each segment from 0. In "
        "odd rounds the segments are moved by half a segment, so that keys can cross the old borders.",
    )
    for round_number in range(4):
        y = top + row * round_number
        odd = round_number % 2
        picture.text(left - 14, y + 22, f"round {round_number}", "ink", 16, "end", bold=True)
        picture.rect(left, y, blocks * width, 34, "soft", "line", 0, 1)
        for block in range(blocks):
            start = block + (0.5 if odd else 0)
            length = min(1, blocks - start) * width  # the last one of an odd round is cut short
            x = left + width * start
            colour = "purple" if odd else "blue"
            picture.rect(x + 3, y + 3, length - 6, 28, f"{colour}-soft", colour, 4, 1.5)
            name = f"block {block}" if length == width else str(block)
            picture.text(x + length / 2, y + 23, name, colour, 16, "middle")
        if odd:
            picture.text(left + width / 4, y + 22, "rest", "muted", 16, "middle")
        if round_number < 3:
            for border in range(1, blocks):
                x = left + width * border
                if not odd:
                    picture.line(x, y + 36, x, y + row - 2, "muted", 1.5, "4 4")
    y = top + 4 * row
    picture.text(left, y, "A key that must cross a border of one round lies inside a segment of the next.", "muted", 16)
    return picture.render()


def lanes():
    """Keys of neighbouring lanes in registers: which pairs need a shuffle."""
    held, count, left, top = 4, 4, 136, 92
    cell = 36
    gap = 16
    picture = Svg(
        left + count * (held * cell + gap) + 8,
        338,
        "Keys in the registers of four lanes",
        "Each lane holds four neighbouring keys. In an even half-step every pair is inside a lane. In an odd "
        "half-step one pair in two lanes needs a shuffle; the other pairs are still inside a lane.",
    )

    def place(lane, slot):
        return left + lane * (held * cell + gap) + slot * cell

    for lane in range(count):
        picture.text(place(lane, 0) + held * cell / 2, 34, f"lane {lane}", "ink", 16, "middle", bold=True)
    for label, y, odd in (("even half-step", top, False), ("odd half-step", top + 130, True)):
        picture.text(left - 14, y + 5, label, "muted", 16, "end")
        for lane in range(count):
            picture.rect(place(lane, 0) - 5, y - 26, held * cell + 10, 52, "soft", "line", 6, 1)
            for slot in range(held):
                x = place(lane, slot)
                picture.rect(x + 3, y - 17, cell - 6, 34, "panel", "line", 4, 1)
                picture.text(x + cell / 2, y + 5, str(lane * held + slot), "ink", 16, "middle", mono=True)
            for slot in range(1 if odd else 0, held - 1, 2):
                x1, x2 = place(lane, slot) + cell / 2, place(lane, slot + 1) + cell / 2
                picture.path(f"M {x1} {y + 32} v 9 H {x2} v -9", "green", 2)
            if odd and lane + 1 < count:
                x1, x2 = place(lane, held - 1) + cell / 2, place(lane + 1, 0) + cell / 2
                picture.path(f"M {x1} {y - 30} C {x1} {y - 54} {x2} {y - 54} {x2} {y - 30}", "orange", 2)
    y = top + 200
    left = 60
    picture.path(f"M {left} {y - 8} v 9 h 30 v -9", "green", 2)
    picture.text(left + 40, y + 5, "within a thread: a minimum and a maximum, no communication", "ink", 16)
    picture.line(left, y + 26, left + 30, y + 26, "orange", 2)
    picture.text(left + 40, y + 32, "between two lanes: one shuffle each way", "ink", 16)
    return picture.render()


def window():
    """The keys of a block, held by four warps, and what each warp copies at a refresh."""
    warps, own, both, left, cell = 4, 24, 8, 96, 5.8  # in groups of 16 keys
    groups = warps * own + both
    row, top = 74, 96
    picture = Svg(
        left + groups * cell + 24,
        top + warps * row + 90,
        "Four warps cover the keys of a block",
        "A block holds 104 groups of 16 keys. Warp 0 holds groups 0 to 31, warp 1 groups 24 to 55, warp 2 groups "
        "48 to 79, warp 3 groups 72 to 103. Eight groups around each seam are held by two warps. At a refresh each "
        "warp copies its outer four groups at a seam from its neighbour, which has them right.",
    )

    def x(group):
        return left + group * cell

    picture.text(left, 30, "104 groups of 16 keys", "ink", 16, bold=True)
    for group in (0, 24, 32, 48, 56, 72, 80, 104):
        picture.line(x(group), 62, x(group), 70, "muted", 1.5)
    for first, last in ((24, 32), (48, 56), (72, 80)):
        picture.text(x((first + last) / 2), 56, f"{first}–{last - 1}", "muted", 16, "middle", mono=True)
        picture.rect(x(first), 72, (last - first) * cell, top + warps * row - 80, "soft")
    for warp in range(warps):
        y = top + row * warp
        first = warp * own
        picture.text(left - 14, y + 23, f"warp {warp}", "ink", 16, "end", bold=True)
        picture.rect(x(first), y, (own + both) * cell, 34, "blue-soft", "blue", 3, 1.5)
        for at, seam in ((first, warp - 1), (first + own + both // 2, warp)):
            if 0 <= seam < warps - 1:
                picture.rect(x(at), y, both // 2 * cell, 34, "panel", "red", 3, 1.5)
                picture.line(x(at) + 4, y + 5, x(at) + both // 2 * cell - 4, y + 29, "red", 1.5)
                picture.line(x(at) + both // 2 * cell - 4, y + 5, x(at) + 4, y + 29, "red", 1.5)
        if warp + 1 < warps:
            seam = first + own
            picture.arrow(x(seam + both // 4), y + 20, x(seam + both // 4), y + row - 2, "green", 3)
            picture.arrow(x(seam + 3 * both // 4), y + row + 14, x(seam + 3 * both // 4), y + 36, "green", 3)
    y = top + warps * row + 18
    picture.text(left, y, "grey: groups that two warps hold", "muted", 16)
    picture.text(left, y + 26, "crossed out: wrong just before a refresh; the neighbour has it right", "red", 16)
    picture.text(left, y + 52, "arrows: what a refresh copies, through shared memory", "green", 16)
    return picture.render()


def overlap():
    """Two warps that both hold the keys around their seam, and how wrong keys spread and are repaired."""
    keys, both, left, top, cell, row = 12, 8, 166, 116, 34, 92
    steps = both // 2
    shift = keys - both  # warp 1 holds the keys from here on
    width = shift + keys
    apart = 26  # more room between the two warps where arrows are
    picture = Svg(
        left + width * cell + 16,
        top + (steps + 1) * row + apart + 72,
        "Two warps overlap",
        "Warp 0 holds keys 0 to 11, warp 1 holds keys 4 to 15, so both hold keys 4 to 11. In every half-step one "
        "more key at warp 0's right end and at warp 1's left end is wrong. After four half-steps warp 0 is wrong "
        "in keys 8 to 11 and warp 1 in keys 4 to 7. At the refresh each copies its wrong half from the other, and "
        "both are right again.",
    )
    seam = left + (shift + both / 2) * cell
    for key in range(width):
        picture.text(left + cell * (key + 0.5), 66, str(key), "muted", 16, "middle", mono=True)
    picture.text(left - 14, 66, "key", "muted", 16, "end")
    picture.path(f"M {left + shift * cell + 3} 42 v -8 H {left + keys * cell - 3} v 8", "muted", 1.5)
    picture.text(seam, 24, "both warps hold these keys", "ink", 16, "middle", bold=True)
    picture.line(seam, 76, seam, top + (steps + 1) * row + apart + 28, "muted", 1.5, "4 4")

    def draw(y, first, wrong, colour, mended=()):
        for key in range(first, first + keys):
            x = left + cell * key
            bad, new = key in wrong, key in mended
            fill = "panel" if bad else "green-soft" if new else f"{colour}-soft"
            picture.rect(x + 2, y, cell - 4, 24, fill, "red" if bad else "green" if new else colour, 3, 1)
            if bad:
                picture.line(x + 9, y + 5, x + cell - 9, y + 19, "red", 1.5)
                picture.line(x + cell - 9, y + 5, x + 9, y + 19, "red", 1.5)

    for step in range(steps + 2):
        refreshed = step == steps + 1
        y = top + row * step - 30 + apart * refreshed
        second = y + 32 + apart * (step == steps)
        label = "at first" if step == 0 else "refreshed" if refreshed else f"{step} half-step" + "s" * (step > 1)
        count = "all are right" if step == 0 or refreshed else f"{step} wrong in each"
        middle = (y + second) / 2
        picture.text(left - 14, middle + 7, label, "ink", 16, "end", bold=step == 0 or refreshed)
        picture.text(left - 14, middle + 31, count, "muted", 16, "end")
        wrong = 0 if refreshed else step
        draw(y, 0, range(keys - wrong, keys), "blue", range(keys - steps, keys) if refreshed else ())
        draw(second, shift, range(shift, shift + wrong), "orange", range(shift, shift + steps) if refreshed else ())
        if step == 0:
            picture.text(left + keys * cell + 8, y + 18, "warp 0", "blue", 16, bold=True)
            picture.text(left + shift * cell - 8, y + 50, "warp 1", "orange", 16, "end", bold=True)
        if step == steps:
            for key in range(steps):
                down, up = (left + (shift + at + key + 0.5) * cell for at in (0, steps))
                picture.arrow(down, y + 26, down, second - 2, "green", 2.5, head=9)
                picture.arrow(up, second - 2, up, y + 26, "green", 2.5, head=9)
    y = top + row * (steps + 1) + apart + 58
    picture.text(
        left - 152, y, "red: wrong, since a neighbour was missing; green: copied from the other warp", "ink", 16
    )
    return picture.render()


def halo():
    """Why T half-steps need T more keys on each side: the wrong triangle."""
    own, side, left, top, cell, row = 10, 4, 150, 50, 32, 38
    width = own + 2 * side
    picture = Svg(
        left + width * cell + 16,
        top + (side + 1) * row + 56,
        "A block with its halo",
        "A block loads its own keys and four more keys on each side. With every half-step one more key on "
        "either end is wrong, because its neighbour was not there. After four half-steps the block's own keys "
        "are still right.",
    )
    picture.text(left + side * cell / 2, 30, "halo", "orange", 16, "middle", bold=True)
    picture.text(left + (side + own / 2) * cell, 30, "the block's own keys", "blue", 16, "middle", bold=True)
    picture.text(left + (side + own + side / 2) * cell, 30, "halo", "orange", 16, "middle", bold=True)
    for step in range(side + 1):
        y = top + row * step
        label = "loaded" if step == 0 else f"{step} half-step" + "s" * (step > 1)
        picture.text(left - 14, y + 18, label, "muted", 16, "end")
        for key in range(width):
            x = left + cell * key
            wrong = key < step or key >= width - step
            mine = side <= key < side + own
            fill = "panel" if wrong else "blue-soft" if mine else "orange-soft"
            picture.rect(x + 2, y, cell - 4, row - 10, fill, "line", 3, 1)
            if wrong:
                picture.line(x + 8, y + 6, x + cell - 8, y + row - 16, "red", 1.5)
                picture.line(x + cell - 8, y + 6, x + 8, y + row - 16, "red", 1.5)
    y = top + row * (side + 1) + 18
    picture.text(left, y, "crossed out: wrong, because a neighbour was missing", "red", 16)
    picture.text(left, y + 26, "After four half-steps the halo is loaded again.", "ink", 16)
    return picture.render()


def figures():
    return {
        "half_steps.svg": half_steps(),
        "segments.svg": segments(),
        "lanes.svg": lanes(),
        "window.svg": window(),
        "overlap.svg": overlap(),
        "halo.svg": halo(),
    }
