"""The pictures of chapter 4: who reads what, who works, how sums meet, and which clocks agree."""

from svg import Svg

SECTOR = 8  # ints of four bytes in a sector of 32


def who_reads():
    """`chunked` and `interleaved`, eight lanes of a warp, the first step of each."""
    lanes, shown, cell, left = 8, 8, 11, 122
    gap = 9
    width = shown * (SECTOR * cell + gap)
    picture = Svg(
        left + width + 24,
        508,
        "Which lane reads which item",
        "Eight lanes of a warp and a stretch of memory, cut into sectors of eight ints. In chunked each "
        "lane has a piece of its own, so the first step of eight lanes touches eight sectors, one item "
        "of each. In interleaved the eight lanes read the eight items of one sector.",
    )

    def sectors(y, labels):
        for s in range(shown):
            x = left + s * (SECTOR * cell + gap)
            picture.text(x + SECTOR * cell / 2, y + 48, labels[s], "muted", 12, "middle")

    def item(s, i):
        return left + s * (SECTOR * cell + gap) + i * cell

    def memory(y, wanted, fetched):
        for s in range(shown):
            if s in fetched:
                picture.rect(item(s, 0) - 3, y - 4, SECTOR * cell + 5, 36, "none", "red", 4, 1.8)
            for i in range(SECTOR):
                lane = wanted.get((s, i))
                fill = "blue" if lane is not None else "orange-soft" if s in fetched else "soft"
                picture.rect(item(s, i), y, cell - 2, 28, fill, "none", 2)

    def row_of_lanes(y):
        for lane in range(lanes):
            x = item(lane, 0) + SECTOR * cell / 2
            picture.rect(x - 22, y - 15, 44, 24, "blue-soft", "blue", 5, 1.2)
            picture.text(x, y + 2, f"lane {lane}", "blue", 12, "middle")

    def lane_x(lane):
        return item(lane, 0) + SECTOR * cell / 2

    for top, name, chunked in ((56, "chunked", True), (306, "interleaved", False)):
        picture.text(24, top - 22, name, "ink", 16, bold=True, mono=True)
        note = "each thread its own piece, here the first item of each" if chunked else "neighbours read neighbours"
        picture.text(146, top - 22, note, "muted", 13)
        row_of_lanes(top + 16)
        picture.text(left - 16, top + 18, "step 0", "muted", 13, "end")
        y = top + 92
        picture.text(left - 16, y + 19, "memory", "muted", 13, "end")
        if chunked:
            wanted = {(lane, 0): lane for lane in range(lanes)}
            memory(y, wanted, range(shown))
            sectors(y, [f"piece {lane}" for lane in range(lanes)])
        else:
            wanted = {(0, lane): lane for lane in range(lanes)}
            memory(y, wanted, {0})
            sectors(y, [f"items {8 * s}–{8 * s + 7}" for s in range(shown)])
        for (s, i), lane in wanted.items():
            picture.arrow(lane_x(lane), top + 27, item(s, i) + (cell - 2) / 2, y - 5, "blue", 1.3, head=6)
        y += 76
        if chunked:
            picture.text(
                left,
                y,
                "8 sectors for 8 items. A warp of 32 lanes: 32 sectors, 1024 bytes moved for 128 that are used now.",
                "red",
                13,
                bold=True,
            )
            picture.text(
                left, y + 20, "The orange items are for later steps, if they are still in a cache by then.", "muted", 13
            )
        else:
            picture.text(
                left,
                y,
                "1 sector for 8 items. A warp of 32 lanes: 4 sectors, 128 bytes moved, all of them used at once.",
                "green",
                13,
                bold=True,
            )
            picture.text(
                left, y + 20, "In step 1 all lanes move on together, to the items to the right of these.", "muted", 13
            )
    return picture.render()


