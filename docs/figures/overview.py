"""The picture of README.md: the same 511 additions, done by many idle lanes or by few busy warps."""

from svg import Svg

THREADS, WARP = 512, 32
LEVELS = [1 << level for level in range(9)]


def lanes_of_warps(adding):
    """For each warp of the block: how many of its lanes add."""
    return [sum(1 for thread in adding if thread // WARP == warp) for warp in range(THREADS // WARP)]


def two_trees():
    """Each row is a step, each cell a warp; the filled part is the share of its lanes that work."""
    neighbour = [[t for t in range(THREADS) if t % (2 * stride) == 0] for stride in LEVELS]
    sequential = [list(range(THREADS // (2 * stride))) for stride in LEVELS]
    cell, height, top, left, gap = 20, 22, 92, 24, 48
    columns = THREADS // WARP
    width = 2 * columns * cell + gap + 2 * left
    picture = Svg(
        width,
        top + len(LEVELS) * height + 120,
        "The same additions, two ways",
        "A block of 512 threads adds up 512 numbers in nine steps. In neighbour all 16 warps work in the first five "
        "steps, each with fewer lanes than before: 17 % of the lanes are busy. In sequential whole warps are full and "
        "the others are done: 80 % are busy.",
    )
    for index, (name, note, levels) in enumerate(
        (
            ("neighbour", "thread t adds item t + 1, t + 2, …", neighbour),
            ("sequential", "thread t adds item t + 256, t + 128, …", sequential),
        )
    ):
        x0 = left + index * (columns * cell + gap)
        colour = "orange" if index == 0 else "green"
        picture.text(x0, 34, name, "ink", 18, bold=True, mono=True)
        picture.text(x0, 60, note, "muted", 16)
        issued = busy = 0
        for level, adding in enumerate(levels):
            y = top + height * level - 14
            for warp, lanes in enumerate(lanes_of_warps(adding)):
                x = x0 + cell * warp
                fill = f"{colour}-soft" if lanes else "none"
                picture.rect(x + 1.5, y + 1.5, cell - 3, height - 3, fill, "line", 2, 1)
                if lanes:
                    filled = max(2.0, (height - 3) * lanes / WARP)
                    picture.rect(x + 1.5, y + height - 1.5 - filled, cell - 3, filled, colour, "none", 1)
                    issued += 1
                    busy += lanes
        share = round(100 * busy / (issued * WARP))
        y = top + len(LEVELS) * height + 12
        picture.text(x0, y, f"{share} % of the lanes work", colour, 18, bold=True)
        picture.text(x0, y + 24, f"in {issued} warp instructions", "muted", 16)
    y = top + len(LEVELS) * height + 76
    note = "Rows: the nine steps. Cells: the block's 16 warps of 32 threads; the filled part works."
    picture.text(left, y, note, "muted", 16)
    picture.text(left, y + 24, "Both sides do the same 511 additions.", "muted", 16)
    return picture.render()


def figures():
    return {"two_trees.svg": two_trees()}
