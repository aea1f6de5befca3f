"""The pictures of chapter 6: lists and their merging, thresholds, a warp's queue, the flow, the sample, segments."""

from svg import Svg

WIDTH = 716
LEFT = 20


def key_index():
    """Key and index in one integer that compares as the result is ordered."""
    left, half, height = 166, 220, 38
    picture = Svg(
        WIDTH,
        338,
        "A key and its index in one integer",
        "The upper half of a 64-bit integer holds the radix key, the lower half the complement of the index. "
        "Larger integers are better: first by key, and of equal keys the one with the lower index. Zero means nothing.",
    )
    rows = (
        ("key 70, index 3", "radix key of 70", "~3", "blue"),
        ("key 52, index 1", "radix key of 52", "~1", "purple"),
        ("key 52, index 8", "radix key of 52", "~8", "purple"),
    )
    picture.text(left, 36, "bit 63", "muted", 16)
    picture.text(left + half - 4, 36, "32", "muted", 16, "end")
    picture.text(left + half + 4, 36, "31", "muted", 16)
    picture.text(left + 2 * half, 36, "0", "muted", 16, "end")
    for i, (name, radix_key, low, colour) in enumerate(rows):
        y = 48 + 64 * i
        picture.text(left - 14, y + 25, name, "ink", 16, "end")
        picture.rect(left, y, half, height, f"{colour}-soft", colour, 3, 1.3)
        picture.rect(left + half, y, half, height, "soft", "muted", 3, 1.3)
        picture.text(left + half / 2, y + 25, radix_key, colour, 17, "middle", mono=True)
        picture.text(left + 1.5 * half, y + 25, low, "ink", 17, "middle", mono=True)
        if i < 2:
            picture.text(left + 2 * half + 28, y + 56, ">", "green", 24, "middle", bold=True)
    y = picture.lines(LEFT, 258, ["One comparison of whole integers decides: first by key, then by lower index."])
    picture.lines(
        LEFT,
        y + 4,
        [
            "(~i is larger for a lower i.) No two are equal, so ties need no code.",
            "0 belongs to no key: “nothing here”.",
        ],
        "muted",
    )
    return picture.render()


def lists():
    """`insert`: a list per thread, merged in pairs; a list per block, merged by a second launch."""
    left, box, spacing, count = 186, 28, 18, 4
    width = 4 * box
    picture = Svg(
        WIDTH,
        452,
        "A list per thread, merged in pairs, then a list per block",
        "Four threads each keep the four largest of their own keys. Half the threads insert the other "
        "half's lists into their own, then a quarter: that is the block's list. A second launch of one "
        "block merges the lists of all blocks in the same way.",
    )
    shown = [[93, 61, 44, 12], [88, 70, 35, 31], [99, 52, 50, 18], [77, 76, 20, 13]]

    def x_of(thread):
        return left + thread * (width + spacing)

    def draw(y, thread, keys, live):
        for i, key in enumerate(keys):
            x = x_of(thread) + i * box
            picture.rect(x, y, box - 2, 32, "blue-soft" if live else "soft", "blue" if live else "line", 2, 1)
            picture.text(x + box / 2 - 1, y + 22, str(key), "ink" if live else "muted", 16, "middle", mono=True)

    picture.text(LEFT, 34, "the keys", "muted", 16)
    for thread in range(count):
        middle = x_of(thread) + width / 2
        picture.text(middle, 34, f"thread {thread}", "muted", 16, "middle")
        picture.arrow(middle, 44, middle, 68, "muted", 1.5)
    y, kept = 72, [list(keys) for keys in shown]
    for level, label in enumerate(("its own k best", "merged in pairs", "the block's k best")):
        alive = count >> level
        picture.text(LEFT, y + 22, label, "ink", 16)
        for thread in range(count):
            draw(y, thread, kept[thread], thread < alive)
        half = alive // 2
        for thread in range(half):
            middle, other = x_of(thread) + width / 2, x_of(thread + half) + width / 2
            picture.arrow(middle, y + 35, middle, y + 74, "orange", 1.7)
            picture.arrow(other, y + 35, middle + 10, y + 74, "orange", 1.7)
            kept[thread] = sorted(kept[thread] + kept[thread + half], reverse=True)[:4]
        y += 78
    y += 18
    picture.line(LEFT, y - 22, WIDTH - LEFT, y - 22, "line", 1, "4 4")
    picture.text(LEFT, y + 16, "second launch", "ink", 16, bold=True)
    for block in range(4):
        for i in range(4):
            picture.rect(left + block * 56 + i * 11, y, 9, 20, "purple-soft", "purple", 1, 1)
    picture.text(left + 4 * 56, y + 16, "… a list per block", "muted", 16)
    picture.arrow(left + 4 * 56 + 152, y + 11, left + 4 * 56 + 186, y + 11, "orange", 1.8)
    picture.text(left + 4 * 56 + 194, y + 16, "one block", "purple", 16, bold=True)
    picture.lines(
        LEFT,
        y + 64,
        [
            "Every thread keeps a list, however poor its keys are. Nearly everything",
            "that is kept is merged away later.",
        ],
        "muted",
    )
    return picture.render()