def who_works():
    """132 multiprocessors, as an H200 has them, under four launches."""
    columns, rows, cell, left, top = 22, 6, 15, 24, 66
    panels = [
        ("one_thread", "1 block of 1 thread", lambda m: 1 if m == 0 else 0),
        ("chunked, interleaved", "1 block of 512 threads", lambda m: 3 if m == 0 else 0),
        ("blocks to atomic", "8 blocks of 64 threads", lambda m: 2 if m < 8 else 0),
        ("full_grid", "528 blocks of 512 threads", lambda m: 4),
    ]
    fills = {0: "soft", 1: "blue-soft", 2: "blue-soft", 3: "blue", 4: "blue"}
    width = columns * cell
    picture = Svg(
        left * 2 + 2 * width + 46,
        top + 2 * (rows * cell + 74) - 28,
        "Which multiprocessors work",
        "Four pictures of the 132 multiprocessors of an H200. With one block a single one works; with "
        "eight blocks of 64 threads eight work, each with two warps; with a full grid all of them hold "
        "2048 threads each.",
    )
    picture.text(left, 28, "132 multiprocessors, one square each. Which of them work?", "ink", 15, bold=True)
    for index, (name, shape, level) in enumerate(panels):
        x0 = left + index % 2 * (width + 46)
        y0 = top + index // 2 * (rows * cell + 74)
        picture.text(x0, y0 - 8, name, "ink", 13, bold=True, mono=True)
        picture.text(x0 + width, y0 - 8, shape, "muted", 13, "end")
        for m in range(columns * rows):
            x, y = x0 + m % columns * cell, y0 + m // columns * cell
            amount = level(m)
            picture.rect(x, y, cell - 3, cell - 3, fills[amount], "blue" if amount else "line", 2, 1)
        used = {
            0: "one works, with one lane of one warp",
            1: "one works, with 16 warps",
            2: "eight of them work, with two warps each",
            3: "all work, with 64 warps each, as many as they hold",
        }
        picture.text(x0, y0 + rows * cell + 16, used[index], "blue" if index == 3 else "muted", 13)
    return picture.render()


def adding():
    """Eight sums of one block: added by thread 0, and in a tree."""
    count, cell, left, top = 8, 46, 30, 92
    values = [3, 1, 4, 1, 5, 9, 2, 6]
    right = left + count * cell + 92
    picture = Svg(
        right + count * cell + 30,
        398,
        "Thread 0 adds, or all in a tree",
        "Eight sums in shared memory. On the left thread 0 adds them one after the other in seven steps. "
        "On the right half of the threads add the other half's sums, then a quarter, then one: three steps.",
    )

    def numbers(x0, y, shown, live):
        for i in range(count):
            x = x0 + i * cell
            on = i in live
            picture.rect(x + 3, y - 15, cell - 6, 30, "blue-soft" if on else "soft", "blue" if on else "line", 4, 1)
            picture.text(x + cell / 2, y + 5, str(shown[i]), "ink" if on else "muted", 14, "middle", mono=True)

    picture.text(left, 30, "thread0", "ink", 15, bold=True, mono=True)
    picture.text(left + 78, 30, "7 additions, one after the other", "muted", 13)
    picture.text(right, 30, "tree", "ink", 15, bold=True, mono=True)
    picture.text(right + 52, 30, "the same 7 additions in 3 steps", "muted", 13)
    for x0 in (left, right):
        for i in range(count):
            picture.text(x0 + (i + 0.5) * cell, 60, f"t{i}", "muted", 12, "middle", mono=True)
    numbers(left, top, values, range(count))
    running = values[0]
    x1 = left + cell / 2
    for i in range(1, count):
        running += values[i]
        y = top + 34 * i
        x2 = left + (i + 0.5) * cell
        picture.line(x2, top + 17, x2, y, "line", 1.2)
        picture.line(x2, y, x1 + 24, y, "line", 1.2)
        picture.arrow(x2, y, x1 + 23, y, "orange", 1.5)
        picture.rect(x1 - 20, y - 12, 40, 25, "orange-soft", "orange", 4, 1)
        picture.text(x1, y + 5, str(running), "ink", 13, "middle", mono=True)
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
        picture.text(right - 8, (y + below) / 2 + 5, f"step {step}", "muted", 13, "end")
        numbers(right, below, sums, range(half))
        y, half, step = below, half // 2, step + 1
    picture.text(left, 380, "Seven threads wait while one works.", "muted", 13)
    picture.text(right, 380, "Twice as many threads take one more step and one more barrier.", "muted", 13)
    return picture.render()


