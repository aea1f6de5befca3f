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
    items, cell, row, gap, top = 8, 32, 76, 30, 78
    left = 24
    picture = Svg(
        left * 2 + 3 * items * cell + 2 * gap,
        top + 3 * row + 70,
        "Three ways to add eight items",
        "Three trees over eight words. In neighbour, threads 0, 2, 4, 6 add adjacent words, then "
        "threads 0 and 4, then thread "
        "0. In compact, threads 0 to 3 do the same additions. In sequential, threads 0 to 3 add "
        "the words half a block away.",
    )

    def panel(x0, name, note, levels):
        picture.text(x0, 30, name, "ink", 16, bold=True, mono=True)
        picture.text(x0, 50, note, "muted", 12.5)
        for level in range(4):
            y = top + row * level
            adding = levels[level - 1] if level else []
            written = {to: thread for thread, to, _ in adding}
            for thread, to, source in adding:
                x = x0 + cell * (to + 0.5)
                picture.line(x, y - row + 24, x, y - 4, "blue", 1.8)
                picture.line(x0 + cell * (source + 0.5), y - row + 24, x + 3, y - 4, "orange", 1.8)
            for word in range(items):
                x = x0 + cell * word
                if level == 0:
                    picture.rect(x + 2, y, cell - 4, 22, "soft", "line", 3, 1)
                    picture.text(x + cell / 2, y + 16, str(word), "ink", 13, "middle", mono=True)
                elif word in written:
                    picture.rect(x + 2, y, cell - 4, 22, "blue-soft", "blue", 3, 1.5)
                    picture.text(x + cell / 2, y + 16, f"t{written[word]}", "blue", 13, "middle", True, mono=True)
                else:
                    picture.rect(x + 2, y, cell - 4, 22, "none", "line", 3, 1)

    neighbour = [[(t, t, t + s) for t in range(0, items, 2 * s)] for s in (1, 2, 4)]
    compact = [[(t, 2 * s * t, 2 * s * t + s) for t in range(items // (2 * s))] for s in (1, 2, 4)]
    sequential = [[(t, t, t + half) for t in range(half)] for half in (4, 2, 1)]
    step = items * cell + gap
    panel(left, "neighbour", "pairs side by side; every second thread", neighbour)
    panel(left + step, "compact", "the same pairs; the first threads", compact)
    panel(left + 2 * step, "sequential", "half a block away; the first threads", sequential)
    y = top + 3 * row + 52
    picture.rect(left, y - 14, 28, 18, "blue-soft", "blue", 3, 1.5)
    picture.text(left + 14, y, "t2", "blue", 12, "middle", True, mono=True)
    picture.text(
        left + 38,
        y,
        "thread 2 adds the word above (blue line) and another one (orange line), and writes here",
        "muted",
        13,
    )
    return picture.render()


def warps():
    """Which of a block's 16 warps add at each level, and with how many lanes."""
    cell, height, top = 23, 24, 84
    columns = THREADS // WARP
    lefts = (84, 84 + columns * cell + 52)
    bottom = top + len(STRIDES) * height
    picture = Svg(
        lefts[1] + columns * cell + 24,
        bottom + 62,
        "Active lanes of each warp",
        "Two grids of nine levels and sixteen warps. In neighbour all sixteen warps work through "
        "the first five levels with 16, 8, "
        "4, 2 and 1 active lanes. In compact and sequential whole warps drop out: 8, 4, 2 and 1 "
        "warps of 32 active lanes.",
    )
    for left, name, levels in (
        (lefts[0], "neighbour", [neighbour_threads(s) for s in STRIDES]),
        (lefts[1], "compact, sequential", [compact_threads(s) for s in STRIDES]),
    ):
        picture.text(left, 30, name, "ink", 16, bold=True, mono=True)
        picture.text(left, 54, "warp", "muted", 12)
        for warp in range(columns):
            picture.text(left + cell * (warp + 0.5), top - 8, str(warp), "muted", 11, "middle", mono=True)
        issued = additions = 0
        for level, adding in enumerate(levels):
            y = top + height * level
            if left == lefts[0]:
                picture.text(left - 12, y + 17, f"level {level + 1}", "muted", 12, "end")
            for warp, lanes in enumerate(active_lanes(adding)):
                x = left + cell * warp
                fill = "blue" if lanes == WARP else "blue-soft" if lanes else "none"
                picture.rect(x + 1.5, y + 1.5, cell - 3, height - 3, fill, "blue" if lanes else "line", 3, 1)
                if lanes:
                    picture.text(
                        x + cell / 2,
                        y + 16.5,
                        str(lanes),
                        "panel" if lanes == WARP else "blue",
                        11.5,
                        "middle",
                        mono=True,
                    )
                issued += lanes > 0
                additions += lanes
        share = round(100 * additions / (issued * WARP))
        picture.text(
            left, bottom + 26, f"{issued} warps with work, {share} % of their lanes active", "ink", 14, bold=True
        )
    picture.text(
        lefts[0], bottom + 48, "Each number: active lanes of a warp, of 32. Both: 511 additions per block.", "muted", 13
    )
    return picture.render()


def banks():
    """Where the words of one request lie: compact at the third level, and sequential."""
    cell, height, left = 25, 17, 40
    picture = Svg(
        left * 2 + BANKS * cell,
        452,
        "Banks of shared memory",
        "Thirty-two banks. In compact at the third level the 32 lanes of a warp read every eighth "
        "word, so that they need only the "
        "banks 0, 8, 16 and 24, eight lanes each: eight passes. In sequential each lane has a bank "
        "of its own: one pass.",
    )

    def panel(y0, name, note, words, colour):
        stacks = [[] for _ in range(BANKS)]
        for lane, word in enumerate(words):
            stacks[word % BANKS].append(lane)
        depth = max(len(stack) for stack in stacks)
        picture.text(left, y0, name, "ink", 16, bold=True, mono=True)
        picture.text(left + 12 * len(name) + 6, y0, note, "muted", 13.5)
        floor = y0 + 16 + depth * height
        for bank, stack in enumerate(stacks):
            x = left + cell * bank
            for place, lane in enumerate(stack):
                y = floor - height * (place + 1)
                picture.rect(x + 1.5, y + 1, cell - 3, height - 2, f"{colour}-soft", colour, 2, 1)
                picture.text(x + cell / 2, y + 13, str(lane), colour, 11, "middle", mono=True)
            picture.rect(x + 1.5, floor + 3, cell - 3, 20, "soft", "line", 2, 1)
            picture.text(x + cell / 2, floor + 17, str(bank), "muted", 11, "middle", mono=True)
        plural = "passes" if depth > 1 else "pass"
        picture.text(left, floor + 46, f"{depth} {plural}: a bank gives one word in each", colour, 14, bold=True)
        return floor

    picture.text(
        left,
        30,
        "A box is a lane of a warp, above the bank that its word lies in (word i: bank i mod 32).",
        "muted",
        13.5,
    )
    floor = panel(70, "compact", "level 3: lane t reads word 8 t", [8 * lane for lane in range(32)], "orange")
    floor = panel(floor + 96, "sequential", "every level: lane t reads word t", list(range(32)), "green")
    picture.height = floor + 66
    return picture.render()


def finishes():
    """2^20 items, partial sums, and the two ways to add those."""
    picture = Svg(
        880,
        282,
        "Two ways to finish",
        "A launch turns 2 to the 20 items into 2048 partial sums. Then either the host copies and "
        "adds them one after the other, or "
        "the same kernel is launched on them twice more, which leaves four sums and then one.",
    )

    def box(x, y, width, colour, text, note=""):
        picture.rect(x, y, width, 44, f"{colour}-soft", colour, 5)
        picture.text(x + width / 2, y + (20 if note else 27), text, colour, 14, "middle", True)
        if note:
            picture.text(x + width / 2, y + 36, note, colour, 11.5, "middle")

    box(24, 118, 132, "blue", "2^20 items", "in device memory")
    picture.arrow(158, 140, 246, 140, "muted")
    picture.text(202, 130, "launch", "muted", 12, "middle")
    picture.text(202, 158, "2048 blocks", "muted", 12, "middle")
    box(248, 118, 134, "purple", "2048 sums", "one a block")
    picture.text(448, 32, "--finish host", "ink", 15, bold=True, mono=True)
    picture.path("M 384 132 C 412 120 404 66 436 66", "muted")
    picture.arrow(434, 66, 446, 66, "muted")
    box(448, 44, 170, "orange", "copy 8 KiB", "waits for the kernel")
    picture.arrow(620, 66, 662, 66, "muted")
    box(664, 44, 192, "orange", "the host adds", "2047 additions in a row")
    picture.text(448, 108, "The sum is in host memory; meanwhile the device stands idle.", "muted", 12.5)
    picture.text(448, 182, "--finish launch", "ink", 15, bold=True, mono=True)
    picture.path("M 384 148 C 412 160 404 216 436 216", "muted")
    picture.arrow(434, 216, 446, 216, "muted")
    box(448, 194, 170, "purple", "4 sums", "second launch: 4 blocks")
    picture.arrow(620, 216, 662, 216, "muted")
    box(664, 194, 192, "green", "1 sum", "third launch: 1 block")
    picture.text(448, 258, "The sum is in device memory, where the next kernel can use it.", "muted", 12.5)
    return picture.render()


def clocks():
    """What lies between start and stop of the article's two clocks."""
    picture = Svg(
        880,
        246,
        "What a clock includes",
        "A time line: copying the items to the device takes most of it, then comes a short kernel, "
        "a short copy back and a few "
        "additions on the host. The article's first clock holds all of it, its second clock the kernel alone.",
    )
    left, y, height = 30, 82, 46
    parts = (
        (530, "blue", "copy the items to the device"),
        (70, "green", "kernel"),
        (90, "orange", "copy back"),
        (130, "purple", "the host adds"),
    )
    x, starts = left, []
    for width, colour, text in parts:
        picture.rect(x, y, width - 4, height, f"{colour}-soft", colour, 4)
        picture.text(x + (width - 4) / 2, y + 28, text, colour, 14 if width > 100 else 12.5, "middle", True)
        starts.append(x)
        x += width
    end = x - 4

    def bracket(x1, x2, y1, up, colour):
        turn = -10 if up else 10
        picture.path(f"M {x1} {y1} v {turn} H {x2} v {-turn}", colour, 2)

    bracket(left, end, y - 12, True, "ink")
    picture.text(
        left, y - 48, "the clock of the article's baseline, and our column “with copies”", "ink", 14, bold=True
    )
    picture.text(left, y - 30, "by the host's clock, from input in host memory to result in host memory", "muted", 13)
    bracket(starts[1], starts[2] - 4, y + height + 12, False, "green")
    picture.text(
        starts[2] - 4,
        y + height + 48,
        "the clock of its optimised kernel, and our column “time”",
        "green",
        14,
        "end",
        True,
    )
    picture.text(
        starts[2] - 4, y + height + 68, "from input in device memory to result in device memory", "muted", 13, "end"
    )
    picture.text(left, y + height + 102, "Not to scale: the kernel's part is smaller still.", "muted", 12.5)
    return picture.render()


def figures():
    return {
        "tree.svg": tree(),
        "warps.svg": warps(),
        "banks.svg": banks(),
        "finishes.svg": finishes(),
        "clocks.svg": clocks(),
    }
