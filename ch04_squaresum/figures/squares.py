"""The pictures of chapter 4: who reads what, who works, how sums are combined, and which clocks agree."""

from svg import Svg

SECTOR = 8  # ints of four bytes in a sector of 32
WIDTH = 760


def who_reads():
    """`chunked` and `interleaved`, eight lanes of a warp, the first step of each."""
    lanes, shown, cell, left, gap = 8, 8, 9, 96, 9
    picture = Svg(
        WIDTH,
        578,
        "Which lane reads which item",
        "Eight lanes of a warp and a stretch of memory, cut into sectors of eight ints. In chunked each "
        "lane has a piece of its own, so the first step of eight lanes touches eight sectors, one item "
        "of each. In interleaved the eight lanes read the eight items of one sector.",
    )

    def item(s, i):
        return left + s * (SECTOR * cell + gap) + i * cell

    def lane_x(lane):
        return item(lane, 0) + SECTOR * cell / 2

    def memory(y, wanted, fetched):
        for s in range(shown):
            if s in fetched:
                picture.rect(item(s, 0) - 3, y - 4, SECTOR * cell + 4, 36, "none", "red", 4, 1.8)
            for i in range(SECTOR):
                lane = wanted.get((s, i))
                fill = "blue" if lane is not None else "orange-soft" if s in fetched else "soft"
                picture.rect(item(s, i), y, cell - 2, 28, fill, "line" if fill == "soft" else "none", 2, 0.5)

    for top, name, chunked in ((62, "chunked", True), (344, "interleaved", False)):
        picture.text(20, top - 30, name, "ink", 17, bold=True, mono=True)
        note = "each thread reads a piece of its own: here the first item" if chunked else "neighbours read neighbours"
        picture.text(150, top - 30, note, "muted", 16)
        for lane in range(lanes):
            picture.rect(lane_x(lane) - 30, top - 6, 60, 30, "blue-soft", "blue", 5, 1.2)
            picture.text(lane_x(lane), top + 15, f"lane {lane}", "blue", 16, "middle")
        picture.text(left - 14, top + 15, "step 0", "muted", 16, "end")
        y = top + 92
        picture.text(left - 14, y + 20, "memory", "muted", 16, "end")
        if chunked:
            wanted = {(lane, 0): lane for lane in range(lanes)}
            memory(y, wanted, range(shown))
            labels = [f"piece {lane}" for lane in range(lanes)]
        else:
            wanted = {(0, lane): lane for lane in range(lanes)}
            memory(y, wanted, {0})
            labels = [f"{8 * s}–{8 * s + 7}" for s in range(shown)]
            picture.text(left - 14, y + 54, "items", "muted", 16, "end")
        for s in range(shown):
            picture.text(lane_x(s), y + 54, labels[s], "muted", 16, "middle")
        for (s, i), lane in wanted.items():
            picture.arrow(lane_x(lane), top + 26, item(s, i) + (cell - 2) / 2, y - 6, "blue", 1.3, head=6)
        y += 88
        if chunked:
            lines = (
                ("8 sectors for 8 items. A warp of 32 lanes moves 1,024 bytes and uses 128.", "red"),
                ("The orange items are for later steps, if a cache still holds them then.", "muted"),
            )
        else:
            lines = (
                ("1 sector for 8 items. A warp of 32 lanes moves 128 bytes and uses them all.", "green"),
                ("In step 1 all lanes move on together, to the items that follow.", "muted"),
            )
        for number, (line, colour) in enumerate(lines):
            picture.text(20, y + 24 * number, line, colour, 16, bold=number == 0)
    return picture.render()