def _random_keys(count, state=20):
    """Keys in random order, the same in every drawing."""
    keys = []
    for _ in range(count):
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        keys.append((state >> 33) / 2**31)
    return keys


def _inserted(keys, k):
    """For each key: does it enter the list of the k best so far? And the k-th best after it."""
    top, entered, thresholds = [], [], []
    for key in keys:
        enters = len(top) < k or key > top[-1]
        if enters:
            top = sorted(top + [key], reverse=True)[:k]
        entered.append(enters)
        thresholds.append(top[-1] if len(top) == k else 0.0)
    return entered, thresholds


def _steps(values, at, step):
    """The corners of a line that has each value over the width of one key."""
    points = []
    for i, value in enumerate(values):
        x, y = at(i, value)
        if i > 0 and value == values[i - 1]:
            points[-1] = (x + step / 2, y)
        else:
            points += [(x - step / 2, y), (x + step / 2, y)]
    return points


def threshold():
    """The threshold rises while keys are read: in random, ascending and descending order."""
    k, count, top, height = 5, 240, 104, 128
    step = (WIDTH - 2 * LEFT) / count
    picture = Svg(
        WIDTH,
        top + 3 * (height + 50) - 26,
        "The threshold rises while keys are read",
        "Three rows of 240 keys, read from left to right; the five best so far are kept. In random order the "
        "threshold, the fifth best so far, rises fast, and hardly any key passes later. In ascending order every key "
        "passes. In descending order only the first five do.",
    )
    keys = _random_keys(count)
    rows = (("random", keys), ("ascending", sorted(keys)), ("descending", sorted(keys, reverse=True)))
    y = picture.lines(LEFT, 30, [f"{count} keys are read from left to right, and the {k} best so far are kept."])
    picture.line(LEFT, y - 5, LEFT + 28, y - 5, "blue", 2.4)
    picture.text(LEFT + 36, y, f"threshold: the {k}th best so far", "blue", 16)
    picture.circle(LEFT + 300, y - 5, 4, "orange")
    picture.text(LEFT + 312, y, "is inserted", "orange", 16)
    picture.circle(LEFT + 424, y - 5, 2.4, "muted")
    picture.text(LEFT + 436, y, "is discarded", "muted", 16)
    for index, (name, row) in enumerate(rows):
        y0 = top + index * (height + 50)
        entered, line = _inserted(row, k)
        total = sum(entered)
        note = f"{total} of {count} pass"
        if index == 0:
            note += f"; k (1 + ln(n/k)) predicts {k + k * sum(1 / i for i in range(k + 1, count + 1)):.0f}"
        picture.text(LEFT, y0 - 10, name, "ink", 16, bold=True)
        picture.text(LEFT + 118, y0 - 10, note, "red" if total == count else "muted", 16)
        picture.rect(LEFT, y0, WIDTH - 2 * LEFT, height, "soft")

        def at(i, value, y0=y0):
            return LEFT + step * (i + 0.5), y0 + height - value * (height - 8) - 4

        for i, key in enumerate(row):
            if not entered[i]:
                picture.circle(*at(i, key), 1.6, "muted")
        picture.polyline(_steps(line, at, step), "blue", 2)
        for i, key in enumerate(row):
            if entered[i]:
                picture.circle(*at(i, key), 3.2, "orange")
    return picture.render()


