"""The pictures of docs/first_kernel.md: the guard, a lost addition, a barrier, shuffles."""

from svg import Svg

TEXT = 16


def guard():
    """Four blocks of 256 threads for 1,000 items: 24 threads have no item."""
    threads, blocks, items = 256, 4, 1000
    width, left, top, scale = 640, 20, 66, 600 / (256 * 4)
    picture = Svg(
        width,
        308,
        "The guard",
        "Four blocks of 256 threads are 1,024 threads. The array has 1,000 items. The last 24 threads of block 3 are "
        "beyond its end.",
    )
    picture.text(left, 28, "4 blocks of 256 threads: 1,024 threads", "ink", TEXT, bold=True)
    for block in range(blocks):
        x = left + block * threads * scale
        picture.rect(x, top - 22, threads * scale - 4, 44, "blue-soft", "blue", 4)
        picture.text(x + threads * scale / 2 - 2, top + 6, f"block {block}", "blue", TEXT, "middle")
    end = left + items * scale
    last = left + threads * blocks * scale - 4
    picture.rect(end, top - 22, last - end, 44, "red-soft", "red", 3)
    picture.text(left, top + 86, "1,000 items", "ink", TEXT, bold=True)
    picture.rect(left, top + 100, end - left, 40, "green-soft", "green", 4)
    picture.text((left + end) / 2, top + 126, "item i belongs to thread i", "green", TEXT, "middle")
    picture.rect(end, top + 100, last - end, 40, "none", "red", 3)
    picture.line(end, top - 32, end, top + 152, "red", 1.5, "5 4")
    picture.line((end + last) / 2, top + 24, (end + last) / 2, top + 98, "red", 1.5)
    picture.text(left, top + 178, "threads 1000 to 1023: 24 threads too many", "red", TEXT, bold=True)
    picture.text(left, top + 202, "without the guard they use memory past the end of the array", "red", TEXT)
    picture.text(left, top + 226, "if (i < n)", "ink", TEXT, mono=True, bold=True)
    picture.text(left + 104, top + 226, "stops exactly these", "ink", TEXT)
    return picture.render()


def lost_addition():
    """Two threads add 1 to the same word: load, load, store, store."""
    columns = {"thread 0": 120, "counter": 320, "thread 1": 520}
    picture = Svg(
        640,
        392,
        "A lost addition",
        "Thread 0 loads 7, thread 1 loads 7, thread 0 stores 8, thread 1 stores 8. Two additions were made, and the "
        "counter has grown by one.",
    )
    picture.text(320, 28, "counter += 1, by two threads", "ink", TEXT, "middle", bold=True)
    for name, x in columns.items():
        picture.text(x, 62, name, "orange" if name == "counter" else "ink", TEXT, "middle", bold=True)
        if name != "counter":
            picture.line(x, 74, x, 330, "line", 2)
    for y, value in ((78, 7), (214, 8), (282, 8)):
        picture.rect(290, y, 60, 40, "orange-soft", "orange", 4)
        picture.text(320, y + 27, str(value), "orange", 18, "middle", bold=True, mono=True)
    steps = (
        (98, "thread 0", "load", "loads 7"),
        (150, "thread 1", "load", "loads 7"),
        (234, "thread 0", "store", "7 + 1: stores 8"),
        (302, "thread 1", "store", "7 + 1: stores 8"),
    )
    for y, who, kind, text in steps:
        is_left = who == "thread 0"
        near, far = (286, 128) if is_left else (354, 512)
        if kind == "load":
            picture.arrow(near, y, far, y, "blue", 2)
        else:
            picture.arrow(far, y, near, y, "red", 2)
        picture.text((near + far) / 2, y - 9, text, "blue" if kind == "load" else "red", TEXT, "middle")
    picture.line(320, 120, 320, 212, "orange", 2, "4 4")
    picture.text(320, 366, "two additions, and the counter has grown by 1", "red", TEXT, "middle", bold=True)
    return picture.render()


