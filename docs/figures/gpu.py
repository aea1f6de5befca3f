"""The pictures of docs/gpu.md: the machine, threads on it, latency hiding, sectors."""

from svg import Svg

WIDTH = 760


def machine():
    """Multiprocessors with their own memories; the L2 cache and the memory that all share."""
    svg = Svg(
        WIDTH,
        560,
        "A GPU",
        "Many multiprocessors, each with registers, schedulers and shared memory; "
        "below them one L2 cache and the device memory that all of them share; the host at the bottom.",
    )
    left, width, gap = 20, 220, 16
    for index in range(3):
        x = left + index * (width + gap)
        svg.rect(x, 16, width, 282, "soft", "line", 8)
        svg.text(x + width / 2, 40, "multiprocessor", size=16, anchor="middle", bold=True)
        for part in range(4):
            px = x + 12 + part * 50
            svg.rect(px, 52, 45, 56, "blue-soft", "blue", 4, 1)
            for row in range(4):
                for column in range(4):
                    svg.rect(px + 4.5 + column * 9.5, 59 + row * 11, 7.5, 8, "blue", radius=1)
        svg.text(x + width / 2, 130, "warps, on 4 schedulers", "blue", 16, "middle")
        svg.rect(x + 12, 144, width - 24, 62, "green-soft", "green", 4, 1)
        svg.text(x + width / 2, 169, "registers", "green", 16, "middle", bold=True)
        svg.text(x + width / 2, 193, "some per thread", "green", 16, "middle")
        svg.rect(x + 12, 216, width - 24, 70, "orange-soft", "orange", 4, 1)
        svg.text(x + width / 2, 244, "shared memory, L1", "orange", 16, "middle", bold=True)
        svg.text(x + width / 2, 268, "a part per block", "orange", 16, "middle")
        svg.arrow(x + width / 2, 300, x + width / 2, 324, "muted", both=True)
    total = 3 * width + 2 * gap
    svg.text(left + total + 8, 160, "…", "muted", 28)
    for y, height, colour, name, note in (
        (326, 62, "purple", "L2 cache", "one for the whole GPU, in sectors of 32 bytes"),
        (414, 62, "yellow", "device memory (“global”)", "large, and far away in time"),
    ):
        svg.rect(left, y, total, height, f"{colour}-soft", colour, 6, 1)
        svg.text(left + total / 2, y + 25, name, colour, 16, "middle", bold=True)
        svg.text(left + total / 2, y + 49, note, colour, 16, "middle")
        svg.arrow(left + total / 2, y + height + 2, left + total / 2, y + height + 24, "muted", both=True)
    svg.rect(left, 502, total, 40, "soft", "line", 8)
    svg.text(left + total / 2, 527, "host: the CPU and its own memory", size=16, anchor="middle", bold=True)
    return svg.render()


def threads():
    """A launch: a grid of blocks, a block of warps, a warp of 32 threads."""
    svg = Svg(
        WIDTH,
        628,
        "Threads of a launch",
        "A grid of six blocks is handed out to multiprocessors; "
        "one block is four warps; one warp is 32 threads that run the same instruction.",
    )

    svg.text(20, 34, "grid: kernel<<<6, 128>>>", size=16, bold=True, mono=True)
    for index in range(6):
        x, y = 20 + index % 3 * 108, 50 + index // 3 * 60
        chosen = index == 2
        svg.rect(x, y, 98, 50, "orange-soft" if chosen else "soft", "orange" if chosen else "line", 5)
        svg.text(x + 49, y + 31, f"block {index}", "orange" if chosen else "ink", 16, "middle", bold=chosen)
    svg.lines(
        20,
        190,
        (
            "Blocks go to any multiprocessor, in",
            "any order, several on each. Within one",
            "launch they cannot wait for each other.*",
        ),
        "muted",
    )
    svg.path("M 334 75 C 370 75 370 66 406 66", "orange")
    svg.path("M 334 75 C 380 75 360 196 406 196", "orange")

    svg.text(410, 34, "block: 128 threads = 4 warps", size=16, bold=True)
    for warp in range(4):
        y = 50 + warp * 38
        chosen = warp == 1
        svg.rect(410, y, 320, 31, "blue-soft" if chosen else "soft", "blue" if chosen else "line", 4)
        svg.text(422, y + 21, f"warp {warp}", "blue" if chosen else "ink", 16, bold=chosen)
        svg.text(718, y + 21, f"threads {32 * warp}–{32 * warp + 31}", "muted", 16, "end")
    svg.lines(
        410,
        228,
        (
            "One block stays on one multiprocessor.",
            "Its threads share its shared memory",
            "and wait at __syncthreads().",
        ),
        "muted",
    )
    svg.path("M 730 104 C 756 104 756 330 700 346", "blue")

    svg.text(20, 324, "warp: 32 threads (“lanes”)", size=16, bold=True)
    for lane in range(32):
        x, y = 20 + lane % 16 * 44, 352 + lane // 16 * 38
        svg.rect(x, y, 38, 31, "green-soft", "green", 2, 1)
        svg.text(x + 19, y + 21, str(lane), "green", 16, "middle")
    svg.arrow(20, 442, 718, 442, "green")
    svg.text(370, 468, "one instruction, 32 lanes, at once", "green", 16, "middle", bold=True)
    svg.lines(
        20,
        500,
        (
            "Lanes that take the other side of an if wait meanwhile: divergence.",
            "Lanes can read each other’s registers: shuffles.",
        ),
        "muted",
    )
    svg.line(20, 546, WIDTH - 20, 546, "line", 1)
    guarantee = ("* But a cooperative launch guarantees that all blocks run at once;", "then the whole grid can wait.")
    svg.lines(20, 574, guarantee, "muted")
    return svg.render()


