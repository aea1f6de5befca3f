"""The pictures of chapter 2: trees, warps that work, banks, the two finishes, the two clocks."""

from svg import Svg

THREADS, WARP, BANKS = 512, 32, 32
STRIDES = [1 << level for level in range(9)]


def neighbour_threads(stride):
    """Threads of a block that add at this level, and the word that each of them adds to."""
    return [(t, t) for t in range(THREADS) if t % (2 * stride) == 0]


def compact_threads(stride):
    return [(t, 2 * stride * t) for t in range(THREADS) if 2 * stride * t < THREADS]


def active_lanes(adding):
    """For each warp of the block: how many of its lanes add."""
    return [sum(1 for t, _ in adding if t // WARP == warp) for warp in range(THREADS // WARP)]


def tree():
    """The same eight items, added by neighbour, compact and sequential: who adds what where."""
    items, cell, row, gap, top = 8, 28, 82, 14, 100
    left = 8
    picture = Svg(
        left * 2 + 3 * items * cell + 2 * gap,
        top + 3 * row + 92,
        "Three ways to add eight items",
        "Three trees over eight words. In neighbour, threads 0, 2, 4, 6 add adjacent words, then "
        "threads 0 and 4, then thread "
        "0. In compact, threads 0 to 3 do the same additions. In sequential, threads 0 to 3 add "
        "the words half a block away.",
    )

    def panel(x0, name, note, levels):
        picture.text(x0 + 2, 30, name, "ink", 18, bold=True, mono=True)
        for number, line in enumerate(note):
            picture.text(x0 + 2, 54 + 22 * number, line, "muted", 16)
        for level in range(4):
            y = top + row * level
            adding = levels[level - 1] if level else []
            written = {to: thread for thread, to, _ in adding}
            for thread, to, source in adding:
                x = x0 + cell * (to + 0.5)
                picture.line(x, y - row + 28, x, y - 4, "blue", 1.8)
                picture.line(x0 + cell * (source + 0.5), y - row + 28, x + 3, y - 4, "orange", 1.8)
            for word in range(items):
                x = x0 + cell * word
                if level == 0:
                    picture.rect(x + 1, y, cell - 2, 26, "soft", "line", 3, 1)
                    picture.text(x + cell / 2, y + 19, str(word), "ink", 16, "middle", mono=True)
                elif word in written:
                    picture.rect(x + 1, y, cell - 2, 26, "blue-soft", "blue", 3, 1.5)
                    picture.text(x + cell / 2, y + 19, f"t{written[word]}", "blue", 16, "middle", True, mono=True)
                else:
                    picture.rect(x + 1, y, cell - 2, 26, "none", "line", 3, 1)

    neighbour = [[(t, t, t + s) for t in range(0, items, 2 * s)] for s in (1, 2, 4)]
    compact = [[(t, 2 * s * t, 2 * s * t + s) for t in range(items // (2 * s))] for s in (1, 2, 4)]
    sequential = [[(t, t, t + half) for t in range(half)] for half in (4, 2, 1)]
    step = items * cell + gap
    panel(left, "neighbour", ("adjacent pairs;", "every second thread"), neighbour)
    panel(left + step, "compact", ("the same pairs;", "the first threads"), compact)
    panel(left + 2 * step, "sequential", ("half a block away;", "the first threads"), sequential)
    y = top + 3 * row + 56
    picture.rect(left + 1, y - 18, cell - 2, 26, "blue-soft", "blue", 3, 1.5)
    picture.text(left + cell / 2, y + 1, "t2", "blue", 16, "middle", True, mono=True)
    picture.text(left + 38, y, "thread 2 adds the word above (blue line)", "muted", 16)
    picture.text(left + 38, y + 22, "and another one (orange line), and writes the sum here", "muted", 16)
    return picture.render()


def warps():
    """Which of a block's 16 warps add at each level, and with how many lanes."""
    cell, height, top = 38, 26, 66
    columns = THREADS // WARP
    left, panel_height = 84, top + len(STRIDES) * height + 52
    picture = Svg(
        left + columns * cell + 16,
        2 * panel_height + 40,
        "Active lanes of each warp",
        "Two grids of nine levels and sixteen warps. In neighbour all sixteen warps work through "
        "the first five levels with 16, 8, "
        "4, 2 and 1 active lanes. In compact and sequential whole warps drop out: 8, 4, 2 and 1 "
        "warps of 32 active lanes.",
    )
    for y0, name, levels in (
        (0, "neighbour", [neighbour_threads(s) for s in STRIDES]),
        (panel_height, "compact, sequential", [compact_threads(s) for s in STRIDES]),
    ):
        picture.text(left, y0 + 30, name, "ink", 18, bold=True, mono=True)
        picture.text(left - 12, y0 + top - 8, "warp", "muted", 16, "end")
        for warp in range(columns):
            picture.text(left + cell * (warp + 0.5), y0 + top - 8, str(warp), "muted", 16, "middle", mono=True)
        issued = additions = 0
        for level, adding in enumerate(levels):
            y = y0 + top + height * level
            picture.text(left - 12, y + 18, f"level {level + 1}", "muted", 16, "end")
            for warp, lanes in enumerate(active_lanes(adding)):
                x = left + cell * warp
                fill = "blue" if lanes == WARP else "blue-soft" if lanes else "none"
                picture.rect(x + 1.5, y + 1.5, cell - 3, height - 3, fill, "blue" if lanes else "line", 3, 1)
                if lanes:
                    picture.text(
                        x + cell / 2,
                        y + 18.5,
                        str(lanes),
                        "panel" if lanes == WARP else "blue",
                        16,
                        "middle",
                        mono=True,
                    )
                issued += lanes > 0
                additions += lanes
        share = round(100 * additions / (issued * WARP))
        note = f"{issued} warps with work, {share} % of their lanes active"
        picture.text(left, y0 + panel_height - 26, note, "ink", 16, bold=True)
    note = "Each number: active lanes of a warp. Both blocks do 511 additions."
    picture.text(left, 2 * panel_height + 16, note, "muted", 16)
    return picture.render()


def banks():
    """Where the words of one request lie: compact at the third level, and sequential."""
    cell, height, left = 22, 20, 8
    picture = Svg(
        left * 2 + BANKS * cell,
        452,
        "Banks of shared memory",
        "Thirty-two banks. In compact at the third level the 32 lanes of a warp read every eighth "
        "word, so that they need only the "
        "banks 0, 8, 16 and 24, eight lanes each: eight passes. In sequential each lane has a bank "
        "of its own: one pass.",
    )

    def named(number):  # every number would leave no space between two
        return number % 4 == 0 or number == BANKS - 1

    def panel(y0, name, note, words, colour):
        stacks = [[] for _ in range(BANKS)]
        for lane, word in enumerate(words):
            stacks[word % BANKS].append(lane)
        depth = max(len(stack) for stack in stacks)
        picture.text(left, y0, name, "ink", 18, bold=True, mono=True)
        picture.text(left + 12 * len(name) + 12, y0, note, "muted", 16)
        floor = y0 + 16 + depth * height
        for bank, stack in enumerate(stacks):
            x = left + cell * bank
            for place, lane in enumerate(stack):
                y = floor - height * (place + 1)
                picture.rect(x + 0.5, y + 1, cell - 1, height - 2, f"{colour}-soft", colour, 2, 1)
                if depth > 1 or named(lane):
                    picture.text(x + cell / 2, y + 15.5, str(lane), colour, 16, "middle", mono=True)
            picture.rect(x + 0.5, floor + 3, cell - 1, 22, "soft", "line", 2, 1)
            if named(bank):
                picture.text(x + cell / 2, floor + 19.5, str(bank), "muted", 16, "middle", mono=True)
        plural = "passes" if depth > 1 else "pass"
        picture.text(left, floor + 50, f"{depth} {plural}: a bank gives one word in each", colour, 16, bold=True)
        return floor

    picture.text(left, 30, "A box is a lane of a warp, above the bank that holds its word:", "muted", 16)
    picture.text(left, 52, "word i is in bank i mod 32.", "muted", 16)
    floor = panel(92, "compact", "level 3: lane t reads word 8 t", [8 * lane for lane in range(32)], "orange")
    floor = panel(floor + 102, "sequential", "every level: lane t reads word t", list(range(32)), "green")
    picture.height = floor + 72
    return picture.render()


def finishes():
    """2^20 items, partial sums, and the two ways to add those."""
    picture = Svg(
        600,
        466,
        "Two ways to finish",
        "A launch turns 2 to the 20 items into 2048 partial sums. Then either the host copies and "
        "adds them one after the other, or "
        "the same kernel is launched on them twice more, which leaves four sums and then one.",
    )

    def box(x, y, width, colour, text, note):
        picture.rect(x, y, width, 54, f"{colour}-soft", colour, 5)
        picture.text(x + width / 2, y + 23, text, colour, 16, "middle", True)
        picture.text(x + width / 2, y + 44, note, colour, 16, "middle")

    box(24, 16, 204, "blue", "2^20 items", "in device memory")
    picture.arrow(126, 72, 126, 126, "muted")
    picture.text(138, 94, "first launch:", "muted", 16)
    picture.text(138, 114, "2048 blocks", "muted", 16)
    box(24, 128, 204, "purple", "2048 sums", "one per block")
    for y, name, colours, parts, note in (
        (
            24,
            "--finish host",
            ("orange", "orange"),
            (("copy 8 KiB", "waits for the kernel"), ("the host adds", "2047 additions in a row")),
            ("The sum is in host memory.", "Meanwhile the device is idle."),
        ),
        (
            256,
            "--finish launch",
            ("purple", "green"),
            (("4 sums", "second launch: 4 blocks"), ("1 sum", "third launch: 1 block")),
            ("The sum is in device memory,", "where the next kernel can use it."),
        ),
    ):
        first = y + 12
        picture.text(310, y, name, "ink", 16, bold=True, mono=True)
        for at, colour, (text, what) in zip((first, first + 80), colours, parts):
            box(310, at, 230, colour, text, what)
        picture.arrow(425, first + 56, 425, first + 78, "muted")
        for line, words in enumerate(note):
            picture.text(310, first + 158 + 21 * line, words, "muted", 16)
        picture.path(f"M 230 155 H 270 V {first + 27} H 296", "muted")
        picture.arrow(296, first + 27, 308, first + 27, "muted")
    return picture.render()


def clocks():
    """What lies between start and stop of the article's two clocks."""
    picture = Svg(
        716,
        262,
        "What a clock includes",
        "A time line: copying the items to the device takes most of it, then comes a short kernel, "
        "a short copy back and a few "
        "additions on the host. The article's first clock holds all of it, its second clock the kernel alone.",
    )
    left, y, height = 20, 92, 48
    parts = (
        (326, "blue", "copy the items to the device"),
        (80, "green", "kernel"),
        (114, "orange", "copy back"),
        (156, "purple", "the host adds"),
    )
    x, starts = left, []
    for width, colour, text in parts:
        picture.rect(x, y, width - 4, height, f"{colour}-soft", colour, 4)
        picture.text(x + (width - 4) / 2, y + 30, text, colour, 16, "middle", True)
        starts.append(x)
        x += width
    end = x - 4

    def bracket(x1, x2, y1, up, colour):
        turn = -10 if up else 10
        picture.path(f"M {x1} {y1} v {turn} H {x2} v {-turn}", colour, 2)

    bracket(left, end, y - 12, True, "ink")
    picture.text(left, y - 60, "the article's baseline, and our column “with copies”:", "ink", 16, bold=True)
    picture.text(left, y - 36, "from input in host memory to result in host memory", "muted", 16)
    bracket(starts[1], starts[2] - 4, y + height + 12, False, "green")
    y += height
    picture.text(left, y + 50, "its optimised kernel, and our column “time”:", "green", 16, bold=True)
    picture.text(left, y + 74, "from input in device memory to result in device memory", "muted", 16)
    picture.text(left, y + 106, "Not to scale: the kernel's part is smaller still.", "muted", 16)
    return picture.render()


def figures():
    return {
        "tree.svg": tree(),
        "warps.svg": warps(),
        "banks.svg": banks(),
        "finishes.svg": finishes(),
        "clocks.svg": clocks(),
    }