def barrier():
    """Threads write shared memory, wait, and read what others wrote."""
    picture = Svg(
        664,
        330,
        "A barrier",
        "Four threads store into shared memory at different times. At the barrier each of them waits for the last. "
        "Only then do they read what their neighbours stored.",
    )
    left, top, row = 110, 66, 46
    at = 370
    picture.text(left, 32, "time", "muted", TEXT)
    picture.arrow(left + 44, 27, 634, 27, "muted")
    for thread, stores in enumerate((72, 140, 190, 100)):
        y = top + row * thread
        picture.text(left - 14, y + 21, f"thread {thread}", "ink", TEXT, "end")
        picture.rect(left, y, stores, 30, "blue-soft", "blue", 4)
        picture.text(left + stores / 2, y + 21, "stores", "blue", TEXT, "middle")
        picture.rect(left + stores + 2, y, at - 12 - left - stores, 30, "soft", "line", 4)
        picture.text(left + stores + (at - 12 - left - stores) / 2, y + 21, "waits", "muted", TEXT, "middle")
        picture.rect(at + 8, y, 246, 30, "green-soft", "green", 4)
        picture.text(at + 131, y + 21, "reads its neighbour's item", "green", TEXT, "middle")
    picture.line(at, top - 14, at, top + 4 * row + 2, "red", 3)
    picture.text(at, top + 4 * row + 28, "__syncthreads()", "red", TEXT, "middle", bold=True, mono=True)
    picture.text(
        332, top + 4 * row + 62, "without it, thread 1 may read item 2 too early: a race", "red", TEXT, "middle"
    )
    return picture.render()


def shuffles():
    """What eight lanes get from __shfl_sync, __shfl_down_sync and __shfl_xor_sync."""
    lanes, cell, left, top, row = 8, 52, 200, 92, 132
    picture = Svg(
        left + lanes * cell + 24,
        top + 2 * row + 92,
        "Shuffles",
        "Eight lanes hold the values a to h. With __shfl_sync(mine, 0) all lanes get a. With __shfl_down_sync(mine, 1) "
        "each lane gets the value of the next lane, and the last one keeps its own. With __shfl_xor_sync(mine, 4) "
        "lanes 0 and 4, 1 and 5, 2 and 6, 3 and 7 exchange their values.",
    )
    names = "abcdefgh"
    picture.text(left - 16, 32, "lane", "muted", TEXT, "end")
    for lane in range(lanes):
        picture.text(left + cell * (lane + 0.5), 32, str(lane), "muted", TEXT, "middle", mono=True)
    kinds = (
        ("shfl(mine, 0)", lambda lane: 0),
        ("shfl_down(mine, 1)", lambda lane: lane + 1 if lane + 1 < lanes else lane),
        ("shfl_xor(mine, 4)", lambda lane: lane ^ 4),
    )
    for index, (title, source) in enumerate(kinds):
        y = top - 44 + row * index
        picture.text(left - 16, y + 22, "mine", "ink", TEXT, "end", mono=True)
        picture.text(left - 16, y + 92, title, "ink", TEXT, "end", mono=True)
        for lane in range(lanes):
            x = left + cell * lane
            picture.rect(x + 4, y, cell - 8, 32, "soft", "line", 4)
            picture.text(x + cell / 2, y + 22, names[lane], "ink", TEXT, "middle", mono=True)
        for lane in range(lanes):
            x = left + cell * (lane + 0.5)
            start = left + cell * (source(lane) + 0.5)
            colour = "muted" if source(lane) == lane and index == 1 else "blue" if start <= x else "orange"
            picture.arrow(start, y + 34, x, y + 69, colour, 1.5)
        for lane in range(lanes):
            x = left + cell * lane
            picture.rect(x + 4, y + 70, cell - 8, 32, "blue-soft", "blue", 4)
            picture.text(x + cell / 2, y + 92, names[source(lane)], "blue", TEXT, "middle", bold=True, mono=True)
    return picture.render()


def figures():
    return {
        "guard.svg": guard(),
        "lost_addition.svg": lost_addition(),
        "barrier.svg": barrier(),
        "shuffles.svg": shuffles(),
    }
