"""The pictures of chapter 1: half-steps, alternating segments, keys in lanes, the overlap of two
warps, the halo."""

from svg import Svg

CELL = 46


def half_steps():
    """An odd-even transposition sort of eight keys, half-step by half-step, as it really runs."""
    keys = [6, 3, 8, 4, 7, 2, 5, 1]
    row, left, top = 62, 120, 56
    picture = Svg(
        left + CELL * len(keys) + 190,
        top + row * (len(keys) + 1) - 4,
        "Odd-even transposition sort of eight keys",
        "Nine rows of eight keys. Even half-steps compare the pairs 0 1, 2 3, 4 5, 6 7; odd half-steps "
        "the pairs 1 2, 3 4, 5 6. Pairs that swap are orange. After eight half-steps the keys are sorted.",
    )
    for position in range(len(keys)):
        picture.text(left + CELL * (position + 0.5), top - 24, str(position), "muted", 13, "middle", mono=True)
    picture.text(left - 14, top - 24, "position", "muted", 13, "end")

    def draw_keys(y):
        for position, key in enumerate(keys):
            x = left + CELL * position
            picture.rect(x + 3, y - 15, CELL - 6, 30, "soft", "line", 4, 1)
            smallest = key == 1
            picture.text(
                x + CELL / 2, y + 5, str(key), "blue" if smallest else "ink", 15, "middle", smallest, mono=True
            )

    for step in range(len(keys)):
        y = top + row * step
        draw_keys(y)
        first = step % 2
        middle = y + row / 2
        picture.text(left - 14, middle + 5, "even half-step" if first == 0 else "odd half-step", "muted", 13, "end")
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
        picture.text(left + CELL * len(keys) + 14, middle + 5, note, "muted", 13)
    draw_keys(top + row * len(keys))
    picture.text(left + CELL * len(keys) + 14, top + row * len(keys) + 5, "sorted", "green", 14, bold=True)
    return picture.render()


def segments():
    """Rounds of the many-block version: segments from 0, then segments moved by half."""
    blocks, width, row, left, top = 5, 120, 78, 96, 44
    picture = Svg(
        left + blocks * width + 30,
        top + 4 * row + 22,
        "Alternating segments",
        "Four rounds over an array of five segments. In even rounds a block sorts each segment from 0. In "
        "odd rounds the segments are moved by half a segment, so that keys can cross the old borders.",
    )
    for round_number in range(4):
        y = top + row * round_number
        odd = round_number % 2
        picture.text(left - 14, y + 22, f"round {round_number}", "ink", 14, "end", bold=True)
        picture.rect(left, y, blocks * width, 34, "soft", "line", 0, 1)
        for block in range(blocks):
            start = block + (0.5 if odd else 0)
            length = min(1, blocks - start) * width  # the last one of an odd round is cut short
            x = left + width * start
            colour = "purple" if odd else "blue"
            picture.rect(x + 3, y + 3, length - 6, 28, f"{colour}-soft", colour, 4, 1.5)
            picture.text(x + length / 2, y + 22, f"block {block}", colour, 14, "middle")
        if odd:
            picture.text(left + width / 4, y + 22, "rest", "muted", 13, "middle")
        if round_number < 3:
            for border in range(1, blocks):
                x = left + width * border
                if not odd:
                    picture.line(x, y + 36, x, y + row - 2, "muted", 1.5, "4 4")
    y = top + 4 * row
    picture.text(left, y, "A key that must cross a border of one round lies inside a segment of the next.", "muted", 13)
    return picture.render()


def lanes():
    """Keys of neighbouring lanes in registers: which pairs need a shuffle."""
    held, count, left, top = 4, 4, 120, 92
    cell = 40
    gap = 26
    picture = Svg(
        left + count * (held * cell + gap) + 24,
        318,
        "Keys in the registers of four lanes",
        "Each lane holds four neighbouring keys. In an even half-step every pair lies inside a lane. In an odd "
        "half-step one pair in two lanes needs a shuffle, the other pairs still lie inside a lane.",
    )

    def place(lane, slot):
        return left + lane * (held * cell + gap) + slot * cell

    for lane in range(count):
        picture.text(place(lane, 0) + held * cell / 2, 34, f"lane {lane}", "ink", 14, "middle", bold=True)
    for label, y, odd in (("even half-step", top, False), ("odd half-step", top + 130, True)):
        picture.text(left - 14, y + 5, label, "muted", 13, "end")
        for lane in range(count):
            picture.rect(place(lane, 0) - 5, y - 26, held * cell + 10, 52, "soft", "line", 6, 1)
            for slot in range(held):
                x = place(lane, slot)
                picture.rect(x + 3, y - 17, cell - 6, 34, "panel", "line", 4, 1)
                picture.text(x + cell / 2, y + 5, str(lane * held + slot), "ink", 13, "middle", mono=True)
            for slot in range(1 if odd else 0, held - 1, 2):
                x1, x2 = place(lane, slot) + cell / 2, place(lane, slot + 1) + cell / 2
                picture.path(f"M {x1} {y + 32} v 9 H {x2} v -9", "green", 2)
            if odd and lane + 1 < count:
                x1, x2 = place(lane, held - 1) + cell / 2, place(lane + 1, 0) + cell / 2
                picture.path(f"M {x1} {y - 30} C {x1} {y - 54} {x2} {y - 54} {x2} {y - 30}", "orange", 2)
    y = top + 200
    picture.path(f"M {left} {y - 8} v 9 h 30 v -9", "green", 2)
    picture.text(left + 40, y + 2, "inside a thread: a minimum and a maximum, no communication", "ink", 13)
    picture.line(left, y + 18, left + 30, y + 18, "orange", 2)
    picture.text(left + 40, y + 22, "between two lanes: one shuffle each way", "ink", 13)
    return picture.render()


