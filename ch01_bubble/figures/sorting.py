"""The pictures of chapter 1: half-steps, alternating segments, keys in lanes, the halo."""

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
            picture.text(x + CELL / 2, y + 5, str(key), "blue" if smallest else "ink", 15, "middle", smallest, mono=True)

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
    picture.text(left, y, "crossed out: stale, because a neighbour outside was missing. Then the halo is fetched anew.", "muted", 13)
    return picture.render()


def figures():
    return {
        "half_steps.svg": half_steps(),
        "segments.svg": segments(),
        "lanes.svg": lanes(),
        "halo.svg": halo(),
    }
