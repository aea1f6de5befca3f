"""The picture of README.md: the same sum by one thread for each item, or by threads that first add eight."""

import results
from svg import Svg

ITEMS, WARP = 512, 32
CELL, HEIGHT, TOP, LEFT, GAP = 22, 18, 92, 24, 60
BAR = 250


def lanes_of_warps(threads):
    """For each warp of `threads` threads from thread 0 on: how many of its lanes work."""
    return [min(WARP, threads - first) for first in range(0, threads, WARP)]


def steps(threads):
    """How many threads load in each step, and how many add at each level of the tree."""
    return [threads] * (ITEMS // threads), [threads >> level for level in range(1, threads.bit_length())]


def wavefronts(threads):
    """Trips through shared memory: each thread stores its sum; at each level those that add read two and
    store one; all read the result. As the lab counts them."""
    warps = -(-threads // WARP)
    return 2 * warps + sum(3 * len(lanes_of_warps(adding)) for adding in steps(threads)[1])


def draw_steps(picture, x0, threads, colour):
    """A row for each step, a cell for each warp; the filled part is the share of its lanes that work."""
    loads, levels = steps(threads)
    warps = len(lanes_of_warps(threads))
    for row, working in enumerate(loads + levels):
        y = TOP + HEIGHT * row
        lanes = lanes_of_warps(working)
        fill = "blue" if row < len(loads) else colour
        for warp in range(warps):
            x = x0 + CELL * warp
            part = (HEIGHT - 3) * (lanes[warp] if warp < len(lanes) else 0) / WARP
            picture.rect(x + 1.5, y + 1.5, CELL - 3, HEIGHT - 3, f"{fill}-soft" if part else "none", "line", 2, 1)
            if part:
                height = max(2.0, part)
                picture.rect(x + 1.5, y + HEIGHT - 1.5 - height, CELL - 3, height, fill, "none", 1)


def draw_bars(picture, x, y, title, values, show):
    """A bar for each side, one above the other; the longest has the length BAR."""
    picture.text(x, y, title, "muted", 16)
    for index, value in enumerate(values):
        length = BAR * value / max(values)
        picture.rect(x, y + 12 + 26 * index, length, 18, ("orange", "green")[index], "none", 2)
        picture.text(x + length + 8, y + 27 + 26 * index, show(value), "ink", 16)


def two_trees():
    sides = (
        ("sequential", "a thread for each item", ITEMS, "orange"),
        ("coalesced", "eight items for each thread", ITEMS // 8, "green"),
    )
    measured = results.load("ch03", "h200")
    times = [results.seconds(measured.one_run(stage=name, n="2^26").rows[0]) for name, *_ in sides]
    counted = [wavefronts(threads) for _, _, threads, _ in sides]
    rows = max(sum(map(len, steps(threads))) for _, _, threads, _ in sides)
    bars = TOP + rows * HEIGHT + 40
    width = 2 * LEFT + 2 * BAR + GAP + 172
    picture = Svg(
        width,
        bars + 130,
        "The same sum by two kernels",
        f"512 numbers are added up. In sequential 16 warps load one item for each thread and add as a tree, in which "
        f"most of them soon wait: {counted[0]} wavefronts. In coalesced two warps load eight items for each thread "
        f"and then add as a tree: {counted[1]}. On an H200, 2^26 items take {results.show_seconds(times[0])} and "
        f"{results.show_seconds(times[1])}.",
    )
    for index, (name, note, threads, colour) in enumerate(sides):
        x0 = LEFT + index * (len(lanes_of_warps(ITEMS)) * CELL + GAP)
        picture.text(x0, 34, name, "ink", 18, bold=True, mono=True)
        picture.text(x0, 60, note, "muted", 16)
        draw_steps(picture, x0, threads, colour)
    x = LEFT + len(lanes_of_warps(ITEMS)) * CELL + GAP + 2 * CELL + 20
    legend = ("A row is a step, a cell a warp", "of 32 threads: the filled part", "works. Blue: it loads.")
    picture.lines(x, TOP + 14, legend, "muted", step=24)
    draw_bars(picture, LEFT, bars, f"Counted: wavefronts, {ITEMS} items", counted, str)
    draw_bars(
        picture,
        LEFT + len(lanes_of_warps(ITEMS)) * CELL + GAP,
        bars,
        "Measured: H200, 2^26 items",
        times,
        results.show_seconds,
    )
    return picture.render()


def figures():
    return {"two_trees.svg": two_trees()}
