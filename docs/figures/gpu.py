"""The pictures of docs/gpu.md: the machine, threads on it, latency hiding, sectors."""

from svg import Svg


def machine():
    """Multiprocessors with their own memories; the L2 cache and the memory that all share."""
    svg = Svg(
        880,
        430,
        "A GPU",
        "Many multiprocessors, each with registers, schedulers and shared memory; "
        "below them one L2 cache and the device memory that all of them share; the host beside.",
    )
    left, width, gap = 30, 190, 18
    for index in range(3):
        x = left + index * (width + gap)
        svg.rect(x, 30, width, 220, "soft", "line", 8)
        svg.text(x + width / 2, 52, "multiprocessor", size=14, anchor="middle", bold=True)
        for part in range(4):
            px = x + 12 + part * 43
            svg.rect(px, 64, 37, 70, "blue-soft", "blue", 4, 1)
            for row in range(4):
                for column in range(3):
                    svg.rect(px + 5 + column * 9.5, 70 + row * 11, 7.5, 8, "blue", radius=1)
            svg.text(px + 18.5, 128, "warps", "blue", 10, "middle")
        svg.rect(x + 12, 142, width - 24, 42, "green-soft", "green", 4, 1)
        svg.text(x + width / 2, 160, "registers", "green", 13, "middle", bold=True)
        svg.text(x + width / 2, 176, "each thread its own", "green", 11, "middle")
        svg.rect(x + 12, 192, width - 24, 46, "orange-soft", "orange", 4, 1)
        svg.text(x + width / 2, 211, "shared memory + L1", "orange", 13, "middle", bold=True)
        svg.text(x + width / 2, 228, "each block its own part", "orange", 11, "middle")
        svg.arrow(x + width / 2, 252, x + width / 2, 276, "muted", both=True)
    svg.text(left + 3 * (width + gap) + 6, 146, "…", "muted", 28)
    total = 3 * width + 2 * gap + 40
    svg.rect(left, 278, total, 46, "purple-soft", "purple", 6, 1)
    svg.text(left + total / 2, 298, "L2 cache", "purple", 14, "middle", bold=True)
    svg.text(left + total / 2, 315, "one for the whole GPU, in sectors of 32 bytes", "purple", 11, "middle")
    svg.arrow(left + total / 2, 326, left + total / 2, 350, "muted", both=True)
    svg.rect(left, 352, total, 52, "yellow-soft", "yellow", 6, 1)
    svg.text(left + total / 2, 374, "device memory (“global”)", "yellow", 14, "middle", bold=True)
    svg.text(left + total / 2, 392, "large; far away in time", "yellow", 11, "middle")
    x = left + total + 36
    svg.rect(x, 278, 128, 126, "soft", "line", 8)
    svg.text(x + 64, 318, "host", size=14, anchor="middle", bold=True)
    svg.text(x + 64, 340, "CPU and its", "muted", 12, "middle")
    svg.text(x + 64, 356, "own memory", "muted", 12, "middle")
    svg.arrow(left + total + 2, 378, x - 2, 378, "muted", both=True)
    svg.text(x + 64, 238, "small and near: top", "muted", 12, "middle")
    svg.text(x + 64, 256, "large and far: bottom", "muted", 12, "middle")
    return svg.render()


def threads():
    """A launch: a grid of blocks, a block of warps, a warp of 32 threads."""
    svg = Svg(
        880,
        330,
        "Threads of a launch",
        "A grid of six blocks is handed out to multiprocessors; "
        "one block is four warps; one warp is 32 threads that run the same instruction.",
    )
    svg.text(30, 34, "grid: kernel<<<6, 128>>>", size=14, mono=True)
    for index in range(6):
        x, y = 30 + index % 3 * 84, 50 + index // 3 * 64
        chosen = index == 2
        svg.rect(x, y, 74, 54, "orange-soft" if chosen else "soft", "orange" if chosen else "line", 5)
        svg.text(x + 37, y + 32, f"block {index}", "orange" if chosen else "ink", 13, "middle", bold=chosen)
    svg.text(30, 200, "Blocks go to any multiprocessor,", "muted", 12)
    svg.text(30, 217, "in any order, several on each.", "muted", 12)
    svg.text(30, 234, "Within one launch they cannot", "muted", 12)
    svg.text(30, 251, "wait for each other.*", "muted", 12)
    svg.path("M 273 77 C 295 77 295 63 316 63", "orange")
    svg.path("M 273 77 C 300 77 290 165 316 165", "orange")

    svg.text(318, 34, "block: 128 threads = 4 warps", size=14)
    for warp in range(4):
        y = 50 + warp * 34
        chosen = warp == 1
        svg.rect(318, y, 196, 27, "blue-soft" if chosen else "soft", "blue" if chosen else "line", 4)
        svg.text(328, y + 18, f"warp {warp}", "blue" if chosen else "ink", 13, bold=chosen)
        svg.text(506, y + 18, f"threads {32 * warp}–{32 * warp + 31}", "muted", 12, "end")
    svg.text(318, 208, "One block stays on one multiprocessor.", "muted", 12)
    svg.text(318, 225, "Its threads share its shared memory", "muted", 12)
    svg.text(318, 242, "and meet at __syncthreads().", "muted", 12)
    svg.path("M 514 98 C 536 98 536 60 560 60", "blue")
    svg.path("M 514 98 C 536 98 536 112 560 118", "blue")

    svg.text(562, 34, "warp: 32 threads (“lanes”)", size=14)
    for lane in range(32):
        x, y = 562 + lane % 16 * 18, 52 + lane // 16 * 34
        svg.rect(x, y, 15, 27, "green-soft", "green", 2, 1)
        svg.text(x + 7.5, y + 18, str(lane), "green", 9, "middle")
    svg.arrow(562, 138, 848, 138, "green")
    svg.text(705, 156, "one instruction, 32 lanes, at once", "green", 12, "middle", bold=True)
    svg.text(562, 190, "Lanes that take the other side of an if wait", "muted", 12)
    svg.text(562, 207, "meanwhile: divergence. Lanes can read each", "muted", 12)
    svg.text(562, 224, "other’s registers: shuffles.", "muted", 12)
    svg.line(30, 280, 850, 280, "line", 1)
    svg.text(
        30,
        304,
        "* But a cooperative launch guarantees that all blocks run at once; then the whole grid can wait.",
        "muted",
        12,
    )
    return svg.render()