def _shared(keys, warps, k, row, rows_per_tile):
    """Several warps read tiles in turn, a row of keys each at a time, and see before each row what all have published.

    For one warp in the middle: its keys, its own k-th best after each of them, the highest that was published before,
    and which of its keys pass its own threshold, and which the highest.
    """
    tile = row * rows_per_tile
    watched, seen = warps // 2 - 1, [[] for _ in range(warps)]
    mine, own, highest, published = [], [], [], 0.0
    for first in range(0, len(keys), warps * tile):
        for at in range(0, tile, row):
            before = published
            for warp in range(warps):
                begin = first + warp * tile + at
                if warp == watched:
                    kth = sorted(seen[warp], reverse=True)[k - 1] if len(seen[warp]) >= k else 0.0
                    mine += keys[begin : begin + row]
                    own += [kth] * row
                    highest += [before] * row
                seen[warp] += keys[begin : begin + row]
                if len(seen[warp]) >= k:
                    published = max(published, sorted(seen[warp], reverse=True)[k - 1])
    return mine, own, highest


def shared_threshold():
    """One of eight warps: what passes its own threshold, and what passes the highest of all."""
    warps, k, row, rows_per_tile, tiles = 8, 5, 4, 8, 5
    count, top, height = row * rows_per_tile * tiles, 104, 150
    step = (WIDTH - 2 * LEFT) / count
    picture = Svg(
        WIDTH,
        top + 2 * (height + 52) - 10,
        "A warp's own threshold, and the highest of all warps",
        "The 160 keys of one of eight warps, in random and in ascending order. In random order the warp's own "
        "threshold is nearly as high as the highest of all warps. In ascending order every key passes its own warp's, "
        "but only the first keys of each tile pass the highest, which another warp publishes.",
    )
    keys = _random_keys(count * warps)
    y = picture.lines(LEFT, 30, [f"The keys of one of {warps} warps, tile after tile; the {k} best are wanted."])
    for x, name, colour, radius in (
        (0, "passes both", "orange", 4),
        (150, "passes the warp's own only", "blue", 4),
        (420, "passes neither", "muted", 2.4),
    ):
        picture.circle(LEFT + x + 4, y - 5, radius, colour)
        picture.text(LEFT + x + 18, y, name, colour, 16)
    for index, (name, data) in enumerate((("random", keys), ("ascending", sorted(keys)))):
        y0 = top + index * (height + 52)
        mine, own, highest = _shared(data, warps, k, row, rows_per_tile)
        passes_own = sum(key > limit for key, limit in zip(mine, own))
        passes_both = sum(key > max(low, high) for key, low, high in zip(mine, own, highest))
        picture.text(LEFT, y0 - 10, name, "ink", 16, bold=True)
        note = f"{passes_own} of {count} pass the warp's own threshold, {passes_both} also pass the highest"
        picture.text(LEFT + 110, y0 - 10, note, "muted", 16)
        picture.rect(LEFT, y0, WIDTH - 2 * LEFT, height, "soft")
        for tile in range(1, tiles):
            x = LEFT + step * row * rows_per_tile * tile
            picture.line(x, y0, x, y0 + height, "line", 1)

        def at(i, value, y0=y0):
            return LEFT + step * (i + 0.5), y0 + height - value * (height - 8) - 4

        for limits, colour in ((own, "blue"), (highest, "green")):
            picture.polyline(_steps(limits, at, step), colour, 2)
        if name == "ascending":  # here the lines are apart, so there is room for their names
            picture.text(LEFT + 12, y0 + 50, "the highest of all warps", "green", 16, halo=True)
            picture.text(WIDTH - LEFT - 12, y0 + height - 26, "the warp's own threshold", "blue", 16, "end", halo=True)
        for i, key in enumerate(mine):
            if key > max(own[i], highest[i]):
                picture.circle(*at(i, key), 3.2, "orange")
            elif key > own[i]:
                picture.circle(*at(i, key), 2.6, "blue")
            else:
                picture.circle(*at(i, key), 1.6, "muted")
    return picture.render()


