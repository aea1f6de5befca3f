"""The pictures of chapter 6: lists and their merging, the threshold, a warp's queue, the flow, the sample."""

from svg import Svg


def lists():
    """`insert`: a list per thread, merged in pairs; a list per block, merged by a second launch."""
    left, width, spacing = 160, 66, 20
    count = 8
    picture = Svg(
        left + count * (width + spacing) + 10,
        424,
        "A list per thread, merged in pairs, then a list per block",
        "Eight threads each keep the four largest of their own keys. Half of the threads insert the other "
        "half's lists into their own, then a quarter, then one: the block's list. A second launch of one "
        "block merges the lists of all blocks in the same way.",
    )
    shown = [
        [93, 61, 44, 12],
        [88, 70, 35, 31],
        [99, 52, 50, 8],
        [77, 76, 20, 3],
        [95, 42, 41, 40],
        [67, 66, 30, 19],
        [84, 83, 25, 10],
        [58, 57, 56, 5],
    ]

    def x_of(thread):
        return left + thread * (width + spacing)

    def draw(y, thread, keys, live):
        x = x_of(thread)
        for i, key in enumerate(keys):
            box = width / 4
            picture.rect(
                x + i * box, y, box - 1.5, 28, "blue-soft" if live else "soft", "blue" if live else "line", 2, 1
            )
            picture.text(
                x + i * box + box / 2 - 1, y + 18, str(key), "ink" if live else "muted", 10, "middle", mono=True
            )

    picture.text(24, 34, "the keys", "muted", 13)
    for thread in range(count):
        picture.text(x_of(thread) + width / 2, 34, f"thread {thread}", "muted", 12, "middle")
        for i in range(3):
            x = x_of(thread) + width / 2 + (i - 1) * 15
            picture.line(x, 42, x, 56, "line", 1.5)
        picture.arrow(x_of(thread) + width / 2, 46, x_of(thread) + width / 2, 66, "muted", 1.3)
    y, half, kept = 70, count // 2, [list(k) for k in shown]
    labels = ["its own k best", "merge in pairs", "again", "the block's k best"]
    for level in range(4):
        alive = count >> level
        picture.text(24, y + 18, labels[level], "ink" if level in (0, 3) else "muted", 13)
        for thread in range(count):
            draw(y, thread, kept[thread], thread < alive)
        if level == 3:
            break
        half = alive // 2
        for thread in range(half):
            picture.arrow(x_of(thread) + width / 2, y + 31, x_of(thread) + width / 2, y + 66, "orange", 1.5)
            picture.arrow(x_of(thread + half) + width / 2, y + 31, x_of(thread) + width / 2 + 8, y + 66, "orange", 1.5)
            kept[thread] = sorted(kept[thread] + kept[thread + half], reverse=True)[:4]
        y += 70
    y += 62
    picture.line(24, y - 16, left + count * (width + spacing), y - 16, "line", 1, "4 4")
    picture.text(24, y + 10, "second launch", "ink", 13, bold=True)
    for block in range(6):
        x = left + block * 54
        for i in range(4):
            picture.rect(x + i * 10, y - 2, 8.5, 18, "purple-soft", "purple", 1, 1)
    picture.text(left + 6 * 54 + 4, y + 11, "… one list from each block", "muted", 13)
    picture.arrow(left + 6 * 54 + 180, y + 7, left + 6 * 54 + 222, y + 7, "orange", 1.8)
    picture.text(left + 6 * 54 + 230, y + 11, "one block", "purple", 13, bold=True)
    picture.text(
        24,
        y + 44,
        "Every thread keeps a list of its own, however poor its keys are. Nearly all that is kept "
        "is merged away later.",
        "muted",
        13,
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
    top, entered, threshold = [], [], []
    for key in keys:
        enters = len(top) < k or key > top[-1]
        if enters:
            top = sorted(top + [key], reverse=True)[:k]
        entered.append(enters)
        threshold.append(top[-1] if len(top) == k else 0.0)
    return entered, threshold


def threshold():
    """Which keys pass a threshold that is the k-th best so far: random, ascending, descending."""
    k, count, left, top, height = 5, 240, 30, 66, 120
    width = 3.5 * count
    picture = Svg(
        left + width + 24,
        top + 3 * (height + 44) - 22,
        "Which keys pass the threshold",
        "Three rows of 240 keys, with the five best kept. In random order the threshold, the fifth best so "
        "far, rises fast and hardly any key passes later. In ascending order every key passes. In "
        "descending order only the first five do.",
    )
    keys = _random_keys(count)
    rows = (("random order", keys), ("ascending", sorted(keys)), ("descending", sorted(keys, reverse=True)))
    picture.text(
        left,
        26,
        f"{count} keys from left to right, the {k} best so far are kept. Orange: passes and is "
        f"inserted. Line: the {k}th best so far.",
        "ink",
        14,
    )
    for index, (name, row) in enumerate(rows):
        y0 = top + index * (height + 44)
        entered, line = _inserted(row, k)
        total = sum(entered)
        picture.text(left, y0 - 10, name, "ink", 14, bold=True)
        note = f"{total} of {count} pass"
        if index == 0:
            note += f"; k(1 + ln(n/k)) says {k + k * sum(1 / i for i in range(k + 1, count + 1)):.0f}"
        picture.text(left + 124, y0 - 10, note, "red" if total == count else "muted", 13)
        picture.rect(left, y0, width, height, "soft")

        def at(i, value):
            return left + 3.5 * i + 1.75, y0 + height - value * (height - 6) - 3

        points = []
        for i in range(count):
            x, y = at(i, line[i])
            points += [(x - 1.75, y), (x + 1.75, y)]
        for i, key in enumerate(row):
            if not entered[i]:
                picture.circle(*at(i, key), 1.5, "muted")
        picture.polyline(points, "blue", 1.6)
        for i, key in enumerate(row):
            if entered[i]:
                picture.circle(*at(i, key), 2.7, "orange")
    return picture.render()


def warp_queue():
    """A key enters the sorted queue that a warp keeps in its registers."""
    queue, key = [90, 81, 77, 64, 52, 40, 33, 21], 58
    left, pitch = 236, 62
    picture = Svg(
        left + pitch * len(queue) + 30,
        436,
        "Insertion into a warp's queue",
        "Eight lanes hold eight keys in descending order. A key of 58 comes. A ballot of the lanes whose "
        "key is larger gives four ones, so the place is lane 4. A shuffle moves the keys of the lanes "
        "behind one lane up; lane 4 takes the new key, and the last key falls out.",
    )
    place = sum(1 for q in queue if q > key)

    def box(y, lane, text, fill, line, colour="ink"):
        x = left + pitch * lane
        picture.rect(x + 4, y - 17, pitch - 8, 34, fill, line, 4, 1.3)
        picture.text(x + pitch / 2, y + 6, text, colour, 16, "middle", mono=True)

    for lane in range(len(queue)):
        picture.text(left + pitch * (lane + 0.5), 28, f"lane {lane}", "muted", 12, "middle")
    y = 62
    picture.text(24, y + 5, "the queue, in registers", "ink", 14)
    for lane, value in enumerate(queue):
        box(y, lane, str(value), "blue-soft", "blue")
    y = 128
    picture.text(24, y + 5, "every lane gets the key", "ink", 14)
    picture.text(24, y + 23, "__shfl_sync", "muted", 12, mono=True)
    for lane in range(len(queue)):
        box(y, lane, str(key), "orange-soft", "orange", "orange")
    y = 200
    picture.text(24, y + 5, "is mine larger?", "ink", 14)
    picture.text(24, y + 23, "__ballot_sync", "muted", 12, mono=True)
    for lane, value in enumerate(queue):
        larger = value > key
        box(
            y,
            lane,
            "1" if larger else "0",
            "green-soft" if larger else "soft",
            "green" if larger else "line",
            "green" if larger else "muted",
        )
    picture.text(24, 262, "count the ones", "ink", 14)
    picture.text(24, 280, "__popc", "muted", 12, mono=True)
    picture.text(left + 6, 266, f"{place} ones, so the place is lane {place}", "green", 15, bold=True)
    y = 322
    picture.text(24, y + 5, "the others move up one", "ink", 14)
    picture.text(24, y + 23, "__shfl_up_sync", "muted", 12, mono=True)
    after = queue[:place] + [key] + queue[place:-1]
    for lane, value in enumerate(after):
        if lane == place:
            box(y, lane, str(value), "orange-soft", "orange", "orange")
        else:
            box(y, lane, str(value), "blue-soft", "blue")
        if lane > place:
            x = left + pitch * lane
            picture.arrow(x - pitch / 2, y - 36, x + pitch / 2 - 2, y - 20, "muted", 1.4, head=6)
    x = left + pitch * len(queue)
    picture.text(x - pitch / 2, y + 42, f"{queue[-1]} falls out", "muted", 13, "middle")
    picture.text(
        24,
        404,
        "No loop over the queue, no memory, no barrier: three warp instructions and a few of each lane's own.",
        "muted",
        13,
    )
    return picture.render()


def flow():
    """What happens to a tile of keys, and how rarely the right-hand part is reached."""
    picture = Svg(
        900,
        420,
        "One read of the data",
        "A block loads a tile, and while the next tile is on its way each thread compares the largest of "
        "each four keys with the threshold. If no lane of a warp has a candidate, nothing else happens. Else "
        "candidates go to a set in shared memory; when it is full, only the k best stay and the threshold "
        "rises. Floors are shared by all blocks. The last block to finish merges.",
    )

    def box(x, y, width, height, lines, colour, bold=False):
        picture.rect(x, y, width, height, f"{colour}-soft", colour, 6, 1.4)
        for i, text in enumerate(lines):
            picture.text(
                x + width / 2,
                y + height / 2 + 5 + (i - (len(lines) - 1) / 2) * 18,
                text,
                colour if i == 0 else "ink",
                13,
                "middle",
                bold and i == 0,
            )

    picture.text(24, 30, "for every tile", "ink", 14, bold=True)
    picture.text(500, 30, "only where a key reaches the threshold", "ink", 14, bold=True)
    box(24, 50, 190, 62, ["load 16 keys per thread", "four reads of 16 bytes"], "blue", True)
    box(24, 146, 190, 62, ["the largest of each 4", "three comparisons"], "blue", True)
    box(24, 242, 190, 62, ["does it reach the threshold?", "one comparison"], "blue", True)
    box(270, 242, 176, 62, ["does any lane's?", "one vote of the warp"], "blue", True)
    picture.arrow(119, 112, 119, 144, "ink", 1.6)
    picture.arrow(119, 208, 119, 240, "ink", 1.6)
    picture.arrow(214, 273, 268, 273, "ink", 1.6)
    picture.path("M 358 242 V 81 H 222", "green", 1.8)
    picture.arrow(230, 81, 216, 81, "green", 1.8)
    picture.text(366, 150, "no: next tile,", "green", 13, bold=True)
    picture.text(366, 168, "already loading", "green", 13)
    picture.arrow(446, 273, 500, 273, "orange", 1.8)
    picture.text(473, 264, "yes", "orange", 13, "middle", bold=True)
    box(502, 242, 180, 62, ["into the block's set", "in shared memory"], "orange", True)
    box(502, 146, 180, 62, ["when full: keep k", "the k-th is the new threshold"], "orange", True)
    box(502, 50, 180, 62, ["tell all other blocks", "atomicMax on one word"], "orange", True)
    picture.arrow(592, 242, 592, 210, "orange", 1.6)
    picture.arrow(592, 146, 592, 114, "orange", 1.6)
    picture.path("M 502 81 H 360", "orange", 1.8)
    picture.text(692, 68, "a higher threshold for", "muted", 13)
    picture.text(692, 86, "everybody: still fewer", "muted", 13)
    picture.text(692, 104, "keys reach it", "muted", 13)
    picture.line(24, 334, 876, 334, "line", 1, "4 4")
    picture.text(24, 366, "at the end", "ink", 14, bold=True)
    box(130, 344, 210, 40, ["each block lists its best"], "purple", True)
    picture.arrow(340, 364, 372, 364, "ink", 1.6)
    box(374, 344, 190, 40, ["and draws a ticket"], "purple", True)
    picture.arrow(564, 364, 596, 364, "ink", 1.6)
    box(598, 344, 250, 40, ["the last block sorts them out"], "purple", True)
    picture.text(130, 408, "One launch. Every key is read once.", "muted", 13)
    return picture.render()


def sample_threshold():
    """The k-th largest of the groups' bests: at least k keys are as good, so it is a threshold."""
    warps, k, left, top, height = 24, 5, 30, 74, 190
    width = 33
    keys = _random_keys(warps * 12, 10)
    picture = Svg(
        left + warps * width + 186,
        top + height + 116,
        "A threshold from the groups' bests",
        "Twenty-four groups of warps each look at twelve keys and publish their best. The fifth largest of the bests "
        "is the threshold: five groups have seen a key at least as large, so the five largest of all data are "
        "at least as large, too.",
    )
    picture.text(
        left, 26, "each column: what one group of warps has looked at. Blue: its best, which it publishes", "ink", 14
    )
    bests = [max(keys[w * 12 : w * 12 + 12]) for w in range(warps)]
    level = sorted(bests, reverse=True)[k - 1]

    def y_of(value):
        return top + height - value**3 * height

    for w in range(warps):
        x = left + w * width
        picture.rect(x, top - 6, width - 5, height + 12, "soft", "none", 3)
        for i, key in enumerate(keys[w * 12 : w * 12 + 12]):
            if key != bests[w]:
                picture.circle(x + 4 + i * (width - 13) / 11, y_of(key), 2, "orange" if key >= level else "muted")
        good = bests[w] >= level
        index = keys[w * 12 : w * 12 + 12].index(bests[w])
        picture.circle(
            x + 4 + index * (width - 13) / 11, y_of(bests[w]), 4.2, "blue" if good else "blue-soft", "blue", 1.3
        )
    y = y_of(level)
    picture.line(left - 6, y, left + warps * width, y, "green", 2)
    picture.text(left + warps * width + 8, y + 5, f"the threshold: the {k}th", "green", 14, bold=True)
    picture.text(left + warps * width + 8, y + 23, "largest of the bests", "green", 14, bold=True)
    above = sum(1 for key in keys if key >= level)
    picture.text(
        left,
        top + height + 40,
        f"{k} different keys reach the threshold, one of each of {k} groups. So the {k} best of all "
        "data do not lie below it,",
        "ink",
        14,
    )
    picture.text(
        left,
        top + height + 60,
        "whatever else the data hold. Whatever is below the threshold can be thrown away unseen.",
        "ink",
        14,
    )
    picture.text(
        left,
        top + height + 86,
        f"Here {above} of the {len(keys)} keys reach it: one group has two (orange), so the threshold "
        "is a little lower than it could be.",
        "muted",
        13,
    )
    return picture.render()


def segments():
    """Each warp's best; the k best segments are read again."""
    count, k, left, top, width, height, spacing = 16, 4, 30, 70, 44, 78, 6
    keys = [_random_keys(9, 40 + segment) for segment in range(count)]
    bests = [max(each) for each in keys]
    level = sorted(bests, reverse=True)[k - 1]
    step = width + spacing
    picture = Svg(
        left + count * step + 24,
        400,
        "The k best segments hold the k best keys",
        "Sixteen warps each read a segment of nine keys and publish the best. Block 0 finds the four best summaries and looks "
        "into those four segments again. The four best keys of all are among their keys.",
    )
    picture.text(
        left, 26, "1. A warp, or four, read a segment, keys that stand side by side, and keep the best.", "ink", 14
    )
    picture.text(left, 46, "All data are read once, and only block 0 waits.", "muted", 13)

    def dots(x, y, segment, is_read_again):
        for i, key in enumerate(keys[segment]):
            is_best = key == bests[segment]
            colour = "blue" if is_best else "muted"
            if is_read_again and key >= level:
                colour = "orange"
            picture.circle(x + 6 + i * (width - 12) / 8, y + height - 6 - key**3 * (height - 12), 2.6, colour)

    for segment in range(count):
        x = left + segment * step
        picture.rect(x, top, width, height, "soft", "line", 3)
        dots(x, top, segment, False)
    summaries = top + height + 54
    picture.text(
        left,
        summaries - 16,
        "2. One summary per segment: the best radix key, which segment, which thread read it, and its lead over the others.",
        "ink",
        14,
    )
    for segment in range(count):
        x = left + segment * step
        wanted = bests[segment] >= level
        picture.rect(x, summaries, width, 26, "blue-soft" if wanted else "soft", "blue" if wanted else "line", 3)
        text = f"{bests[segment]:.3f}".replace("0.", ".", 1)
        picture.text(x + width / 2, summaries + 18, text, "ink", 13, "middle", bold=wanted)
    again = summaries + 80
    picture.text(
        left,
        again - 16,
        f"3. Block 0 looks into the {k} best segments again: at one thread's keys, where the others' are far behind.",
        "ink",
        14,
    )
    for segment in range(count):
        x = left + segment * step
        if bests[segment] < level:
            picture.rect(x, again, width, height, "none", "line", 3)
            continue
        picture.rect(x, again, width, height, "blue-soft", "blue", 3)
        dots(x, again, segment, True)
    found = sum(1 for segment in range(count) for key in keys[segment] if bests[segment] >= level and key >= level)
    picture.text(
        left,
        again + height + 28,
        f"4. {found} keys in them are as good as the {k}th best summary (orange): "
        f"the {k} best of all data are among these.",
        "ink",
        14,
    )
    picture.text(
        left,
        again + height + 52,
        "Another segment cannot hold one: each of the chosen segments has a key that is better than all of its keys.",
        "muted",
        13,
    )
    return picture.render()


def key_index():
    """Key and index in one integer that compares as the result is ordered."""
    left, width = 150, 520
    picture = Svg(
        left + width + 90,
        300,
        "A key and its index in one integer",
        "The upper half of a 64-bit integer holds the radix key, the lower half the complement of the index. "
        "Larger ones are better: first by key, and of equal keys the lower index. Zero means nothing.",
    )
    rows = (
        ("key 70, index 3", "radix key of 70", "~3", "blue"),
        ("key 52, index 1", "radix key of 52", "~1", "purple"),
        ("key 52, index 8", "radix key of 52", "~8", "purple"),
    )
    for i, (name, radix_key, low, colour) in enumerate(rows):
        y = 52 + 58 * i
        picture.text(left - 14, y + 22, name, "ink", 13, "end")
        picture.rect(left, y, width / 2, 34, f"{colour}-soft", colour, 3, 1.3)
        picture.rect(left + width / 2, y, width / 2, 34, "soft", "muted", 3, 1.3)
        picture.text(left + width / 4, y + 22, radix_key, colour, 14, "middle", mono=True)
        picture.text(left + 3 * width / 4, y + 22, low, "ink", 14, "middle", mono=True)
        if i < 2:
            picture.text(left + width + 20, y + 50, ">", "green", 20, "middle", bold=True)
    picture.text(left, 36, "bit 63", "muted", 12)
    picture.text(left + width / 2 - 3, 36, "32", "muted", 12, "end")
    picture.text(left + width / 2 + 3, 36, "31", "muted", 12)
    picture.text(left + width, 36, "0", "muted", 12, "end")
    picture.text(
        24, 250, "One comparison of whole integers decides: by key, and of equal keys by the lower index.", "ink", 14
    )
    picture.text(
        24,
        274,
        "(~i is larger for a lower i.) No two are equal, so ties need no code. 0 is no "
        "key’s KeyIndex: “nothing here”.",
        "muted",
        13,
    )
    return picture.render()


def figures():
    return {
        "lists.svg": lists(),
        "threshold.svg": threshold(),
        "warp_queue.svg": warp_queue(),
        "flow.svg": flow(),
        "sample_threshold.svg": sample_threshold(),
        "key_index.svg": key_index(),
        "segments.svg": segments(),
    }
