"""Draws pictures as SVG text: the same calls give the same bytes, on every machine.

A picture has its own background, and every colour has a light and a dark form, so it is readable on
any page. Coordinates are pixels, y grows downwards.
"""

from __future__ import annotations

from html import escape

# name: (on a light page, on a dark page)
COLOURS = {
    "panel": ("#ffffff", "#0d1117"),  # the background
    "ink": ("#1f2328", "#e6edf3"),  # text and main lines
    "muted": ("#59636e", "#9198a1"),  # notes
    "line": ("#d1d9e0", "#3d444d"),  # grids and frames
    "soft": ("#f0f3f6", "#212830"),  # boxes in the background
    "blue": ("#0969da", "#58a6ff"),
    "orange": ("#bc4c00", "#f0883e"),
    "green": ("#1a7f37", "#3fb950"),
    "purple": ("#8250df", "#bc8cff"),
    "red": ("#cf222e", "#ff7b72"),
    "teal": ("#0a7b83", "#39c5cf"),
    "yellow": ("#9a6700", "#d29922"),
    "pink": ("#bf3989", "#f778ba"),
    "blue-soft": ("#ddf4ff", "#12315c"),
    "orange-soft": ("#ffe7d6", "#53270b"),
    "green-soft": ("#dafbe1", "#12401f"),
    "purple-soft": ("#f1e5ff", "#382459"),
    "red-soft": ("#ffe3e0", "#5c1a1c"),
    "teal-soft": ("#d7f5f7", "#0b3d42"),
    "yellow-soft": ("#fff3c4", "#4a3608"),
    "pink-soft": ("#ffe5f3", "#541c3d"),
}
MAX_WIDTH = 784  # of the column of a page at 1440 pixels: a picture is shown at its own size,
MIN_TEXT = 16  # so its text is not smaller than the page's
SERIES = ("blue", "orange", "green", "purple", "red", "teal", "yellow", "pink")


def show(value: float) -> str:
    """A coordinate with at most two decimals and no needless zeros."""
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


