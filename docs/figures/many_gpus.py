"""The pictures of docs/many_gpus.md and of the chapters' sections: who sends what to whom."""

from svg import Svg

COLOURS = ("blue", "orange")


def gpus(svg, y=40, height=150, width=340, gap=140):
    """Two GPUs as frames; their left edges."""
    edges = []
    for number in range(2):
        x = 30 + number * (width + gap)
        svg.rect(x, y, width, height, "soft", "line", 8)
        svg.text(x + 12, y + 20, f"GPU {number} (rank {number})", size=13, bold=True)
        edges.append(x)
    return edges


def all_reduce():
    """Two shares, two sums, one message of 8 bytes each way."""
    svg = Svg(
        880,
        220,
        "One all-reduce",
        "Each GPU adds up its own share of the items; the two sums of 8 bytes are exchanged and added, "
        "so that both GPUs know the sum of all.",
    )
    for number, x in enumerate(gpus(svg)):
        colour = COLOURS[number]
        svg.rect(x + 14, 74, 312, 34, f"{colour}-soft", colour, 4, 1)
        svg.text(x + 170, 96, "its share of the items", colour, 13, "middle")
        svg.arrow(x + 170, 110, x + 170, 136, "muted")
        svg.rect(x + 110, 138, 120, 34, f"{colour}-soft", colour, 4, 1)
        svg.text(x + 170, 160, "sum: 8 bytes", colour, 13, "middle")
    svg.arrow(262, 155, 618, 155, "purple", both=True)
    svg.text(440, 146, "all-reduce", "purple", 13, "middle")
    svg.text(440, 212, "The items never travel: one number of each GPU does.", "muted", 13, "middle")
    return svg.render()


def margins():
    """Segments, and the margins that the neighbour owns."""
    svg = Svg(
        880,
        240,
        "Margins between two GPUs",
        "Each GPU holds its own segment of the keys and a margin of the neighbour's. After as many half-steps as "
        "the margin is wide the margin is wrong, and is copied again from the GPU that owns it.",
    )
    for number, x in enumerate(gpus(svg)):
        own, other = COLOURS[number], COLOURS[1 - number]
        if number == 0:
            svg.rect(x + 14, 84, 232, 40, f"{own}-soft", own, 4, 1)
            svg.text(x + 130, 108, "own keys", own, 13, "middle")
            svg.rect(x + 250, 84, 76, 40, f"{other}-soft", other, 4, 1)
            svg.text(x + 288, 108, "margin", other, 12, "middle")
        else:
            svg.rect(x + 14, 84, 76, 40, f"{other}-soft", other, 4, 1)
            svg.text(x + 52, 108, "margin", other, 12, "middle")
            svg.rect(x + 94, 84, 232, 40, f"{own}-soft", own, 4, 1)
            svg.text(x + 210, 108, "own keys", own, 13, "middle")
    svg.path("M 240 128 C 300 176 480 176 558 130", "blue")
    svg.path("M 638 128 C 580 156 400 156 322 130", "orange")
    svg.text(440, 60, "every T", "purple", 13, "middle")
    svg.text(440, 78, "half-steps:", "purple", 13, "middle")
    svg.text(440, 96, "T keys each way", "purple", 13, "middle")
    svg.text(440, 228, "Between two exchanges each GPU sorts on alone.", "muted", 13, "middle")
    return svg.render()


def pieces():
    """Sorted shares, cut by splitters; one piece stays, the other goes."""
    svg = Svg(
        880,
        290,
        "Pieces of sorted shares",
        "Each GPU sorts its share. A splitter cuts every sorted share in two: the small keys go to GPU 0, the large "
        "ones to GPU 1; each merges what stays with what comes.",
    )
    for number, x in enumerate(gpus(svg, height=210)):
        svg.rect(x + 14, 78, 150, 34, "blue-soft", "blue", 4, 1)
        svg.text(x + 89, 100, "small keys", "blue", 13, "middle")
        svg.rect(x + 168, 78, 158, 34, "orange-soft", "orange", 4, 1)
        svg.text(x + 247, 100, "large keys", "orange", 13, "middle")
        svg.text(x + 326, 70, "sorted share, cut by the splitter", "muted", 11, "end")
        colour = COLOURS[number]
        svg.rect(x + 14, 196, 312, 34, f"{colour}-soft", colour, 4, 1)
        svg.text(x + 170, 218, f"merged: all {'small' if number == 0 else 'large'} keys", colour, 13, "middle")
    svg.arrow(119, 114, 119, 192, "blue")
    svg.arrow(757, 114, 757, 192, "orange")
    svg.path("M 560 114 C 500 150 330 150 270 192", "blue")
    svg.path("M 300 114 C 360 150 540 150 610 192", "orange")
    svg.text(440, 110, "exchange,", "purple", 13, "middle")
    svg.text(440, 128, "in rounds", "purple", 13, "middle")
    svg.text(440, 276, "One round is merged while the next one travels.", "muted", 13, "middle")
    return svg.render()


def candidates():
    """k best of each GPU, gathered by all."""
    svg = Svg(
        880,
        250,
        "The k best of each GPU",
        "Each GPU finds the k best keys of its share; an all-gather brings the 2 k candidates to both GPUs; "
        "each picks the k best of them.",
    )
    for number, x in enumerate(gpus(svg, height=180)):
        colour = COLOURS[number]
        svg.rect(x + 14, 72, 312, 30, f"{colour}-soft", colour, 4, 1)
        svg.text(x + 170, 92, "its share: up to a billion keys", colour, 13, "middle")
        svg.arrow(x + 170, 104, x + 170, 124, "muted")
        svg.rect(x + 120, 126, 100, 28, f"{colour}-soft", colour, 4, 1)
        svg.text(x + 170, 145, "k best", colour, 13, "middle")
        svg.arrow(x + 170, 156, x + 170, 174, "muted")
        svg.rect(x + 70, 176, 100, 28, "blue-soft", "blue", 4, 1)
        svg.rect(x + 170, 176, 100, 28, "orange-soft", "orange", 4, 1)
        svg.text(x + 120, 195, "k from 0", "blue", 13, "middle")
        svg.text(x + 220, 195, "k from 1", "orange", 13, "middle")
    svg.arrow(252, 140, 628, 140, "purple", both=True)
    svg.text(440, 95, "all-gather:", "purple", 13, "middle")
    svg.text(440, 113, "k keys and", "purple", 13, "middle")
    svg.text(440, 131, "indices each", "purple", 13, "middle")
    svg.text(440, 242, "k of each share hold the k best of all.", "muted", 13, "middle")
    return svg.render()


def figures():
    return {
        "many_all_reduce.svg": all_reduce(),
        "many_margins.svg": margins(),
        "many_pieces.svg": pieces(),
        "many_candidates.svg": candidates(),
    }