def overlap():
    """Two warps that both hold the keys around their seam, and how wrong keys spread and are mended."""
    keys, both, left, top, cell, row = 12, 8, 150, 104, 34, 86
    steps = both // 2
    shift = keys - both  # warp 1 holds the keys from here on
    width = shift + keys
    picture = Svg(
        left + width * cell + 60,
        top + (steps + 1) * row + 30,
        "Two warps overlap",
        "Warp 0 holds keys 0 to 11, warp 1 holds keys 4 to 15, so both hold keys 4 to 11. In every half-step one "
        "more key at warp 0's right end and at warp 1's left end is wrong. After four half-steps warp 0 is wrong "
        "in keys 8 to 11 and warp 1 in keys 4 to 7. Each copies its wrong half from the other, which has it right.",
    )
    seam = left + (shift + both / 2) * cell
    for key in range(width):
        picture.text(left + cell * (key + 0.5), 58, str(key), "muted", 12, "middle", mono=True)
    picture.text(left - 14, 58, "key", "muted", 13, "end")
    picture.path(f"M {left + shift * cell + 3} 36 v -8 H {left + keys * cell - 3} v 8", "muted", 1.5)
    picture.text(seam, 20, "both warps hold these keys", "ink", 13, "middle", bold=True)
    picture.line(seam, 66, seam, top + steps * row + 34, "muted", 1.5, "4 4")

    def draw(y, first, wrong, colour):
        for key in range(first, first + keys):
            x = left + cell * key
            bad = key in wrong
            picture.rect(x + 2, y, cell - 4, 24, "panel" if bad else f"{colour}-soft", "red" if bad else colour, 3, 1)
            if bad:
                picture.line(x + 9, y + 5, x + cell - 9, y + 19, "red", 1.5)
                picture.line(x + cell - 9, y + 5, x + 9, y + 19, "red", 1.5)

    for step in range(steps + 1):
        y = top + row * step - 30
        label = "refreshed" if step == 0 else f"after {step} half-step" + "s" * (step > 1)
        picture.text(left - 14, y + 32, label, "ink", 13, "end", bold=step == 0)
        picture.text(left - 14, y + 50, "both are right" if step == 0 else f"{step} wrong in each", "muted", 12, "end")
        draw(y, 0, range(keys - step, keys), "blue")
        draw(y + 32, shift, range(shift, shift + step), "orange")
        if step == 0:
            picture.text(left + keys * cell + 8, y + 17, "warp 0", "blue", 13, bold=True)
            picture.text(left + shift * cell - 8, y + 49, "warp 1", "orange", 13, "end", bold=True)
    y = top + row * steps - 30
    down = left + (shift + both / 4) * cell
    up = left + (shift + 3 * both / 4) * cell
    picture.arrow(down, y + 12, down, y + 36, "green", 3)
    picture.arrow(up, y + 44, up, y + 20, "green", 3)
    y += 88
    picture.text(left, y, "crossed out: wrong, because a neighbour was missing when it was compared", "red", 13)
    picture.text(
        left,
        y + 22,
        "green: the refresh. Each warp copies what it has wrong from the warp that has it right.",
        "green",
        13,
    )
    picture.text(
        left, y + 44, "The wrong keys had come as far as the middle of the overlap, and no farther.", "ink", 13
    )
    return picture.render()


def halo():
    """Why T half-steps need T keys more on each side: the stale triangle."""
    own, side, left, top, cell, row = 10, 4, 120, 70, 34, 38
    width = own + 2 * side
    picture = Svg(
        left + width * cell + 40,
        top + (side + 1) * row + 56,
        "A block with its halo",
        "A block loads its own keys and four keys more on each side. With every half-step one more key on "
        "either end is stale, because its neighbour was not there. After four half-steps the block's own keys "
        "are still right.",
    )
    picture.text(left + side * cell / 2, 30, "halo", "orange", 14, "middle", bold=True)
    picture.text(left + (side + own / 2) * cell, 30, "the block's own keys", "blue", 14, "middle", bold=True)
    picture.text(left + (side + own + side / 2) * cell, 30, "halo", "orange", 14, "middle", bold=True)
    for step in range(side + 1):
        y = top + row * step
        label = "loaded" if step == 0 else f"after {step}"
        picture.text(left - 14, y + 18, label, "muted", 13, "end")
        for key in range(width):
            x = left + cell * key
            stale = key < step or key >= width - step
            mine = side <= key < side + own
            fill = "panel" if stale else "blue-soft" if mine else "orange-soft"
            picture.rect(x + 2, y, cell - 4, row - 10, fill, "line", 3, 1)
            if stale:
                picture.line(x + 8, y + 6, x + cell - 8, y + row - 16, "red", 1.5)
                picture.line(x + cell - 8, y + 6, x + 8, y + row - 16, "red", 1.5)
    y = top + row * (side + 1) + 22
    picture.text(
        left,
        y,
        "crossed out: stale, because a neighbour outside was missing. Then the halo is fetched again.",
        "muted",
        13,
    )
    return picture.render()


def figures():
    return {
        "half_steps.svg": half_steps(),
        "segments.svg": segments(),
        "lanes.svg": lanes(),
        "overlap.svg": overlap(),
        "halo.svg": halo(),
    }