def warp_queue():
    """A key enters the sorted queue that a warp keeps in its registers."""
    queue, key = [90, 81, 77, 64, 52, 40, 33, 21], 58
    pitch = (WIDTH - 2 * LEFT) / len(queue)
    picture = Svg(
        WIDTH,
        562,
        "Insertion into a warp's queue",
        "Eight lanes hold eight keys in descending order. A key of 58 arrives. A ballot of the lanes whose "
        "key is larger gives four ones, so the place is lane 4. A shuffle moves the keys of the lanes "
        "from there on up by one lane; lane 4 takes the new key, and the last key falls out.",
    )
    place = sum(1 for q in queue if q > key)

    def label(y, text, function=""):
        picture.text(LEFT, y, text, "ink", 16, bold=True)
        if function:
            picture.text(WIDTH - LEFT, y, function, "muted", 16, "end", mono=True)

    def box(y, lane, text, fill, line, colour="ink"):
        x = LEFT + pitch * lane
        picture.rect(x + 4, y, pitch - 8, 36, fill, line, 4, 1.3)
        picture.text(x + pitch / 2, y + 24, text, colour, 18, "middle", mono=True)

    label(32, "The queue, in registers")
    for lane, value in enumerate(queue):
        box(44, lane, str(value), "blue-soft", "blue")
        picture.text(LEFT + pitch * (lane + 0.5), 100, f"lane {lane}", "muted", 16, "middle")
    label(138, "Every lane gets the key", "__shfl_sync")
    for lane in range(len(queue)):
        box(150, lane, str(key), "orange-soft", "orange", "orange")
    label(224, "Is mine larger?", "__ballot_sync")
    for lane, value in enumerate(queue):
        colour = "green" if value > key else "muted"
        fill, line = ("green-soft", "green") if value > key else ("soft", "line")
        box(236, lane, "1" if value > key else "0", fill, line, colour)
    label(310, "Count the ones", "__popc")
    picture.text(LEFT + 150, 310, f"{place} ones, so the place is lane {place}", "green", 16, bold=True)
    label(348, "The others move up by one lane", "__shfl_up_sync")
    for lane in range(place, len(queue)):
        box(362, lane, str(queue[lane]), "soft", "line", "muted")
    after = queue[:place] + [key] + queue[place:-1]
    for lane, value in enumerate(after):
        x = LEFT + pitch * lane
        if lane == place:
            box(430, lane, str(value), "orange-soft", "orange", "orange")
        else:
            box(430, lane, str(value), "blue-soft", "blue")
        if lane > place:
            picture.arrow(x - pitch / 2, 399, x + pitch / 2 - 3, 427, "muted", 1.5, head=7)
    picture.text(WIDTH - LEFT, 488, f"{queue[-1]} falls out", "muted", 16, "end")
    picture.lines(
        LEFT,
        518,
        ["No loop over the queue, no memory, no barrier:", "three warp instructions, and a few in each lane."],
        "muted",
    )
    return picture.render()