def latency():
    """Time lines: one warp waits for memory; with more warps there is always one with work to do."""
    svg = Svg(
        WIDTH,
        440,
        "Hiding latency",
        "With one warp the multiprocessor idles while memory answers; with seven "
        "warps there is always one that can go on.",
    )
    unit, left, work, wait = 22.5, 126, 1, 6

    def rows(y, warps, rounds):
        busy = set()
        for warp in range(warps):
            start = warp * work
            svg.text(left - 12, y + 16, f"warp {warp}", size=16, anchor="end")
            for _ in range(rounds):
                svg.rect(left + start * unit, y, work * unit - 2, 19, "blue", radius=3)
                busy.add(start)
                svg.rect(left + (start + work) * unit, y, wait * unit - 2, 19, "soft", "line", 3, 1)
                start += work + wait
            y += 25
        svg.text(left - 12, y + 17, "in all", "muted", 16, "end")
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

    svg.text(left, 30, "one warp", size=16, bold=True)
    rows(40, 1, 3)
    svg.text(left, 126, "seven warps", size=16, bold=True)
    rows(136, 7, 3)
    for x, y, fill, stroke, label in (
        (left, 388, "blue", "none", "issues instructions"),
        (left + 260, 388, "soft", "line", "waits for memory"),
        (left, 416, "green", "none", "the multiprocessor works"),
        (left + 260, 416, "red-soft", "red", "it idles"),
    ):
        svg.rect(x, y - 13, 18, 15, fill, stroke, 2, 1)
        svg.text(x + 28, y, label, "muted", 16)
    return svg.render()


def sectors():
    """One request of a warp: neighbours touch 4 sectors, a stride of 8 words touches 32."""
    svg = Svg(
        WIDTH,
        372,
        "Coalesced and strided",
        "A warp whose lanes read neighbouring words touches 4 sectors of "
        "32 bytes; with a stride of 8 words it touches 32 sectors and uses 4 bytes of each.",
    )
    left, cell = 20, 22.5

    def lanes(y, label):
        svg.text(left, y - 12, label, size=16, mono=True)
        for lane in range(32):
            svg.rect(left + lane * cell, y, cell - 2, 24, "blue-soft", "blue", 2, 1)
            if lane % 4 == 0 or lane == 31:
                svg.text(left + lane * cell + (cell - 2) / 2, y + 18, str(lane), "blue", 16, "middle")

    lanes(44, "x[i]: lane i reads word i")
    for sector in range(4):
        x = left + sector * 8 * cell
        svg.rect(x - 1, 106, 8 * cell - 2, 36, "none", "green", 4, 1.5)
        for word in range(8):
            svg.rect(x + word * cell + 2, 111, cell - 6, 26, "green", radius=2)
    for lane in range(32):
        x = left + lane * cell + (cell - 2) / 2
        svg.line(x, 69, x, 109, "line", 1)
    svg.text(left, 168, "4 sectors of 32 bytes, every byte used: coalesced", "green", 16, bold=True)

    lanes(226, "x[8 * i]: lane i reads word 8 i")
    for lane in range(32):
        x = left + lane * cell
        svg.line(x + (cell - 2) / 2, 251, x + 4, 287, "line", 1)
        svg.rect(x - 1, 284, cell - 3, 36, "none", "red", 3, 1.2)
        svg.rect(x + 1.2, 289, 3.4, 26, "red", radius=1)
        svg.rect(x + 5, 289, cell - 11, 26, "soft", radius=1)
    svg.text(
        left, 350, "32 sectors, one word in eight used: eight times the traffic for the same data", "red", 16, bold=True
    )
    return svg.render()


def figures():
    return {"machine.svg": machine(), "threads.svg": threads(), "latency.svg": latency(), "sectors.svg": sectors()}
