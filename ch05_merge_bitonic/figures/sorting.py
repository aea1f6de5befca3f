"""The pictures of chapter 5: regimes, ranks, splitters, the merge path, half-cleaners, the network, a
window, buckets, two cuts, a tile in order, bins."""

from svg import Svg

WIDTH = 716  # of a page's text; 16 is the size of its letters
CELL = 36
A = [1, 4, 6, 7, 10, 13, 15, 16]
B = [2, 3, 5, 8, 9, 11, 12, 14]


def cell(picture, x, y, text, fill="soft", colour="ink", size=CELL):
    picture.rect(x + 2, y, size - 4, 30, fill, "line", 4, 1)
    picture.text(x + size / 2, y + 20, str(text), colour, 16, "middle", mono=True)


def regimes():
    """Sixteen runs become one: who merges at each level."""
    left, top, unit, row = 20, 64, 28, 82
    picture = Svg(
        WIDTH,
        top + 4 * row + 46,
        "The three regimes of a merge sort",
        "Sixteen short runs are merged in four levels. First there are many tiny merges, one for each thread; "
        "then fewer, larger ones, one for each block; finally one huge merge, cut into pieces for many blocks.",
    )
    worker = [
        ("orange", "many tiny merges:", "a thread for each"),
        ("orange", "", ""),
        ("blue", "fewer, larger merges:", "a block for each"),
        ("green", "one huge merge: cut it,", "a block for each piece"),
    ]
    for level in range(5):
        runs = 16 >> level
        width = unit * 16 / runs
        y = top + row * level
        for run in range(runs):
            fill = "soft" if level == 0 else worker[level - 1][0] + "-soft"
            picture.rect(left + run * width + 2, y, width - 4, 26, fill, "line", 4, 1)
            if level == 4:
                for piece in range(1, 8):
                    x = left + piece * unit * 2
                    picture.line(x, y, x, y + 26, "green", 1.5, "3 3")
        if level == 4:
            break
        colour, first, second = worker[level]
        for pair in range(runs // 2):
            x = left + (pair + 0.5) * 2 * width
            picture.line(x - width / 2, y + 30, x, y + row - 6, colour, 2)
            picture.line(x + width / 2, y + 30, x, y + row - 6, colour, 2)
        picture.text(left + 16 * unit + 16, y + row / 2 + 6, first, colour, 16, bold=True)
        picture.text(left + 16 * unit + 16, y + row / 2 + 26, second, colour, 16)
    picture.text(left, 34, "sorted runs; each level halves their number and doubles their length", "muted", 16)
    return picture.render()


def rank():
    """Own index plus binary search."""
    left, top = 90, 56
    picture = Svg(
        left + 16 * CELL + 40,
        330,
        "A key finds its place by its rank",
        "Two sorted runs of eight keys. The key 10 has index 4 in its own run, and five keys of the other run come "
        "before it, which a binary search finds in three probes. So it belongs at place 9.",
    )
    key = 4
    probes = [4, 6, 5]
    picture.text(left - 14, top + 20, "run a", "muted", 16, "end")
    for i, value in enumerate(A):
        cell(picture, left + i * CELL, top, value, "orange-soft" if i == key else "blue-soft" if i < key else "soft")
    picture.text(left + key * CELL, top - 12, "own index 4: four keys of a come before", "orange", 16)
    second = top + 92
    picture.text(left - 14, second + 20, "run b", "muted", 16, "end")
    before = sum(value < A[key] for value in B)
    for i, value in enumerate(B):
        cell(picture, left + i * CELL, second, value, "green-soft" if i < before else "soft")
    for number, probe in enumerate(probes):
        x = left + (probe + 0.5) * CELL
        picture.circle(x, second + 44, 9, "green")
        picture.text(x, second + 49, str(number + 1), "panel", 16, "middle", True)
    picture.text(left + 8 * CELL + 16, second + 20, "binary search: 3 probes,", "green", 16)
    picture.text(left + 8 * CELL + 16, second + 38, "five keys of b come before", "green", 16)
    third = second + 112
    picture.text(left - 14, third + 20, "merged", "muted", 16, "end")
    for i, value in enumerate(sorted(A + B)):
        cell(picture, left + i * CELL, third, value, "orange-soft" if value == A[key] else "soft")
    x = left + (key + before + 0.5) * CELL
    picture.text(x, third + 54, "4 + 5 = 9", "orange", 16, "middle", True, mono=True)
    return picture.render()


def splitters():
    """Every fourth key is a splitter."""
    left, top = 90, 60
    picture = Svg(
        left + 16 * CELL + 40,
        360,
        "Splitters cut a merge into pieces",
        "Every fourth key of either run is a splitter. The four splitters, in order, cut both runs into four pieces "
        "that can be merged independently. No piece has more than four keys of a run.",
    )
    every = 4
    colours = ["blue-soft", "orange-soft", "green-soft", "purple-soft"]
    marks = sorted([A[i] for i in range(0, 8, every)] + [B[i] for i in range(0, 8, every)])

    def piece(value):
        return sum(mark <= value for mark in marks) - 1

    for name, run, y in (("run a", A, top), ("run b", B, top + 92)):
        picture.text(left - 14, y + 20, name, "muted", 16, "end")
        for i, value in enumerate(run):
            cell(picture, left + i * CELL, y, value, colours[piece(value)])
            if i % every == 0:
                x = left + (i + 0.5) * CELL
                picture.polygon([(x - 6, y - 14), (x + 6, y - 14), (x, y - 4)], "red")
    picture.text(left + 8 * CELL + 20, top + 6, "splitters: every 4th key here,", "red", 16)
    picture.text(left + 8 * CELL + 20, top + 24, "every 256th in the code", "red", 16)
    y = top + 190
    picture.text(left - 14, y + 20, "merged", "muted", 16, "end")
    merged = sorted(A + B)
    for i, value in enumerate(merged):
        cell(picture, left + i * CELL, y, value, colours[piece(value)])
    for index in range(len(marks)):
        members = [i for i, value in enumerate(merged) if piece(value) == index]
        x1, x2 = left + members[0] * CELL + 4, left + (members[-1] + 1) * CELL - 4
        picture.path(f"M {x1} {y + 40} v 8 H {x2} v -8", "muted", 1.5)
        middle = (x1 + x2) / 2
        picture.text(middle, y + 68, f"block {index}", "muted", 16, "middle")
    picture.text(left, y + 96, "a block merges each piece; the sizes differ", "muted", 16)
    return picture.render()


def merge_path():
    """The path and its diagonals; below, the same cuts in the two runs."""
    size, left, top, count, share = 36, 90, 84, 8, 4
    a, b = A[:count], B[:count]
    colours = ["blue-soft", "orange-soft", "green-soft", "purple-soft"]
    picture = Svg(
        WIDTH,
        630,
        "The merge path",
        "Run a across the top, run b down the side. The merge is a path from the upper left corner: a step right "
        "takes a key of a, a step down one of b. Diagonals 4, 8 and 12 cut it into four pieces of four keys; a binary "
        "search along each diagonal finds the crossing. Below, the same cuts in the runs: the first piece takes two keys "  # noqa: E501
        "of a and two of b, and each piece takes four in all.",
    )
    x = y = 0
    points = [(0, 0)]
    while x + y < 2 * count:
        if x < count and (y == count or a[x] <= b[y]):
            x += 1
        else:
            y += 1
        points.append((x, y))
    cuts = [points[d] for d in range(0, 2 * count + 1, share)]
    picture.text(left, top - 46, "run a: a step to the right takes its next key", "ink", 16)
    picture.text(left - 42, top + count * size / 2 + 6, "run b", "ink", 16, "end")
    for i, value in enumerate(a):
        picture.text(left + (i + 0.5) * size, top - 12, str(value), "ink", 16, "middle", True, mono=True)
    for i, value in enumerate(b):
        picture.text(left - 14, top + (i + 0.5) * size + 6, str(value), "ink", 16, "end", True, mono=True)
    for (x1, y1), (x2, y2), colour in zip(cuts, cuts[1:], colours):
        picture.rect(left + x1 * size, top + y1 * size, (x2 - x1) * size, (y2 - y1) * size, colour)
    for i in range(count + 1):
        picture.line(left + i * size, top, left + i * size, top + count * size, "line", 1)
        picture.line(left, top + i * size, left + count * size, top + i * size, "line", 1)
    for diagonal in range(share, 2 * count, share):
        low, high = max(0, diagonal - count), min(count, diagonal)
        picture.line(
            left + low * size,
            top + (diagonal - low) * size,
            left + high * size,
            top + (diagonal - high) * size,
            "green",
            1.5,
            "5 4",
        )
    picture.polyline([(left + px * size, top + py * size) for px, py in points], "ink", 3)
    for px, py in cuts[1:-1]:
        picture.circle(left + px * size, top + py * size, 6, "green")
    note = left + count * size + 24
    for line, (text, colour) in enumerate(
        [
            ("the line is the merge:", "ink"),
            ("a step down takes a key of b", "ink"),
            ("", "ink"),
            ("diagonals 4, 8, 12:", "green"),
            ("after 4, 8, 12 keys of the result", "green"),
            ("", "green"),
            ("a dot is a cut: its distance from", "muted"),
            ("the left is how many keys before", "muted"),
            ("it come from a", "muted"),
        ]
    ):
        picture.text(note, top + 24 + 26 * line, text, colour, 16)

    def piece(value):
        return sorted(a + b).index(value) // share

    below = top + count * size + 50
    for name, run, row in (("run a", a, below), ("run b", b, below + 62), ("merged", sorted(a + b), below + 132)):
        picture.text(left - 14, row + 21, name, "muted", 16, "end")
        for i, value in enumerate(run):
            cell(picture, left + i * CELL, row, value, colours[piece(value)])
        for i in range(1, len(run)):
            if piece(run[i]) != piece(run[i - 1]):
                x = left + i * CELL
                picture.line(x, row - 8, x, row + 38, "green", 2.5)
    picture.text(left + count * CELL + 24, below + 21, "the cuts in a and in b fall where", "green", 16)
    picture.text(left + count * CELL + 24, below + 45, "the keys decide; their sum is", "green", 16)
    picture.text(left + count * CELL + 24, below + 69, "always 4, 8, 12", "green", 16)
    picture.text(left, below + 190, "equal pieces: each block, and each thread in it, merges one", "muted", 16)
    return picture.render()


def half_cleaner():
    """One step on a bitonic sequence."""
    before = [1, 4, 6, 8, 7, 5, 3, 2]
    left, unit, height = 24, 34, 12
    picture = Svg(
        WIDTH,
        300,
        "A half-cleaner",
        "A bitonic sequence of eight keys, up and then down. Each key of the first half is compared with its "
        "partner four places on; the lesser stays in the first half. Afterwards every key of the first half is "
        "at most every key of the second, and both halves are bitonic again.",
    )
    after = before[:]
    for i in range(4):
        after[i], after[i + 4] = min(before[i], before[i + 4]), max(before[i], before[i + 4])
    base = 200
    for offset, keys, label in ((left, before, "bitonic: up, then down"), (left + 388, after, "two bitonic halves")):
        for i, key in enumerate(keys):
            fill = "blue-soft" if key <= 4 else "orange-soft"
            picture.rect(offset + i * unit + 2, base - key * height, unit - 4, key * height, fill, "line", 2, 1)
            picture.text(offset + (i + 0.5) * unit, base + 20, str(key), "ink", 16, "middle", mono=True)
        picture.text(offset, 60, label, "muted", 16)
    for i in range(4):
        y = base + 32 + 9 * i
        x1, x2 = left + (i + 0.5) * unit, left + (i + 4.5) * unit
        picture.path(f"M {x1} {base + 26} V {y} H {x2} V {base + 26}", "green", 1.5)
    picture.arrow(left + 8 * unit + 30, 150, left + 358, 150, "ink", 2)
    picture.text(left, base + 84, "distance 4: partner = position ^ 4", "green", 16)
    picture.text(left + 388, base + 50, "all of the left half are at most", "muted", 16)
    picture.text(left + 388, base + 72, "all of the right half", "muted", 16)
    return picture.render()


def network():
    """The network for eight keys, with i and j."""
    keys = [6, 3, 8, 4, 7, 2, 5, 1]
    n, left, top, row, step_width, wire = 8, 70, 156, 40, 34, 14
    steps = []
    i = 2
    while i <= n:
        j = i // 2
        while j:
            steps.append((i, j))
            j //= 2
        i *= 2
    columns = []  # each step's pairs, in columns that do not overlap
    for i, j in steps:
        pairs = []
        for low in range(n):
            high = low ^ (i - 1) if j == i // 2 else low ^ j
            if low < high:
                pairs.append((low, high))
        used = []
        for low, high in pairs:
            for column in used:
                if all(high < a or b < low for a, b in column):
                    column.append((low, high))
                    break
            else:
                used.append([(low, high)])
        columns.append(used)
    width = sum(len(used) * wire + step_width for used in columns)
    picture = Svg(
        left + width + 70,
        top + n * row + 50,
        "The bitonic network for eight keys",
        "Three levels: i is 2, 4, 8. In each, j goes from half of i down to 1. The first step of a level compares "
        "mirror images, the others positions that differ in bit j. The lesser key always goes up.",
    )
    x = left
    values = keys[:]
    for position, key in enumerate(keys):
        y = top + row * position
        picture.line(left - 14, y, left + width, y, "line", 1.5)
        picture.text(left - 24, y + 5, str(key), "ink", 16, "end", mono=True)
    picture.text(left - 40, 28, "i: a level makes sorted runs of i keys", "blue", 16)
    picture.text(left - 40, 50, "j: a step compares keys that are j apart,", "orange", 16)
    picture.text(left - 40, 70, "or mirror images, in a level's first step", "orange", 16)
    picture.text(left - 24, top - 62, "i", "blue", 16, "end", True, mono=True)
    picture.text(left - 24, top - 36, "j", "orange", 16, "end", True, mono=True)
    last_i = 0
    for (i, j), used in zip(steps, columns):
        if i != last_i:
            if last_i:
                picture.line(x - 6, top - 74, x - 6, top + n * row - 20, "muted", 1, "4 4")
            picture.text(x + 12, top - 62, str(i), "blue", 16, "start", True, mono=True)
            last_i = i
        picture.text(x + 12, top - 36, str(j), "orange", 16, "start", True, mono=True)
        colour = "blue" if j == i // 2 else "orange"
        for column in used:
            x += wire
            for low, high in column:
                y1, y2 = top + row * low, top + row * high
                picture.line(x, y1, x, y2, colour, 2)
                picture.circle(x, y1, 3.5, colour)
                picture.circle(x, y2, 3.5, colour)
                if values[low] > values[high]:
                    values[low], values[high] = values[high], values[low]
        x += step_width
    for position, key in enumerate(values):
        picture.text(left + width + 14, top + row * position + 5, str(key), "green", 16, "start", True, mono=True)
    picture.text(left, top + n * row + 10, "mirror images: partner = position ^ (i - 1)", "blue", 16)
    picture.text(left, top + n * row + 30, "half-cleaners: partner = position ^ j", "orange", 16)
    return picture.render()


def window():
    """Striped, then blocked: which distances are within a thread."""
    lanes, registers = 8, 4
    size, top = 30, 92
    left, second = 110, 110 + lanes * size + 100
    picture = Svg(
        WIDTH,
        top + registers * size + 96,
        "A warp's window, striped and blocked",
        "A window of 32 keys in the 4 registers of 8 lanes. Striped, the keys of a lane are 8 apart, so distances "
        "16 and 8 lie within a lane. Blocked, a lane has four neighbours, so distances 2 and 1 lie within a lane.",
    )
    for offset, name, index_of in (
        (left, "striped", lambda register, lane: register * lanes + lane),
        (second, "blocked", lambda register, lane: lane * registers + register),
    ):
        picture.text(offset, top - 50, name, "ink", 16, bold=True)
        for lane in range(lanes):
            picture.text(offset + (lane + 0.5) * size, top - 12, str(lane), "muted", 16, "middle", mono=True)
        for register in range(registers):
            if offset == left:
                picture.text(offset - 12, top + register * size + 20, f"register {register}", "muted", 16, "end")
            for lane in range(lanes):
                fill = "orange-soft" if lane == 2 else "soft"
                x, y = offset + lane * size, top + register * size
                picture.rect(x + 1.5, y, size - 3, size - 5, fill, "line", 3, 1)
                picture.text(x + size / 2, y + 20, str(index_of(register, lane)), "ink", 16, "middle", mono=True)
    picture.arrow(left + lanes * size + 16, top + 50, second - 16, top + 50, "green", 2)
    picture.text((left + lanes * size + second) / 2, top + 36, "shared", "green", 16, "middle")
    picture.text((left + lanes * size + second) / 2, top + 76, "memory", "green", 16, "middle")
    y = top + registers * size + 28
    picture.text(left, y, "a lane holds keys 8 apart:", "orange", 16)
    picture.text(left, y + 20, "distances 16 and 8 without", "orange", 16)
    picture.text(left, y + 40, "another lane", "orange", 16)
    picture.text(second, y, "a lane holds neighbours:", "orange", 16)
    picture.text(second, y + 20, "distances 2 and 1 without", "orange", 16)
    picture.text(second, y + 40, "another lane; 4 by a shuffle", "orange", 16)
    picture.text(left + 90, top - 50, "(8 lanes of 4 registers here)", "muted", 16)
    return picture.render()


def buckets():
    """Keys, a sample of them, splitters, buckets."""
    left, top, row = 104, 44, 84
    keys = [12, 3, 9, 15, 1, 14, 6, 8, 11, 2, 16, 5, 10, 7, 13, 4]
    sampled = [1, 2, 5, 6, 8, 13]
    sample = sorted(keys[i] for i in sampled)
    splitters = sample[1::2]
    colours = ["blue-soft", "orange-soft", "green-soft", "purple-soft"]

    def bucket(key):
        return sum(splitter <= key for splitter in splitters)

    picture = Svg(
        WIDTH,
        top + 4 * row + 36,
        "A sample cuts keys into buckets",
        "Six of sixteen keys are a sample. Every other key of the sorted sample is a splitter. The three splitters cut "
        "the keys into four buckets of different sizes, which are sorted one by one.",
    )
    picture.text(left - 12, top + 21, "keys", "muted", 16, "end")
    for i, key in enumerate(keys):
        x = left + i * CELL
        cell(picture, x, top, key, "soft")
        if i in sampled:
            picture.polygon([(x + 12, top - 14), (x + 24, top - 14), (x + 18, top - 4)], "red")
    y = top + row
    picture.text(left, y - 14, "the keys under a mark, sorted: the sample", "red", 16)
    picture.text(left - 12, y + 21, "sample", "muted", 16, "end")
    for i, key in enumerate(sample):
        cell(picture, left + i * CELL, y, key, colours[bucket(key)] if key in splitters else "soft")
    picture.text(left + 6 * CELL + 20, y + 12, "every other one is a splitter here,", "ink", 16)
    picture.text(left + 6 * CELL + 20, y + 36, "every 16th in the code", "ink", 16)
    moved = [key for number in range(4) for key in keys if bucket(key) == number]
    for name, shown, line in (("buckets", moved, 2), ("sorted", sorted(keys), 3)):
        y = top + line * row
        picture.text(left - 12, y + 21, name, "muted", 16, "end")
        for i, key in enumerate(shown):
            cell(picture, left + i * CELL, y, key, colours[bucket(key)])
            if i and bucket(key) != bucket(shown[i - 1]):
                picture.line(left + i * CELL, y - 8, left + i * CELL, y + 38, "green", 2.5)
    picture.text(left, top + 2 * row - 16, "each key moves to its bucket, in any order", "muted", 16)
    for number in range(4):
        members = [i for i, key in enumerate(sorted(keys)) if bucket(key) == number]
        x1, x2 = left + members[0] * CELL + 4, left + (members[-1] + 1) * CELL - 4
        picture.path(f"M {x1} {y + 40} v 8 H {x2} v -8", "muted", 1.5)
        picture.text((x1 + x2) / 2, y + 68, f"block {number}", "muted", 16, "middle")
    return picture.render()


def bins():
    """Bins of the same width; two kinds of chunks put in order what is not."""
    left, top, row, width = 104, 46, 92, 10
    keys = [55, 38, 89, 68, 14, 46, 31, 81, 25, 59, 10, 77, 34, 63, 86, 52]
    chunk, half = 4, 2
    least = min(keys)
    colours = ["blue-soft", "orange-soft", "green-soft", "purple-soft"]

    def bin_of(key):
        return (key - least) // width

    moved = sorted(keys, key=bin_of)  # within a bin in any order: here that of the keys
    chunks = sum((sorted(moved[i : i + chunk]) for i in range(0, 16, chunk)), [])
    between = chunks[:half] + sum((sorted(chunks[i : i + chunk]) for i in range(half, 16, chunk)), [])
    assert between == sorted(keys) != chunks

    picture = Svg(
        WIDTH,
        top + 4 * row - 28,
        "Bins, and two kinds of chunks",
        "Sixteen keys from 10 to 89 move to eight bins of width 10. Within a bin they are in any order. Chunks of four "
        "keys are sorted, which leaves two places out of order; then the chunks halfway between them. No bin here "
        "has more than three keys, so each lies within one of these chunks, and all keys are in order.",
    )

    def show(line, name, shown, above, colour):
        y = top + line * row
        picture.text(left - 12, y + 21, name, "muted", 16, "end")
        picture.text(left + 4, y - 14, above, colour, 16)
        for i, key in enumerate(shown):
            cell(picture, left + i * CELL, y, key, colours[bin_of(key) % 4])
        return y

    def bracket(begin, end, y, colour):
        x1, x2 = left + begin * CELL + 4, left + end * CELL - 4
        picture.path(f"M {x1} {y + 36} v 8 H {x2} v -8", colour, 2)

    show(0, "keys", keys, "from 10 to 89: eight bins of width 10, in four colours", "muted")
    y = show(1, "bins", moved, "bin = (key - 10) / 10: computed, not searched for", "ink")
    for i in range(1, 16):
        if bin_of(moved[i]) != bin_of(moved[i - 1]):
            picture.line(left + i * CELL, y - 6, left + i * CELL, y + 36, "muted", 2)
    y = show(2, "chunks", chunks, "each chunk sorted: four here, 16 in the code", "orange")
    picture.text(left + 16 * CELL - 4, y - 14, "red: not in order yet", "red", 16, "end")
    for i in range(1, 16):
        if chunks[i] < chunks[i - 1]:
            picture.line(left + i * CELL, y - 6, left + i * CELL, y + 36, "red", 3)
    for i in range(0, 16, chunk):
        bracket(i, i + chunk, y, "orange")
    y = show(3, "between", between, "each chunk halfway between two: its sorted halves merged", "green")
    for i in range(half, 16, chunk):
        bracket(i, min(i + chunk, 16), y, "green")
    return picture.render()


def two_cuts():
    """One cut into many buckets, and two cuts into a few each."""
    left, wide, top, high = 24, 430, 74, 30
    ways = 4
    colours = ["blue-soft", "orange-soft", "green-soft", "purple-soft"]
    picture = Svg(
        WIDTH,
        474,
        "One cut into many buckets, or two cuts into a few",
        "Above, all keys are cut at once into 16 buckets; in the code it is 123,000, whose splitters are in global "
        "memory. Below, they are cut into 4 buckets, and each of these into 4; in the code it is 166 twice. The "
        "splitters of one such cut fit in a block's shared memory.",
    )

    def row(y, parts, name):
        for i in range(parts):
            x = left + i * wide / parts
            colour = "soft" if parts == 1 else colours[i * ways // parts]
            picture.rect(x + 1, y, wide / parts - 2, high, colour, "line", 3, 1)
        picture.text(left + wide + 20, y + 21, name, "ink", 16)

    def fan(y, parts, ways, colour):
        """Lines from each of `parts` boxes to `ways` below it."""
        for part in range(parts):
            x = left + (part + 0.5) * wide / parts
            for way in range(ways):
                to = left + (part + (way + 0.5) / ways) * wide / parts
                picture.line(x, y + high + 2, to, y + 70, colour, 1.3)

    for y, title in ((top - 30, "one cut: `register_buckets`"), (top + 166, "two cuts: `few_ways`")):
        picture.text(left, y, title.replace("`", ""), "ink", 16, bold=True)
    row(top - 16, 1, "all keys")
    fan(top - 16, 1, 16, "red")
    row(top + 56, 16, "16 buckets here,")
    picture.text(left + wide + 20, top + 101, "123,000 in the code", "ink", 16)
    picture.text(left, top + 112, "one search among all splitters, in global memory", "red", 16)
    row(top + 180, 1, "all keys")
    fan(top + 180, 1, ways, "green")
    row(top + 252, ways, "4 buckets here,")
    picture.text(left + wide + 20, top + 297, "166 in the code", "ink", 16)
    fan(top + 252, ways, ways, "green")
    row(top + 324, 16, "4 in each of them here,")
    picture.text(left + wide + 20, top + 369, "166 in each in the code", "ink", 16)
    picture.text(left, top + 382, "two searches among a few splitters, in shared memory", "green", 16)
    return picture.render()


def ordered_tile():
    """Where neighbouring threads store: a tile as it was read, and in order."""
    left, size, top = 116, 38, 66
    slots = [2, 0, 3, 1, 0, 2, 3, 3, 1, 0, 2, 1]
    colours = ["blue", "orange", "green", "purple"]
    begins = [0, 3.5, 7, 10.5]  # of the four buckets, in the row below
    picture = Svg(
        WIDTH,
        530,
        "A tile before and after it is put in order",
        "Above, few_ways: twelve keys of four buckets in the order in which they were read; neighbours are stored to "
        "different buckets. Below, ordered_tiles: the same keys are sorted by buckets in shared memory first, and "
        "then neighbours are stored next to each other.",
    )

    def keys(y, order):
        for i, key in enumerate(order):
            colour = colours[slots[key]]
            picture.rect(left + i * size + 2, y, size - 4, 30, colour + "-soft", "line", 4, 1)
            picture.text(left + (i + 0.5) * size, y + 20, str(key), "ink", 16, "middle", mono=True)

    def buckets(y, order):
        """The buckets with their keys; returns the centre of each key."""
        centres, next_of = {}, [0] * 4
        for key in order:
            slot = slots[key]
            x = left + (begins[slot] + next_of[slot]) * size
            next_of[slot] += 1
            picture.rect(x + 2, y, size - 4, 30, colours[slot] + "-soft", "line", 4, 1)
            picture.text(x + size / 2, y + 20, str(key), "ink", 16, "middle", mono=True)
            centres[key] = x + size / 2
        return centres

    def stores(y, order, below):
        for i, key in enumerate(order):
            picture.line(left + (i + 0.5) * size, y + 32, below[key], y + 88, colours[slots[key]], 1.6)

    read = list(range(12))
    inside = sorted(read, key=lambda key: slots[key])
    picture.text(left, top - 34, "few_ways: each key is stored from where it was read", "ink", 16, bold=True)
    for y, name in ((top, "as read"), (top + 90, "buckets")):
        picture.text(left - 12, y + 21, name, "muted", 16, "end")
    keys(top, read)
    stores(top, read, buckets(top + 90, read))
    picture.text(left, top + 146, "neighbours store to different buckets: many sectors", "red", 16)
    second = top + 206
    picture.text(left, second - 20, "ordered_tiles: the tile is sorted by buckets first", "ink", 16, bold=True)
    for y, name in ((second, "as read"), (second + 90, "sorted"), (second + 180, "buckets")):
        picture.text(left - 12, y + 21, name, "muted", 16, "end")
    keys(second, read)
    for i, key in enumerate(read):
        x = left + (inside.index(key) + 0.5) * size
        picture.line(left + (i + 0.5) * size, second + 32, x, second + 88, colours[slots[key]], 1.6, "3 3")
    keys(second + 90, inside)
    stores(second + 90, inside, buckets(second + 180, inside))
    for y, space in ((second + 54, "shared"), (second + 144, "global")):
        picture.text(left + 13.5 * size, y, f"in {space}", "muted", 16)
        picture.text(left + 13.5 * size, y + 20, "memory", "muted", 16)
    picture.text(left, second + 236, "neighbours store to neighbouring places: only a few sectors", "green", 16)
    return picture.render()


def figures():
    return {
        "ordered_tile.svg": ordered_tile(),
        "two_cuts.svg": two_cuts(),
        "bins.svg": bins(),
        "buckets.svg": buckets(),
        "regimes.svg": regimes(),
        "rank.svg": rank(),
        "splitters.svg": splitters(),
        "merge_path.svg": merge_path(),
        "half_cleaner.svg": half_cleaner(),
        "network.svg": network(),
        "window.svg": window(),
    }