def flow():
    """What happens to a tile of keys, and how rarely the right-hand part is reached."""
    picture = Svg(
        WIDTH,
        572,
        "One read of the data",
        "A block loads a tile, and while the next tile is on its way each thread compares the largest of "
        "each four keys with the threshold. If no thread of the block has a candidate, nothing else happens. "
        "Otherwise candidates go to a set in shared memory; when it is full, only the k best stay and the threshold "
        "rises. All blocks share the threshold. The last block to finish merges.",
    )

    def box(x, y, width, lines, colour, number=0):
        height = 24 * len(lines) + 18
        picture.rect(x, y, width, height, f"{colour}-soft", colour, 6, 1.4)
        if number:
            picture.circle(x, y - 1, 12, colour)
            picture.text(x, y + 4.5, str(number), "panel", 16, "middle", True)
        for i, text in enumerate(lines):
            picture.text(x + width / 2, y + 27 + i * 24, text, colour if i == 0 else "ink", 16, "middle", i == 0)

    left, wide, right = 140, 250, 470
    picture.text(left, 32, "for every tile", "ink", 16, bold=True)
    picture.text(right, 32, "only if a key passes", "ink", 16, bold=True)
    steps = (
        ("load 16 keys per thread", "four reads of 16 bytes"),
        ("the largest of each four", "three comparisons"),
        ("is it below the threshold?", "one comparison"),
        ("for all threads?", "one barrier"),
    )
    for i, lines in enumerate(steps):
        y = 46 + 96 * i
        box(left, y, wide, lines, "blue", i + 1)
        if i:
            picture.arrow(left + wide / 2, y - 30, left + wide / 2, y - 2, "ink", 1.6)
    picture.path(f"M {left} 367 H 118 V 79 H {left - 10}", "green", 1.8)
    picture.arrow(left - 12, 79, left - 2, 79, "green", 1.8)
    picture.text(108, 190, "yes:", "green", 16, "end", bold=True)
    picture.lines(108, 213, ("next tile,", "already", "loading"), "green", "end")
    picture.arrow(left + wide, 367, right - 2, 367, "orange", 1.8)
    picture.text((left + wide + right) / 2, 357, "no", "orange", 16, "middle", bold=True)
    box(right, 334, 226, ("into the block's set", "in shared memory"), "orange", 5)
    box(right, 214, 226, ("when full: keep k", "the k-th: new threshold"), "orange", 6)
    box(right, 94, 226, ("tell all other blocks", "atomicMax on one word"), "orange", 7)
    picture.arrow(right + 113, 334, right + 113, 282, "orange", 1.6)
    picture.arrow(right + 113, 214, right + 113, 162, "orange", 1.6)
    picture.path(f"M {right} 127 H 430 V 271 H {left + wide + 10}", "orange", 1.8)
    picture.arrow(left + wide + 12, 271, left + wide + 2, 271, "orange", 1.8)
    picture.text(440, 178, "the threshold", "orange", 16)
    picture.text(440, 198, "has risen", "orange", 16)
    picture.line(LEFT, 424, WIDTH - LEFT, 424, "line", 1, "4 4")
    picture.text(LEFT, 478, "at the end", "ink", 16, bold=True)
    box(left, 440, 160, ("each block", "lists its best"), "purple", 8)
    picture.arrow(300, 473, 328, 473, "ink", 1.6)
    box(330, 440, 150, ("it takes", "a ticket"), "purple", 9)
    picture.arrow(480, 473, 508, 473, "ink", 1.6)
    box(510, 440, 186, ("the last block", "merges the lists"), "purple", 10)
    picture.text(LEFT, 546, "One launch. Every key is read once.", "muted", 16)
    return picture.render()


def sample_threshold():
    """The k-th largest of the groups' maxima: at least k keys are as good, so it is a threshold."""
    groups, k, each, top, height = 24, 5, 12, 92, 200
    width = (WIDTH - 2 * LEFT) / groups
    keys = _random_keys(groups * each, 10)
    picture = Svg(
        WIDTH,
        top + height + 156,
        "A threshold from the groups' maxima",
        "Twenty-four groups of threads each look at twelve keys and publish the largest. The fifth largest of these "
        "is the threshold: five groups have seen a key at least as large, so the five largest of all data are "
        "also at least as large.",
    )
    bests = [max(keys[g * each : (g + 1) * each]) for g in range(groups)]
    level = sorted(bests, reverse=True)[k - 1]
    y = picture.lines(LEFT, 30, ["Each column: the keys that one group of threads has read."])
    picture.circle(LEFT + 8, y - 5, 5, "blue-soft", "blue", 1.3)
    picture.text(LEFT + 22, y, "its maximum, published", "blue", 16)
    picture.line(LEFT + 262, y - 5, LEFT + 290, y - 5, "green", 2.4)
    picture.text(LEFT + 298, y, f"the threshold: the {k}th largest of the maxima", "green", 16)

    def y_of(value):
        return top + height - value**3 * height

    for g in range(groups):
        x = LEFT + g * width
        mine = keys[g * each : (g + 1) * each]
        picture.rect(x, top - 8, width - 4, height + 16, "soft", "none", 3)
        for i, key in enumerate(mine):
            at = x + 4 + i * (width - 12) / (each - 1), y_of(key)
            if key != bests[g]:
                picture.circle(*at, 3 if key >= level else 2, "orange" if key >= level else "muted")
            else:
                picture.circle(*at, 4.6, "blue" if key >= level else "blue-soft", "blue", 1.3)
    picture.line(LEFT - 6, y_of(level), WIDTH - LEFT + 2, y_of(level), "green", 2)
    above = sum(1 for key in keys if key >= level)
    y = picture.lines(
        LEFT,
        top + height + 42,
        [
            f"{k} different keys reach the threshold, one in each of {k} groups. So the {k} best of",
            "all data are not below it, whatever else the data hold. Keys below the",
            "threshold can be discarded unseen.",
        ],
    )
    picture.lines(
        LEFT,
        y + 4,
        [
            f"Here {above} of the {len(keys)} keys reach it. One group has two (orange), so the threshold",
            "is a little lower than it could be.",
        ],
        "muted",
    )
    return picture.render()