def latency():
    """Time lines: one warp waits for memory; with more warps another one always has work."""
    svg = Svg(
        880,
        390,
        "Hiding latency",
        "With one warp the multiprocessor idles while memory answers; with seven "
        "warps there is always one that can go on.",
    )
    unit, left, work, wait = 23, 120, 1, 6

    def rows(y, warps, rounds):
        busy = set()
        for warp in range(warps):
            start = warp * work
            svg.text(left - 12, y + 14, f"warp {warp}", size=12, anchor="end")
            for _ in range(rounds):
                svg.rect(left + start * unit, y, work * unit - 2, 19, "blue", radius=3)
                busy.add(start)
                svg.rect(left + (start + work) * unit, y, wait * unit - 2, 19, "soft", "line", 3, 1)
                start += work + wait
            y += 25
        svg.text(left - 12, y + 15, "arithmetic", "muted", 12, "end")
        for slot in range(rounds * (work + wait) + warps - 1):
            svg.rect(
                left + slot * unit,
                y + 2,
                unit - 2,
                17,
                "green" if slot in busy else "red-soft",
                "none" if slot in busy else "red",
                2,
                1,
            )
        return y

    svg.text(left, 30, "one warp", size=14, bold=True)
    rows(40, 1, 3)
    svg.text(left, 122, "seven warps", size=14, bold=True)
    rows(132, 7, 3)
    y = 362
    for x, fill, stroke, label in (
        (left, "blue", "none", "issues instructions"),
        (left + 180, "soft", "line", "waits for memory"),
        (left + 350, "green", "none", "the multiprocessor works"),
        (left + 560, "red-soft", "red", "it idles"),
    ):
        svg.rect(x, y - 12, 18, 15, fill, stroke, 2, 1)
        svg.text(x + 26, y, label, "muted", 12)
    return svg.render()


def sectors():
    """One request of a warp: neighbours touch 4 sectors, a stride of 8 words touches 32."""
    svg = Svg(
        880,
        352,
        "Coalesced and strided",
        "A warp whose lanes read neighbouring words touches 4 sectors of "
        "32 bytes; with a stride of 8 words it touches 32 sectors and uses 4 bytes of each.",
    )
    left, cell = 30, 25.6

    def lanes(y, label):
        svg.text(left, y - 10, label, size=14, mono=True)
        for lane in range(32):
            svg.rect(left + lane * cell, y, cell - 3, 20, "blue-soft", "blue", 2, 1)
            svg.text(left + lane * cell + (cell - 3) / 2, y + 14, str(lane), "blue", 10, "middle")

    lanes(44, "x[i]: lane i reads word i")
    for sector in range(4):
        x = left + sector * 8 * cell
        svg.rect(x - 2, 102, 8 * cell - 2, 36, "none", "green", 4, 1.5)
        for word in range(8):
            svg.rect(x + word * cell + 2, 107, cell - 7, 26, "green", radius=2)
    for lane in range(32):
        x = left + lane * cell + (cell - 3) / 2
        svg.line(x, 65, x, 105, "line", 1)
    svg.text(left, 160, "4 sectors of 32 bytes, every byte used: coalesced", "green", 13, bold=True)

    lanes(212, "x[8 * i]: lane i reads word 8 i")
    for lane in range(32):
        x = left + lane * cell
        svg.line(x + (cell - 3) / 2, 233, x + 4, 273, "line", 1)
        svg.rect(x - 1, 270, cell - 3, 36, "none", "red", 3, 1.2)
        svg.rect(x + 1.2, 275, 3.4, 26, "red", radius=1)
        svg.rect(x + 5, 275, cell - 11, 26, "soft", radius=1)
    svg.text(
        left,
        330,
        "32 sectors, one word used of each eight: eight times the traffic for the same data",
        "red",
        13,
        bold=True,
    )
    return svg.render()


def figures():
    return {"machine.svg": machine(), "threads.svg": threads(), "latency.svg": latency(), "sectors.svg": sectors()}