def clocks():
    """Two blocks on two multiprocessors: three clocks, and the differences that mean something."""
    left, scale = 196, 2.35
    picture = Svg(
        left + 300 * scale + 40,
        430,
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
            picture.text(x, y + 20, f"{first + i * step}", colour, 12, "middle", mono=True)

    for row, (name, first, start, end, colour, soft) in enumerate(
        (
            ("multiprocessor 0", 9000, 20, 200, "blue", "blue-soft"),
            ("multiprocessor 1", 2500, 60, 280, "purple", "purple-soft"),
        )
    ):
        y = 52 + row * 108
        picture.text(24, y + 18, name, colour, 14, bold=True)
        picture.text(24, y + 50, "its own counter", "muted", 13)
        picture.rect(at(start), y, (end - start) * scale, 28, soft, colour, 4, 1.3)
        picture.text(
            at((start + end) / 2),
            y + 19,
            f"block {row}: {first + end} - {first + start} = {end - start} cycles",
            colour,
            13,
            "middle",
        )
        ruler(y + 38, first, 50, colour, 6)
    y = 284
    picture.text(24, y + 6, "%globaltimer", "green", 14, bold=True, mono=True)
    picture.text(24, y + 26, "one for the device", "muted", 13)
    ruler(y, 700, 50, "green", 6)
    for t in (20, 280):
        picture.line(at(t), 84 if t == 20 else 188, at(t), y - 2, "green", 1.2, "4 4")
    picture.text(24, y + 66, "The common clock: from 720 to 980, so the grid took 260 ns.", "green", 14, bold=True)
    picture.text(
        24,
        y + 92,
        "The counters: last end 9200, first start 2560, so 6640 “cycles”. But the two numbers come from two",
        "red",
        14,
    )
    picture.text(
        24, y + 112, "counters, and their difference mostly shows how far apart the counters started.", "red", 14
    )
    return picture.render()


def counted_words():
    """The counted words of `counted`: a count of blocks in the upper bits, a sum of half sums in the lower ones."""
    left, width, gap = 130, 340, 30
    picture = Svg(
        left + 2 * width + gap + 34,
        318,
        "A sum and a count in one word",
        "Each block splits its 64-bit sum into two halves of 32 bits and adds each to a word of its own. "
        "The top 16 bits of each word count the blocks, the 48 bits below hold the sum of the halves. "
        "When the count is complete, so is the sum.",
    )
    picture.text(left - 14, 42, "a block's sum", "ink", 14, "end")
    picture.text(left - 14, 170, "two words,", "ink", 14, "end")
    picture.text(left - 14, 188, "for all blocks", "ink", 14, "end")
    for index, (name, colour) in enumerate((("high", "purple"), ("low", "orange"))):
        x, count = left + index * (width + gap), width * 0.3
        picture.rect(x + count, 22, width - count, 30, f"{colour}-soft", colour, 3, 1.3)
        picture.text(x + count + (width - count) / 2, 42, f"its {name} half, 32 bits", colour, 13, "middle")
        middle = x + count + (width - count) / 2
        picture.arrow(middle, 56, middle, 152, colour, 1.8)
        picture.text(middle - 12, 90, "one atomicAdd:", colour, 13, "end")
        picture.text(middle - 12, 108, "the half, and", colour, 13, "end")
        picture.text(middle - 12, 126, "1 for the count", colour, 13, "end")
        picture.rect(x, 157, count, 34, "green-soft", "green", 3, 1.3)
        picture.rect(x + count, 157, width - count, 34, "blue-soft", "blue", 3, 1.3)
        picture.text(x + count / 2, 179, "blocks so far", "green", 13, "middle")
        picture.text(middle, 179, f"sum of the {name} halves", "blue", 13, "middle")
        picture.text(x, 209, "bit 63", "muted", 12)
        picture.text(x + count - 2, 209, "48", "muted", 12, "end")
        picture.text(x + count + 3, 209, "47", "muted", 12)
        picture.text(x + width, 209, "0", "muted", 12, "end")
    picture.text(
        24,
        256,
        "Count and sum are one word: a thread that reads a complete count has read the complete sum.",
        "ink",
        14,
    )
    picture.text(
        24,
        282,
        "At most 2^15 blocks add a half below 2^32 each: the sum stays below 2^47, and never reaches the count.",
        "muted",
        13,
    )
    picture.text(24, 302, "The result is low + (high << 32).", "muted", 13)
    return picture.render()


def figures():
    return {
        "who_reads.svg": who_reads(),
        "who_works.svg": who_works(),
        "adding.svg": adding(),
        "clocks.svg": clocks(),
        "counted_words.svg": counted_words(),
    }
