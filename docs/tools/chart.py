"""Line charts over n from results files: time on two logarithmic axes, how many times as fast as one of the stages or
libraries, or percentage of the ceiling.

The stages that tell the story are in colour and named where their lines end. The others are thin and grey, so that the
whole table is seen and nothing has to be looked up in a legend. Libraries are dashed.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Tuple

import results as res
from errors import DocsError
from svg import SERIES, Svg

WIDTH, HEIGHT = 760, 580
LEFT, RIGHT, TOP, BOTTOM = 88, 176, 104, 64
TEXT = 16
LABEL_HEIGHT = 20
DASHES = ("7 4", "2 4")  # of libraries


@dataclass
class Line:
    name: str
    points: list[tuple[float, float]]  # (n, value), n ascending
    library: bool = False  # drawn grey and dashed


Note = Tuple[float, float, str, float]  # (n, value, remark, the value at whose height it is shown)


def time_over_n(
    results: res.Results,
    title: str,
    clock: str = "time",
    notes: list[Note] | None = None,
    story: str = "",
    items: str = "",
    **filters: str,
) -> str:
    """Time of each stage over n; clock: time (cold), hot, min or copies. `filters` as in tables,
    e.g. stage="global,shared", input="random". `story`: the stages in colour, "a,b"; else all.
    `items`: what n counts, "keys". `notes`: remarks about points of the chart."""
    lines, rows = _lines(results, clock, filters)
    kind = {"time": "time of a run (L2 cache flushed)", "hot": "time of a run (back to back)"}
    caption = results.caption(rows)
    return draw(title, caption, kind.get(clock, clock), lines, res.show_seconds, notes or [], story, items)


def speed_over_n(
    results: res.Results, title: str, reference: str, story: str = "", items: str = "", **filters: str
) -> str:
    """How many times as fast each stage is (cold) as `reference`, a stage or a library, over n. Sizes at which the
    reference was not measured are left out."""
    lines, rows = _lines(results, "time", filters)
    of_reference = next((dict(line.points) for line in lines if line.name == reference), None)
    if of_reference is None:
        raise DocsError(f"{results.name} has no {reference} among these rows")
    compared = [
        Line(line.name, [(n, of_reference[n] / value) for n, value in line.points if n in of_reference], line.library)
        for line in lines
        if line.name != reference
    ]
    compared = [line for line in compared if line.points]
    label = f"times as fast as {reference}, cold"
    return draw(title, results.caption(rows), label, compared, _show_times, [], story, items, reference)


def ceiling_over_n(
    results: res.Results, title: str, quantity: str = "ceiling", story: str = "", items: str = "", **filters: str
) -> str:
    """Percentage of the ceiling that each stage reaches, over n; quantity: ceiling or hot_ceiling."""
    lines, rows = _lines(results, quantity, filters)
    ceilings = sorted({r["ceiling"] for r in rows if r.get("ceiling")})
    label = "percentage of the " + (ceilings[0] if len(ceilings) == 1 else "ceiling")
    return draw(title, results.caption(rows), label, lines, None, None, story, items)


def _show_times(value: float) -> str:
    return f"{value:g}x"


def _lines(results: res.Results, quantity: str, filters: dict) -> tuple[list[Line], list[dict]]:
    rows = results.select(**filters)
    lines: dict[str, Line] = {}
    for row in rows:
        if res.skipped(row):
            continue
        value = res.quantity(results, row, quantity)
        n = int(row["n"])
        if value is None or n == 0:
            continue
        line = lines.setdefault(row["stage"], Line(row["stage"], [], row["kind"] == "library"))
        if any(x == n for x, _ in line.points):
            raise DocsError(f"{results.name} has several rows of {line.name} at n = {n}: choose one input")
        line.points.append((n, value))
    if not lines:
        raise DocsError(f"{results.name} has no {quantity} to draw")
    for line in lines.values():
        line.points.sort()
    return list(lines.values()), rows


def _y_axis(values: list[float], show_y, reference: str) -> tuple[float, float, list[tuple[float, str]]]:
    """(lowest, highest, (value, label) of its ticks); on a logarithmic axis, which has a `show_y`, as logarithms."""
    if not show_y:
        high = max(1.0, math.ceil(max(values) * 10 - 1e-9) / 10)
        return 0.0, high, [(t / 5, f"{20 * t} %") for t in range(int(high * 5 + 1e-9) + 1)]
    floor, ceil = min(values + [1.0]) if reference else min(values), max(values + [1.0]) if reference else max(values)
    powers = range(math.floor(math.log10(floor)) - 1, math.ceil(math.log10(ceil)) + 2)
    steps = [step * 10.0**power for power in powers for step in (1, 2, 5)]
    first = max(i for i, t in enumerate(steps) if t <= floor * (1 + 1e-9))
    last = min(i for i, t in enumerate(steps) if t >= ceil * (1 - 1e-9))
    kept = steps[first : max(last, first + 1) + 1]
    decades = [t for t in kept if abs(math.log10(t) - round(math.log10(t))) < 1e-9]
    ticks = kept if reference or len(decades) < 2 else decades
    named = [(math.log10(t), re.sub(r"\.0+(?= )", "", show_y(t))) for t in ticks]
    return math.log10(kept[0]), math.log10(kept[-1]), named


def draw(
    title: str,
    caption: str,
    y_label: str,
    lines: list[Line],
    show_y,
    notes: list[Note] | None = None,
    story: str = "",
    items: str = "",
    reference: str = "",
) -> str:
    """The chart. `show_y` formats a value of the logarithmic y axis; None: y is a fraction, and the axis is linear,
    starting at 0 %. `reference`: what y is a multiple of; 1 is then marked with its name."""
    xs = [x for line in lines for x, _ in line.points]
    ys = [y for line in lines for _, y in line.points]
    x_low, x_high = math.log2(min(xs)), math.log2(max(xs))
    if x_low == x_high:
        x_low, x_high = x_low - 1, x_high + 1
    y_low, y_high, y_ticks = _y_axis(ys, show_y, reference)
    told = story.split(",") if story else [line.name for line in lines]
    missing = sorted(set(told) - {line.name for line in lines})
    if missing:
        raise DocsError(f"'{title}' has no line of {', '.join(missing)}")
    told += [line.name for line in lines if line.library and line.name not in told]
    n = f"n, the number of {items}" if items else "n"

    def at_x(n: float) -> float:
        return LEFT + (math.log2(n) - x_low) / (x_high - x_low) * (WIDTH - LEFT - RIGHT)

    def at_y(value: float) -> float:
        scaled = math.log10(value) if show_y else value
        return HEIGHT - BOTTOM - (scaled - y_low) / (y_high - y_low) * (HEIGHT - TOP - BOTTOM)

    description = f"{y_label} over {n} for {', '.join(x.name for x in lines)}. {caption}."
    svg = Svg(WIDTH, HEIGHT, title, description, ",".join(told))
    others = "; thin: the other stages" if len(told) < len(lines) else ""
    svg.text(20, 30, title, size=18, bold=True)
    svg.text(20, 54, f"{y_label}, over {n}{others}", "muted", TEXT)
    svg.text(20, 77, caption, "muted", TEXT)
    for tick, label in y_ticks:
        y = at_y(10.0**tick if show_y else tick)
        svg.line(LEFT, y, WIDTH - RIGHT, y, "line", 1)
        svg.text(LEFT - 8, y + 5, label, "muted", TEXT, "end")
    for power in _x_ticks(x_low, x_high):
        x = at_x(2.0**power)
        svg.line(x, HEIGHT - BOTTOM, x, HEIGHT - BOTTOM + 5, "muted", 1)
        svg.text(x, HEIGHT - BOTTOM + 24, f"2^{power}" if power >= 10 else str(2**power), "muted", TEXT, "middle")
    svg.text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 14, n, "muted", TEXT, "middle")

    styles, libraries = {}, 0
    for line in lines:
        if line.library:
            styles[line.name] = ("muted", DASHES[libraries % len(DASHES)])
            libraries += 1
        elif line.name in told:
            at = told.index(line.name)
            styles[line.name] = (SERIES[at % len(SERIES)], "" if at < len(SERIES) else "2 4")
    for line in lines:
        if line.name not in styles:
            svg.polyline([(at_x(x), at_y(y)) for x, y in line.points], "muted", 0.8)
    if reference:
        svg.line(LEFT, at_y(1.0), WIDTH - RIGHT, at_y(1.0), "ink", 1.5)
    shown = [line for line in lines if line.name in styles]
    for line in shown:
        colour, dash = styles[line.name]
        points = [(at_x(x), at_y(y)) for x, y in line.points]
        svg.polyline(points, colour, 2.2, dash)
        for x, y in points:
            svg.circle(x, y, 2.6, colour)
    if reference:
        shown.append(Line(reference, [(max(xs), 1.0)]))
        styles[reference] = ("ink", "")
    labels = _labels(svg, shown, styles, at_x, at_y, max(xs))
    for size, value, remark, height in notes or []:
        x, y, below = at_x(size), at_y(value), at_y(height)
        if _box(x + 8, below, remark, TEXT)[2] > WIDTH:
            raise DocsError(f"the remark '{remark}' is too long")
        if any(_overlap(_box(x + 8, below, remark, TEXT), box) for box in labels):
            raise DocsError(f"the remark '{remark}' would cover a label")
        svg.line(x + 2, y, x + 2, below + 3, "muted", 1, "2 3")
        svg.text(x + 8, below, remark, "muted", TEXT, halo=True)
    return svg.render()


def _x_ticks(low: float, high: float) -> list[int]:
    """Whole powers of two between the ends: every one, or every second, … so that 10 fit."""
    powers = range(math.ceil(low - 1e-9), math.floor(high + 1e-9) + 1)
    step = max(1, -(-len(powers) // 10))
    return [p for p in powers if p % step == 0] or list(powers)[:1]


Box = Tuple[float, float, float, float]  # left, top, right, bottom


def _box(x: float, y: float, text: str, size: float, anchor: str = "start") -> Box:
    """The approximate space that bold text takes; y is its baseline."""
    width = 0.6 * size * len(text)
    left = x - width if anchor == "end" else x
    return left, y - 0.8 * size, left + width, y + 0.25 * size


def _overlap(a: Box, b: Box) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def _crossings(box: Box, points: list[tuple[float, float]]) -> int:
    """How many of 64 points on each segment of a line lie in the box, or so close that its halo covers them."""
    count, near = 0, 2
    for (x1, y1), (x2, y2) in zip(points, points[1:]):
        for part in range(65):
            x, y = x1 + (x2 - x1) * part / 64, y1 + (y2 - y1) * part / 64
            count += box[0] - near < x < box[2] + near and box[1] - near < y < box[3] + near
    return count


def _labels(svg: Svg, lines, styles, at_x, at_y, last_x) -> list[Box]:
    """Names at the right of the lines, moved apart; a line that ends early is named near its end,
    where its name covers no other name and as little as possible of the lines. Returns the boxes
    of the names."""
    right, early, boxes = [], [], []
    drawn = [[(at_x(x), at_y(y)) for x, y in line.points] for line in lines]
    for line in lines:
        x, y = at_x(line.points[-1][0]), at_y(line.points[-1][1])
        if line.points[-1][0] == last_x:
            right.append([y, y, x, line.name])
        else:
            early.append((x, y, line.name))
    right.sort()
    for index in range(1, len(right)):
        right[index][0] = max(right[index][0], right[index - 1][0] + LABEL_HEIGHT)
    overflow = right[-1][0] - (HEIGHT - BOTTOM + 4) if right else 0
    if overflow > 0:
        right[-1][0] -= overflow
        for index in range(len(right) - 2, -1, -1):
            right[index][0] = min(right[index][0], right[index + 1][0] - LABEL_HEIGHT)
    for label_y, y, x, name in right:
        colour = styles[name][0]
        svg.polyline([(x + 5, y), (x + 14, label_y), (x + 20, label_y)], colour, 1)
        svg.text(x + 24, label_y + 5.5, name, colour, TEXT, bold=True)
        boxes.append(_box(x + 24, label_y + 5.5, name, TEXT))
    for x, y, name in sorted(early):
        places = [
            (7, -6, "start"),
            (-7, -8, "end"),
            (9, 5, "start"),
            (7, 20, "start"),
            (-7, 21, "end"),
            (7, -24, "start"),
            (-9, 5, "end"),
            (-7, -26, "end"),
            (0, -38, "start"),
            (7, 36, "start"),
            # Farther away, with a line that leads there.
            (24, 44, "start"),
            (-24, -40, "end"),
            (40, 56, "start"),
            (-40, -56, "end"),
            (56, 66, "start"),
        ]
        ranked = []
        for order, (dx, dy, anchor) in enumerate(places):
            box = _box(x + dx, y + dy, name, TEXT, anchor)
            covered = sum(_overlap(box, other) for other in boxes)
            crossed = sum(_crossings(box, points) for points in drawn)
            crossed += 30 if abs(dx) >= 24 else 0  # the line that leads there crosses others as well
            outside = box[1] < TOP - 12 or box[3] > HEIGHT - BOTTOM or box[0] < LEFT
            ranked.append((covered, outside, crossed, order, dx, dy, anchor, box))
        *_, dx, dy, anchor, box = min(ranked)
        boxes.append(box)
        if abs(dx) >= 24:
            svg.polyline([(x, y), (x + dx * 0.9, y + dy - (12 if dy > 0 else -2))], styles[name][0], 1)
        svg.text(x + dx, y + dy, name, styles[name][0], TEXT, anchor, bold=True, halo=True)
    return boxes
