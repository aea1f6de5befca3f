"""The pictures of docs/many_gpus.md and of the chapters' sections: who sends what to whom."""

from svg import Svg

WIDTH = 760
FRAME, GAP = 294, 140  # a GPU, and the space between the two
INNER = FRAME - 28
COLOURS = ("blue", "orange")


def gpus(svg, height):
    """Two GPUs as frames; their left edges."""
    edges = []
    for number in range(2):
        x = 16 + number * (FRAME + GAP)
        svg.rect(x, 16, FRAME, height, "soft", "line", 8)
        svg.text(x + 14, 42, f"GPU {number} (rank {number})", size=16, bold=True)
        edges.append(x)
    return edges


def box(svg, x, y, width, label, colour, height=36):
    svg.rect(x, y, width, height, f"{colour}-soft", colour, 4, 1)
    svg.text(x + width / 2, y + height / 2 + 5.5, label, colour, 16, "middle")


def between(svg, y, *lines):
    """What is exchanged, in the middle between the two frames."""
    svg.lines(WIDTH / 2, y, lines, "purple", "middle")


def all_reduce():
    """Two shares, two sums, one message of 8 bytes each way."""
    svg = Svg(
        WIDTH,
        230,
        "One all-reduce",
        "Each GPU adds up its own share of the items; the two sums of 8 bytes are exchanged and added, "
        "so that both GPUs know the sum of all.",
    )
    for number, x in enumerate(gpus(svg, 162)):
        colour, middle = COLOURS[number], x + FRAME / 2
        box(svg, x + 14, 58, INNER, "its share of the items", colour)
        svg.arrow(middle, 96, middle, 122, "muted")
        box(svg, middle - 75, 124, 150, "sum: 8 bytes", colour)
    svg.arrow(240, 142, 520, 142, "purple", both=True)
    between(svg, 130, "all-reduce")
    svg.text(WIDTH / 2, 208, "The items never travel: one number of each GPU does.", "muted", 16, "middle")
    return svg.render()


def margins():
    """Segments, and the margins that the neighbour owns."""
    svg = Svg(
        WIDTH,
        236,
        "Margins between two GPUs",
        "Each GPU holds its own segment of the keys and a margin of the neighbour's. After as many half-steps as "
        "the margin is wide the margin is wrong, and is copied again from the GPU that owns it.",
    )
    margin = 76
    for number, x in enumerate(gpus(svg, 160)):
        own, other = COLOURS[number], COLOURS[1 - number]
        box(svg, x + 14 + number * (margin + 4), 70, INNER - margin - 4, "own keys", own)
        box(svg, x + 14 + (1 - number) * (INNER - margin), 70, margin, "margin", other)
    svg.path("M 205 110 C 260 168 420 168 484 112", "blue")
    svg.path("M 545 110 C 490 140 330 140 262 112", "orange")
    between(svg, 44, "every T", "half-steps:", "T keys", "each way")
    svg.text(WIDTH / 2, 212, "Between two exchanges each GPU sorts on alone.", "muted", 16, "middle")
    return svg.render()


def pieces():
    """Shares in buckets; some stay, others are sent."""
    svg = Svg(
        WIDTH,
        286,
        "Buckets that stay, and buckets that go",
        "Each GPU moves its share into buckets. Those with small keys go to GPU 0, those with large keys to GPU 1; "
        "each cuts them further, and sorts them.",
    )
    half = (INNER - 4) / 2
    for number, x in enumerate(gpus(svg, 216)):
        svg.text(x + 14, 72, "its share, in buckets", "muted", 16)
        for side, (name, colour) in enumerate((("small keys", "blue"), ("large keys", "orange"))):
            left = x + 14 + side * (half + 4)
            box(svg, left, 84, half, name, colour)
            for line in 1, 2, 3:
                at = left + line * half / 4
                svg.line(at, 84, at, 90, colour)
                svg.line(at, 114, at, 120, colour)
        name = "small" if number == 0 else "large"
        box(svg, x + 14, 184, INNER, f"cut and sorted: all {name} keys", COLOURS[number])
    svg.arrow(95, 122, 95, 181, "blue")
    svg.arrow(665, 122, 665, 181, "orange")
    svg.path("M 530 122 C 450 150 300 150 232 182", "blue")
    svg.path("M 230 122 C 310 150 460 150 528 182", "orange")
    between(svg, 90, "exchange,", "in rounds")
    svg.text(WIDTH / 2, 264, "One round is sorted while the next one travels.", "muted", 16, "middle")
    return svg.render()


def candidates():
    """The k best of each GPU, gathered by all."""
    svg = Svg(
        WIDTH,
        270,
        "The k best of each GPU",
        "Each GPU finds the k best keys of its share; an all-gather brings the 2 k candidates to both GPUs; "
        "each picks the k best of them.",
    )
    for number, x in enumerate(gpus(svg, 204)):
        colour, middle = COLOURS[number], x + FRAME / 2
        box(svg, x + 14, 54, INNER, "its share of the keys", colour)
        svg.arrow(middle, 92, middle, 110, "muted")
        box(svg, middle - 55, 112, 110, "k best", colour)
        svg.arrow(middle, 150, middle, 168, "muted")
        box(svg, middle - 104, 170, 104, "k from 0", "blue")
        box(svg, middle, 170, 104, "k from 1", "orange")
    svg.arrow(222, 130, 538, 130, "purple", both=True)
    between(svg, 66, "all-gather:", "k keys and", "indices each")
    svg.text(WIDTH / 2, 248, "The k best of each share include the k best of all.", "muted", 16, "middle")
    return svg.render()


def figures():
    return {
        "many_all_reduce.svg": all_reduce(),
        "many_margins.svg": margins(),
        "many_pieces.svg": pieces(),
        "many_candidates.svg": candidates(),
    }