def who_works():
    """132 multiprocessors, as an H200 has them, under four launches."""
    columns, rows, cell, left, top, gap = 22, 6, 15, 20, 76, 46
    panels = [
        ("one_thread", "1 block of 1 thread", lambda m: 1 if m == 0 else 0),
        ("chunked, interleaved", "1 block of 512 threads", lambda m: 3 if m == 0 else 0),
        ("blocks to atomic", "8 blocks of 64 threads", lambda m: 2 if m < 8 else 0),
        ("full_grid", "528 blocks of 512 threads", lambda m: 4),
    ]
    works = (
        "one works: one lane of one warp",
        "one works, with 16 warps",
        "eight work, with two warps each",
        "all work, with 64 warps each: full",
    )
    fills = {0: "soft", 1: "blue-soft", 2: "blue-soft", 3: "blue", 4: "blue"}
    width, panel = columns * cell, rows * cell + 112
    picture = Svg(
        left * 2 + 2 * width + gap,
        top + 2 * panel - 24,
        "Which multiprocessors work",
        "Four pictures of the 132 multiprocessors of an H200. With one block a single one works; with "
        "eight blocks of 64 threads eight work, each with two warps; with a full grid all of them hold "
        "2048 threads each.",
    )
    picture.text(left, 30, "132 multiprocessors, one square each. Which of them work?", "ink", 17, bold=True)
    for index, (name, shape, level) in enumerate(panels):
        x0 = left + index % 2 * (width + gap)
        y0 = top + 24 + index // 2 * panel
        picture.text(x0, y0 - 34, name, "ink", 16, bold=True, mono=True)
        picture.text(x0, y0 - 12, shape, "muted", 16)
        for m in range(columns * rows):
            x, y = x0 + m % columns * cell, y0 + m // columns * cell
            amount = level(m)
            picture.rect(x, y, cell - 3, cell - 3, fills[amount], "blue" if amount else "line", 2, 1)
        picture.text(x0, y0 + rows * cell + 20, works[index], "blue" if index == 3 else "muted", 16)
    return picture.render()


def adding():
    """Eight sums of one block: added by thread 0, and in a tree."""
    count, cell, left, top = 8, 40, 20, 92
    values = [3, 1, 4, 1, 5, 9, 2, 6]
    right = left + count * cell + 76
    picture = Svg(
        right + count * cell + 20,
        432,
        "Thread 0 adds, or all in a tree",
        "Eight sums in shared memory. On the left thread 0 adds them one after the other in seven steps. "
        "On the right, half the threads add the other half's sums, then a quarter, then one: three steps.",
    )

    def numbers(x0, y, shown, live):
        for i in range(count):
            x = x0 + i * cell
            on = i in live
            picture.rect(x + 2, y - 15, cell - 4, 30, "blue-soft" if on else "soft", "blue" if on else "line", 4, 1)
            picture.text(x + cell / 2, y + 5, str(shown[i]), "ink" if on else "muted", 16, "middle", mono=True)

    picture.text(left, 30, "thread0", "ink", 17, bold=True, mono=True)
    picture.text(left + 88, 30, "7 additions, one by one", "muted", 16)
    picture.text(right, 30, "tree", "ink", 17, bold=True, mono=True)
    picture.text(right + 56, 30, "the same 7 additions in 3 steps", "muted", 16)
    for x0 in (left, right):
        for i in range(count):
            picture.text(x0 + (i + 0.5) * cell, 62, f"t{i}", "muted", 16, "middle", mono=True)
    numbers(left, top, values, range(count))
    running = values[0]
    x1 = left + cell / 2
    for i in range(1, count):
        running += values[i]
        y = top + 34 * i
        x2 = left + (i + 0.5) * cell
        picture.line(x2, top + 17, x2, y, "line", 1.2)
        picture.arrow(x2, y, x1 + 20, y, "orange", 1.5)
        picture.rect(x1 - 18, y - 13, 36, 27, "orange-soft", "orange", 4, 1)
        picture.text(x1, y + 5, str(running), "ink", 16, "middle", mono=True)
    sums, y, half = list(values), top, count // 2
    numbers(right, y, sums, range(count))
    step = 1
    while half:
        below = y + 78
        for t in range(half):
            x, other = right + (t + 0.5) * cell, right + (t + half + 0.5) * cell
            picture.arrow(x, y + 17, x, below - 17, "orange", 1.5)
            picture.arrow(other, y + 17, x + 5, below - 17, "orange", 1.5)
            sums[t] += sums[t + half]
        picture.text(right - 8, (y + below) / 2 + 5, f"step {step}", "muted", 16, "end")
        numbers(right, below, sums, range(half))
        y, half, step = below, half // 2, step + 1
    picture.text(left, 388, "Seven threads wait while one works.", "muted", 16)
    picture.text(right, 388, "Twice as many threads take one", "muted", 16)
    picture.text(right, 411, "more step and one more barrier.", "muted", 16)
    return picture.render()