class Svg:
    """One picture. `title` and `description` are what a screen reader says; `story`: the stages that a chart shows in
    colour, "a,b", for the book, which has a chart of its own in its place."""

    def __init__(self, width: float, height: float, title: str, description: str, story: str = ""):
        if width > MAX_WIDTH:
            raise ValueError(f"'{title}' is {show(width)} wide: a page has room for {MAX_WIDTH}")
        self.width, self.height = width, height
        self.title, self.description, self.story = title, description, story
        self._parts: list[str] = []
        self._used: set[str] = set()

    def rect(self, x, y, width, height, fill="soft", stroke="none", radius=0, stroke_width=1.5):
        self._shape(
            "rect", {"x": x, "y": y, "width": width, "height": height, "rx": radius or None}, fill, stroke, stroke_width
        )

    def circle(self, x, y, radius, fill="ink", stroke="none", stroke_width=1.5):
        self._shape("circle", {"cx": x, "cy": y, "r": radius}, fill, stroke, stroke_width)

    def line(self, x1, y1, x2, y2, stroke="ink", stroke_width=1.5, dash=""):
        self._shape("line", {"x1": x1, "y1": y1, "x2": x2, "y2": y2}, "none", stroke, stroke_width, dash)

    def polyline(self, points, stroke="ink", stroke_width=2, dash=""):
        path = " ".join(f"{show(x)},{show(y)}" for x, y in points)
        self._shape("polyline", {"points": path, "stroke-linejoin": "round"}, "none", stroke, stroke_width, dash)

    def polygon(self, points, fill="ink", stroke="none", stroke_width=1.5):
        self._shape(
            "polygon", {"points": " ".join(f"{show(x)},{show(y)}" for x, y in points)}, fill, stroke, stroke_width
        )

    def path(self, data: str, stroke="ink", stroke_width=1.5, fill="none", dash=""):
        """`data` as in SVG, e.g. "M 0 0 C 10 0 10 20 20 20"."""
        self._shape("path", {"d": data}, fill, stroke, stroke_width, dash)

    def arrow(self, x1, y1, x2, y2, stroke="ink", stroke_width=1.5, both=False, head=7):
        """A straight arrow to (x2, y2); `both` puts a head on each end."""
        length = max(((x2 - x1) ** 2 + (y2 - y1) ** 2) ** 0.5, 1e-9)
        dx, dy = (x2 - x1) / length, (y2 - y1) / length
        start = (x1 + dx * head, y1 + dy * head) if both else (x1, y1)
        self.line(*start, x2 - dx * head, y2 - dy * head, stroke, stroke_width)
        for x, y, sign in [(x2, y2, 1), (x1, y1, -1)][: 2 if both else 1]:
            back = (x - sign * dx * head, y - sign * dy * head)
            side = (-dy * head / 2, dx * head / 2)
            self.polygon(
                [(x, y), (back[0] + side[0], back[1] + side[1]), (back[0] - side[0], back[1] - side[1])], stroke
            )

    def text(self, x, y, text, fill="ink", size=MIN_TEXT, anchor="start", bold=False, mono=False, halo=False, turn=0):
        """`y` is the baseline; anchor: start, middle or end; turn: degrees, clockwise. `halo` keeps
        it readable if lines cross it."""
        if size < MIN_TEXT:
            raise ValueError(f"'{text}' has size {show(size)}: the text of a page has {MIN_TEXT}")
        attributes = {"x": x, "y": y, "font-size": size}
        attributes["text-anchor"] = anchor if anchor != "start" else None
        attributes["font-weight"] = "600" if bold else None
        attributes["transform"] = f"rotate({show(turn)} {show(x)} {show(y)})" if turn else None
        classes = ["m"] if mono else []
        if halo:
            classes.append("h")
        self._add("text", attributes, fill, "none", classes, escape(text, quote=False))

    def lines(self, x, y, lines, fill="ink", anchor="start", step=23):
        """Lines of text below each other; returns the baseline of one more."""
        for line in lines:
            self.text(x, y, line, fill, anchor=anchor)
            y += step
        return y

    def _shape(self, tag, attributes, fill, stroke, stroke_width, dash=""):
        if stroke != "none":
            attributes["stroke-width"] = stroke_width if stroke_width != 1 else None
            attributes["stroke-dasharray"] = dash or None
        self._add(tag, attributes, fill, stroke, [])

    def _add(self, tag, attributes, fill, stroke, classes, content=None):
        for prefix, colour in (("f", fill), ("s", stroke)):
            if colour == "none":
                if prefix == "f":
                    classes.append("n")
                continue
            if colour not in COLOURS:
                raise ValueError(f"{colour} is not one of the colours {', '.join(COLOURS)}")
            self._used.add(f"{prefix}-{colour}")
            classes.append(f"{prefix}-{colour}")
        shown = "".join(
            f' {key}="{escape(show(value) if isinstance(value, (int, float)) else value)}"'
            for key, value in attributes.items()
            if value is not None
        )
        end = "/>" if content is None else f">{content}</{tag}>"
        self._parts.append(f'<{tag} class="{" ".join(classes)}"{shown}{end}')

    def render(self) -> str:
        light: list[str] = []
        dark: list[str] = []
        for name in sorted(self._used):
            prop = {"f": "fill", "s": "stroke"}[name[0]]
            for rules, colour in zip((light, dark), COLOURS[name[2:]]):
                rules.append(f".{name}{{{prop}:{colour}}}")
        panel = COLOURS["panel"]
        size = f"{show(self.width)} {show(self.height)}"
        story = f' data-story="{escape(self.story)}"' if self.story else ""
        return "\n".join(
            [
                f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size}" '
                f'width="{show(self.width)}" height="{show(self.height)}" role="img"{story}>',
                f"<title>{escape(self.title, quote=False)}</title>",
                f"<desc>{escape(self.description, quote=False)}</desc>",
                "<style>",
                "text{font-family:system-ui,-apple-system,'Segoe UI',Roboto,'DejaVu Sans',sans-serif}",
                ".m{font-family:ui-monospace,SFMono-Regular,Menlo,'DejaVu Sans Mono',monospace}",
                f".n{{fill:none}}.h{{paint-order:stroke;stroke:{panel[0]};stroke-width:4px}}" f".p{{fill:{panel[0]}}}",
                *light,
                "@media (prefers-color-scheme:dark){",
                f".h{{stroke:{panel[1]}}}.p{{fill:{panel[1]}}}",
                *dark,
                "}",
                "</style>",
                f'<rect class="p" width="{show(self.width)}" height="{show(self.height)}" rx="6"/>',
                *self._parts,
                "</svg>",
                "",
            ]
        )