def segments():
    """Each segment's best; the k best segments are read again."""
    count, k, height = 16, 4, 84
    step = (WIDTH - 2 * LEFT) / count
    width = step - 4
    keys = [_random_keys(9, 40 + segment) for segment in range(count)]
    bests = [max(each) for each in keys]
    level = sorted(bests, reverse=True)[k - 1]
    picture = Svg(
        WIDTH,
        432,
        "The k best segments hold the k best keys",
        "Sixteen warps each read a segment of nine keys and publish the best. Block 0 finds the four best summaries "
        "and reads those four segments again. The four best keys of all are among their keys.",
    )

    def dots(x, y, segment, is_read_again):
        for i, key in enumerate(keys[segment]):
            colour = "blue" if key == bests[segment] else "muted"
            if is_read_again and key >= level:
                colour = "orange"
            picture.circle(x + 6 + i * (width - 12) / 8, y + height - 7 - key**3 * (height - 14), 2.8, colour)

    first = picture.lines(LEFT, 30, ["1. One warp, or four, read a segment of adjacent keys and keep the best."]) - 8
    for segment in range(count):
        x = LEFT + segment * step
        picture.rect(x, first, width, height, "soft", "line", 3)
        dots(x, first, segment, False)
    y = first + height + 34
    y = picture.lines(LEFT, y, ["2. A summary of each segment: its best key, and where that is."])
    for segment in range(count):
        x = LEFT + segment * step
        wanted = bests[segment] >= level
        picture.rect(x, y - 8, width, 30, "blue-soft" if wanted else "soft", "blue" if wanted else "line", 3)
        text = f"{1000 * bests[segment]:.0f}"
        picture.text(x + width / 2, y + 13, text, "ink", 16, "middle", bold=wanted)
    y += 56
    y = picture.lines(LEFT, y, [f"3. Block 0 reads the {k} best segments again: only a small part of all keys."])
    for segment in range(count):
        x = LEFT + segment * step
        if bests[segment] < level:
            picture.rect(x, y - 8, width, height, "none", "line", 3)
            continue
        picture.rect(x, y - 8, width, height, "blue-soft", "blue", 3)
        dots(x, y - 8, segment, True)
    found = sum(1 for segment in range(count) for key in keys[segment] if bests[segment] >= level and key >= level)
    y = picture.lines(LEFT, y + height + 26, [f"4. The {k} best keys of all are among the {found} orange ones."])
    picture.lines(LEFT, y, [f"No other segment can hold one: {k} keys here are larger than all of its keys."], "muted")
    return picture.render()


def figures():
    return {
        "lists.svg": lists(),
        "threshold.svg": threshold(),
        "shared_threshold.svg": shared_threshold(),
        "warp_queue.svg": warp_queue(),
        "flow.svg": flow(),
        "sample_threshold.svg": sample_threshold(),
        "key_index.svg": key_index(),
        "segments.svg": segments(),
    }