def clocks():
    """Two blocks on two multiprocessors: three clocks, and the differences that mean something."""
    left, scale = 164, 1.88
    picture = Svg(
        WIDTH,
        492,
        "Why clocks of two multiprocessors cannot be subtracted",
        "Two blocks on a common time line. The multiprocessors' counters began at different moments, so "
        "the counter of multiprocessor 0 shows 9100 when that of multiprocessor 1 shows 2600. Each "
        "block's own length is right. The last end minus the first start mixes two counters and means nothing.",
    )

    def at(t):
        return left + t * scale

    def ruler(y, first, step, colour, ticks):
        picture.line(at(0), y, at(300), y, colour, 1.5)
        for i in range(ticks + 1):
            x = at(300 * i / ticks)
            picture.line(x, y, x, y + 6, colour, 1.2)
            picture.text(x, y + 24, f"{first + i * step}", colour, 16, "middle", mono=True)

    for row, (name, first, start, end, colour, soft) in enumerate(
        (
            ("multiprocessor 0", 9000, 20, 200, "blue", "blue-soft"),
            ("multiprocessor 1", 2500, 60, 280, "purple", "purple-soft"),
        )
    ):
        y = 24 + row * 122
        picture.text(16, y + 22, name, colour, 16, bold=True)
        picture.text(16, y + 46, "its own", "muted", 16)
        picture.text(16, y + 68, "counter", "muted", 16)
        picture.rect(at(start), y, (end - start) * scale, 32, soft, colour, 4, 1.3)
        label = f"block {row}: {first + end} - {first + start} = {end - start} cycles"
        picture.text(at((start + end) / 2), y + 22, label, colour, 16, "middle")
        ruler(y + 44, first, 50, colour, 6)
    y = 290
    picture.text(16, y + 6, "%globaltimer", "green", 16, bold=True, mono=True)
    picture.text(16, y + 32, "one per device", "muted", 16)
    ruler(y, 700, 50, "green", 6)
    for t in (20, 280):
        picture.line(at(t), 58 if t == 20 else 180, at(t), y - 2, "green", 1.2, "4 4")
    for line, text, colour in (
        (0, "The common clock: from 720 to 980, so the grid took 260 ns.", "green"),
        (1, "The counters: last end 9200, first start 2560, difference 6640 “cycles”.", "red"),
        (2, "But the two numbers come from two counters: their difference shows mostly", "red"),
        (3, "how far apart the counters started.", "red"),
    ):
        picture.text(16, y + 84 + 26 * line + (10 if line else 0), text, colour, 16, bold=not line)
    return picture.render()


def counted_words():
    """The counted words of `counted`: a count of blocks in the upper bits, a sum of half sums in the lower ones."""
    left, width, gap = 20, 346, 28
    picture = Svg(
        WIDTH,
        404,
        "A sum and a count in one word",
        "Each block splits its 64-bit sum into two halves of 32 bits and adds each to a word of its own. "
        "The top 16 bits of each word count the blocks, the 48 bits below hold the sum of the halves. "
        "When the count is complete, so is the sum.",
    )
    picture.text(left, 28, "a block's sum:", "ink", 16)
    picture.text(left, 204, "two words, for all blocks:", "ink", 16)
    for index, (name, colour) in enumerate((("high", "purple"), ("low", "orange"))):
        x, count = left + index * (width + gap), 130
        picture.rect(x + count, 40, width - count, 34, f"{colour}-soft", colour, 3, 1.3)
        middle = x + count + (width - count) / 2
        picture.text(middle, 62, f"its {name} half, 32 bits", colour, 16, "middle")
        picture.arrow(middle, 78, middle, 214, colour, 1.8)
        picture.lines(middle - 12, 110, ("one atomicAdd:", "the half, and", "1 for the count"), colour, "end")
        picture.rect(x, 219, count, 36, "green-soft", "green", 3, 1.3)
        picture.rect(x + count, 219, width - count, 36, "blue-soft", "blue", 3, 1.3)
        picture.text(x + count / 2, 243, "blocks so far", "green", 16, "middle")
        picture.text(middle, 243, f"sum of the {name} halves", "blue", 16, "middle")
        picture.text(x, 277, "bit 63", "muted", 16)
        picture.text(x + count - 3, 277, "48", "muted", 16, "end")
        picture.text(x + count + 4, 277, "47", "muted", 16)
        picture.text(x + width, 277, "0", "muted", 16, "end")
    for line, text in enumerate(
        (
            "A thread that reads a complete count has read the complete sum: they are one word.",
            "At most 2^15 blocks each add a half below 2^32: the sum stays below 2^47, and",
            "never reaches the count. The result is low + (high << 32).",
        )
    ):
        picture.text(left, 320 + 26 * line, text, "muted" if line else "ink", 16)
    return picture.render()


def figures():
    return {
        "who_reads.svg": who_reads(),
        "who_works.svg": who_works(),
        "adding.svg": adding(),
        "clocks.svg": clocks(),
        "counted_words.svg": counted_words(),
    }
