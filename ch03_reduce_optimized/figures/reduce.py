"""The pictures of chapter 3: bytes in flight, sectors, shuffles, how the last sum is found; its charts."""

import re

import chart
import results
from svg import Svg

WARP, WORDS_IN_SECTOR, LOADS = 32, 8, 8


def reads():
    """Which sectors a warp's eight loads touch: contiguous and coalesced."""
    sectors, width, height, left, top = 32, 17, 24, 74, 112
    gap = 6
    grid = sectors * width + (LOADS - 1) * gap
    block = LOADS * height
    picture = Svg(
        left + grid + 84,
        top + 2 * block + 196,
        "Eight loads of one warp",
        "Each warp reads 256 floats in eight loads. In contiguous every load touches all 32 "
        "sectors and takes one word of each: 256 "
        "sectors in all. In coalesced each load touches four sectors of its own and uses them "
        "whole: 32 sectors in all.",
    )

    def panel(y0, name, note, words_of, colour):
        picture.text(left, y0 - 76, name, "ink", 18, bold=True, mono=True)
        picture.text(left, y0 - 50, note, "muted", 16)
        picture.text(left, y0 - 12, "sectors of 8 words", "muted", 16)
        picture.text(left + grid + 74, y0 - 12, "touched", "muted", 16, "end")
        total = 0
        for load in range(LOADS):
            y = y0 + height * load
            used = {}
            for lane in range(WARP):
                word = words_of(lane, load)
                used.setdefault(word // WORDS_IN_SECTOR, []).append(word % WORDS_IN_SECTOR)
            picture.text(left - 12, y + 18, f"load {load + 1}", "muted", 16, "end")
            for sector in range(sectors):
                x = left + sector * width + sector // 4 * gap
                touched = sector in used
                picture.rect(
                    x + 1,
                    y + 2,
                    width - 2,
                    height - 4,
                    f"{colour}-soft" if touched else "none",
                    colour if touched else "line",
                    2,
                    1,
                )
                for word in used.get(sector, []):
                    picture.rect(
                        x + 2.1 + word * (width - 4) / WORDS_IN_SECTOR,
                        y + 5,
                        (width - 4) / WORDS_IN_SECTOR,
                        height - 10,
                        colour,
                    )
            picture.text(left + grid + 14, y + 18, str(len(used)), colour, 16, bold=True, mono=True)
            total += len(used)
        y = y0 + block + 24
        picture.text(left, y, f"{total} sectors requested, 32 hold the data", colour, 16, bold=True)

    panel(
        top,
        "contiguous",
        "lane i reads words 8i to 8i + 7, one after the other",
        lambda lane, load: 8 * lane + load,
        "red",
    )
    panel(
        top + block + 148,
        "coalesced",
        "lane i reads word i of eight pieces, here side by side",
        lambda lane, load: 32 * load + lane,
        "green",
    )
    picture.height = top + 2 * block + 194
    return picture.render()


def shuffle():
    """A warp adds by shuffles: drawn for eight lanes."""
    lanes, cell, row, left, top = 8, 66, 86, 172, 64
    picture = Svg(
        left + lanes * cell + 16,
        top + 3 * row + 124,
        "Adding by shuffles",
        "Eight lanes, three levels. At each level every lane adds the register of the lane 4, 2, "
        "then 1 further on. Lane 0 ends with the "
        "sum of all. The other lanes add as well; their results are not used.",
    )
    picture.text(left - 16, 40, "lane", "muted", 16, "end")
    for lane in range(lanes):
        picture.text(left + cell * (lane + 0.5), 40, str(lane), "muted", 16, "middle", mono=True)
    useful = lanes
    for level, half in enumerate((0, 4, 2, 1)):
        y = top + row * level
        if half:
            useful = half
            picture.text(left - 12, y - 16, f"+= shfl_down({half})", "ink", 16, "end", mono=True)
            for lane in range(lanes):
                if lane >= half:
                    continue
                x = left + cell * (lane + 0.5)
                picture.line(x, y - row + 50, x, y - 2, "blue", 1.8)
                picture.line(left + cell * (lane + half + 0.5), y - row + 50, x + 4, y - 2, "orange", 1.8)
        for lane in range(lanes):
            x = left + cell * lane
            mine = lane < useful
            picture.rect(
                x + 4,
                y,
                cell - 8,
                46,
                "blue-soft" if mine and half else "soft" if mine else "none",
                "blue" if mine and half else "line",
                4,
                1.2,
            )
            if mine:
                colour, parts = "blue" if half else "ink", [str(i) for i in range(lane, lanes, half or lanes)]
                if len(parts) == 4:  # two lines: one is too long for the cell
                    picture.text(x + cell / 2, y + 20, "+".join(parts[:2]), colour, 16, "middle", True, mono=True)
                    picture.text(x + cell / 2, y + 38, "+" + "+".join(parts[2:]), colour, 16, "middle", True, mono=True)
                else:
                    text = "all" if len(parts) == lanes else "+".join(parts)
                    picture.text(x + cell / 2, y + 29, text, colour, 16, "middle", bool(half), mono=True)
    y = top + 3 * row + 76
    picture.text(16, y, "Every line goes from register to register: no memory, no barrier.", "muted", 16)
    picture.text(16, y + 26, "Empty lanes also add; their results are not used. A warp has five levels.", "muted", 16)
    return picture.render()


def finish():
    """The last microsecond: ticket in one_pass, a word that holds sum and flag in status_word."""
    left, unit, top = 132, 61, 90
    picture = Svg(
        716,
        440,
        "What adds the blocks' sums",
        "Time lines. In one_pass the last block stores its sum, waits for the fence, takes a "
        "ticket, waits for the answer, and reads all sums "
        "back: three trips to the L2 cache in a row. In status_word every block sends one word that "
        "holds sum and flag, and leaves; block 0 has "
        "collected the others' words meanwhile and waits for the last one only.",
    )

    def bar(y, start, length, colour, text):
        fill = "soft" if colour == "muted" else f"{colour}-soft"
        picture.rect(left + start * unit, y, length * unit - 3, 32, fill, colour, 3, 1.2)
        picture.text(
            left + (start + length / 2) * unit - 1.5, y + 22, text, colour, 16, "middle", bold=colour != "muted"
        )

    def label(y, text):
        picture.text(left - 12, y + 22, text, "ink", 16, "end")

    picture.text(left, 30, "one_pass", "ink", 18, bold=True, mono=True)
    picture.text(left, 54, "the block with the last ticket reads all sums back", "muted", 16)
    y = top - 18
    label(y, "other blocks")
    bar(y, 0, 3, "blue", "read their items")
    bar(y, 3, 1.5, "orange", "fence")
    bar(y, 4.5, 1.2, "orange", "ticket")
    y += 42
    label(y, "last block")
    bar(y, 0, 4, "blue", "read its items")
    bar(y, 4, 1.5, "orange", "fence")
    bar(y, 5.5, 1.2, "orange", "ticket")
    bar(y, 6.7, 1.8, "orange", "read sums")
    bar(y, 8.5, 0.7, "green", "add")
    y += 42
    picture.line(left + 4 * unit, y - 2, left + 4 * unit, y + 20, "muted", 1.2, "3 3")
    picture.line(left + 9.2 * unit, y - 2, left + 9.2 * unit, y + 20, "muted", 1.2, "3 3")
    picture.arrow(left + 4 * unit + 2, y + 12, left + 9.2 * unit - 2, y + 12, "red", both=True)
    picture.text(left + 6.6 * unit, y + 36, "three trips to the L2 cache", "red", 16, "middle", True)

    base = y + 92
    picture.text(left, base, "status_word", "ink", 18, bold=True, mono=True)
    picture.text(left, base + 24, "a reader that sees the flag of a word has the sum", "muted", 16)
    y = base + 44
    label(y, "other blocks")
    bar(y, 0, 3, "blue", "read their items")
    bar(y, 3, 0.9, "orange", "word")
    y += 42
    label(y, "last block")
    bar(y, 0, 4, "blue", "read its items")
    bar(y, 4, 0.9, "orange", "word")
    y += 42
    label(y, "block 0")
    bar(y, 0, 2.6, "blue", "read its items")
    bar(y, 2.6, 2.6, "muted", "collects words")
    bar(y, 5.2, 0.7, "green", "add")
    y += 42
    picture.line(left + 4 * unit, y - 2, left + 4 * unit, y + 20, "muted", 1.2, "3 3")
    picture.line(left + 5.9 * unit, y - 2, left + 5.9 * unit, y + 20, "muted", 1.2, "3 3")
    picture.arrow(left + 4 * unit + 2, y + 12, left + 5.9 * unit - 2, y + 12, "red", both=True)
    picture.text(left + 4.95 * unit, y + 36, "one trip", "red", 16, "middle", True)
    picture.text(left + 6.3 * unit, y - 22, "orange: through L2", "muted", 16)
    picture.height = y + 50
    return picture.render()


def flight():
    """One load at a time, and four in flight: the same thread, the same memory."""
    left, unit, latency = 24, 18.5, 8
    picture = Svg(
        716,
        330,
        "Loads in flight",
        "A thread that uses each vector before it asks for the next waits the whole latency four "
        "times: 36 steps. A thread that asks for "
        "four vectors before it uses the first waits once: 12 steps.",
    )

    def load(y, start, number):
        picture.rect(left + start * unit, y, unit * 0.9, 26, "blue", radius=3)
        picture.rect(left + (start + 0.9) * unit, y, (latency - 0.9) * unit - 2, 26, "soft", "line", 3, 1)
        picture.text(left + (start + latency / 2 + 0.3) * unit, y + 19, f"vector {number}", "muted", 16, "middle")

    def add(y, start):
        picture.rect(left + start * unit, y, unit * 0.9, 26, "green", radius=3)

    picture.text(left, 32, "one vector after the other: 36 steps", "ink", 18, bold=True)
    for number in range(4):
        load(46, number * (latency + 1), number + 1)
        add(46, number * (latency + 1) + latency)
    picture.text(left, 118, "four in flight: 12 steps", "ink", 18, bold=True)
    for number in range(4):
        load(132 + 31 * number, number, number + 1)
        add(132 + 31 * number, latency + number)
    y = 304
    for x, fill, stroke, text in (
        (left, "blue", "none", "request"),
        (left + 120, "soft", "line", "memory is busy"),
        (left + 350, "green", "none", "add"),
    ):
        picture.rect(x, y - 14, 18, 16, fill, stroke, 2, 1)
        picture.text(x + 26, y, text, "muted", 16)
    return picture.render()


def little(measured):
    """Bytes in flight on a multiprocessor: what it takes, and what 2048 threads can have."""
    latency, threads = 0.5e-6, 2048
    row = measured.select(stage="best")[0]
    bandwidth, multiprocessors = float(row["read_gb_per_s"]) * 1e9, int(row["sm_count"])
    needed = bandwidth * latency / multiprocessors / 1024
    ways = (
        ("4 bytes", "sequential", 4, "red"),
        ("32 bytes", "contiguous to vector", 32, "green"),
        ("64 bytes", "in_flight and later", 64, "green"),
    )
    left, right, top, row_height = 226, 24, 118, 64
    picture = Svg(
        716,
        top + len(ways) * row_height + 44,
        "Bytes in flight on one multiprocessor",
        f"Bandwidth times latency, divided by {multiprocessors} multiprocessors, is {needed:.1f} "
        "KiB. 2048 threads with one 4-byte load each "
        "have 8 KiB in flight; with eight of them 64 KiB; with four 16-byte loads 128 KiB.",
    )
    scale = (716 - left - right) / (threads * ways[-1][2] / 1024)
    total = f"{bandwidth / 1e12:.2f} TB/s x {latency * 1e6:.1f} us = {bandwidth * latency / 1e6:.2f} MB in flight,"
    picture.text(24, 32, total, "ink", 18, bold=True)
    picture.text(24, 56, f"{needed:.1f} KiB on each of {multiprocessors} multiprocessors", "ink", 18, bold=True)
    picture.text(24, 84, "What 2048 threads can have in flight, if each of them has", "muted", 16)
    for index, (name, stages, size, colour) in enumerate(ways):
        y = top + index * row_height
        total = threads * size / 1024
        picture.text(left - 14, y + 14, name, "ink", 16, "end", True)
        picture.text(left - 14, y + 34, stages, "muted", 16, "end", mono=True)
        picture.rect(left, y, total * scale, 38, f"{colour}-soft", colour, 3, 1.2)
        beside = total < needed + 20
        x = left + max(total, needed) * scale + 10 if beside else left + total * scale - 10
        picture.text(x, y + 25, f"{total:.0f} KiB", colour, 16, "start" if beside else "end", True)
    bottom = top + len(ways) * row_height - 8
    picture.line(left + needed * scale, top - 12, left + needed * scale, bottom, "ink", 2, "6 4")
    picture.text(left + needed * scale, bottom + 22, "needed", "ink", 16, "middle", True)
    return picture.render()


def stacked(upper, lower):
    """Two charts of one width as one picture, the second below the first."""
    size = re.compile(r'viewBox="0 0 ([0-9.]+) ([0-9.]+)" width="[0-9.]+" height="[0-9.]+" role="img"')
    width, height = (float(number) for number in size.search(upper).groups())
    lower_height = float(size.search(lower).group(2))
    total = f'viewBox="0 0 {width:g} {height + lower_height:g}" width="{width:g}" height="{height + lower_height:g}"'
    inner = size.sub(f'y="{height:g}" width="{width:g}" height="{lower_height:g}"', lower)
    return size.sub(f'{total} role="img"', upper.rstrip().removesuffix("</svg>")) + inner.rstrip() + "\n</svg>\n"


def over_n(measured):
    """Speed compared with the library's and percentage of the ceiling over n; and some stages' times back to back."""
    story = "sequential,contiguous,coalesced,shuffle,one_pass,best"
    lines = {"story": story, "items": "floats", "stage": story + ",in_flight,status_word,cub,thrust"}
    cold = stacked(
        chart.speed_over_n(measured, "Sum of n floats, compared with the library's", "cub", **lines),
        chart.ceiling_over_n(measured, "How close to the bandwidth limit?", **lines),
    )
    story = "shuffle,one_pass,status_word,best_serialized,best"
    in_cache = ",".join(f"2^{power}" for power in range(10, 25))
    lines = {"story": story, "items": "floats", "stage": story + ",cub,thrust", "n": in_cache}
    hot = chart.time_over_n(measured, "Sum of n floats, back to back", "hot", **lines)
    return {"time.svg": cold, "hot.svg": hot}


def figures():
    measured = results.load("ch03", "h200")
    return {
        "reads.svg": reads(),
        "shuffle.svg": shuffle(),
        "finish.svg": finish(),
        "flight.svg": flight(),
        "little.svg": little(measured),
        **over_n(measured),
    }
