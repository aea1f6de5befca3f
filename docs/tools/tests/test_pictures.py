import math
import re
import unittest
import xml.etree.ElementTree as xml

import sample_repository
import chart
from errors import DocsError
from results import load, show_seconds
from svg import Svg

NAMESPACE = "{http://www.w3.org/2000/svg}"


class Drawing(unittest.TestCase):
    def test_it_is_well_formed_and_says_what_it_shows(self):
        svg = Svg(100, 50, "A <title>", "b & c")
        svg.rect(0, 0, 10, 10)
        svg.arrow(0, 0, 10, 10, both=True)
        svg.text(1, 2, "x < y & z", size=16, mono=True, halo=True, turn=-90)
        root = xml.fromstring(svg.render())
        self.assertEqual(root.find(f"{NAMESPACE}title").text, "A <title>")
        self.assertEqual(root.find(f"{NAMESPACE}text").text, "x < y & z")

    def test_every_colour_used_has_a_light_and_a_dark_form(self):
        svg = Svg(10, 10, "t", "d")
        svg.line(0, 0, 1, 1, "red")
        light, dark = svg.render().split("@media")
        self.assertIn(".s-red{stroke:#cf222e}", light)
        self.assertIn(".s-red{stroke:#ff7b72}", dark)
        self.assertRaises(ValueError, svg.line, 0, 0, 1, 1, "crimson")

    def test_it_fits_into_a_page_and_its_text_is_not_smaller(self):
        self.assertRaisesRegex(ValueError, "785 wide", Svg, 785, 10, "t", "d")
        svg = Svg(784, 10, "t", "d")
        svg.text(1, 2, "enough", size=16)
        self.assertRaisesRegex(ValueError, "'small' has size 15", svg.text, 1, 2, "small", size=15)


class Charts(sample_repository.RepositoryTest):
    def root_of(self, text):
        return xml.fromstring(text)

    def test_one_line_a_stage_with_its_name(self):
        text = chart.time_over_n(load("ch01", "test", self.root), "Sorting")
        root = self.root_of(text)
        names = [t.text for t in root.findall(f"{NAMESPACE}text")]
        for name in ("Sorting", "slow", "fast", "lib", "1 ms"):
            self.assertIn(name, names)
        self.assertNotIn("small", names)  # skipped
        series = [p for p in root.findall(f"{NAMESPACE}polyline") if p.get("stroke-width") == "2.2"]
        self.assertEqual(len(series), 3)
        self.assertEqual([p.get("stroke-dasharray") for p in series], [None, None, "7 4"])
        self.assertEqual(text, chart.time_over_n(load("ch01", "test", self.root), "Sorting"))

    def test_points_are_where_the_axes_say(self):
        line = chart.Line("a", [(1024, 1e-6), (4096, 1e-4)])
        root = self.root_of(chart.draw("t", "c", "time", [line], show_seconds))
        dots = [(float(c.get("cx")), float(c.get("cy"))) for c in root.findall(f"{NAMESPACE}circle")]
        self.assertEqual(dots, [(chart.LEFT, chart.HEIGHT - chart.BOTTOM), (chart.WIDTH - chart.RIGHT, chart.TOP)])

    def test_the_story_is_in_colour_and_the_rest_thin_and_without_a_name(self):
        text = chart.time_over_n(load("ch01", "test", self.root), "Sorting", story="fast", items="keys")
        root = self.root_of(text)
        names = [t.text for t in root.findall(f"{NAMESPACE}text")]
        self.assertIn("fast", names)
        self.assertIn("lib", names)  # a library always has its name
        self.assertNotIn("slow", names)
        self.assertIn("n, the number of keys", names)
        self.assertTrue(any("thin: the other stages" in name for name in names))
        widths = sorted(p.get("stroke-width") for p in root.findall(f"{NAMESPACE}polyline") if p.get("stroke-width"))
        self.assertEqual(widths, ["0.8", "2.2", "2.2"])
        self.assertEqual(root.get("data-story"), "fast,lib")
        with self.assertRaisesRegex(DocsError, "no line of never"):
            chart.time_over_n(load("ch01", "test", self.root), "Sorting", story="fast,never")

    def test_speed_is_a_multiple_of_the_reference_where_it_was_measured(self):
        rows = [
            sample_repository.csv_row(name, kind, n, us)
            for name, kind, n, us in (
                ("lib", "library", 1024, 8),
                ("lib", "library", 4096, 8),
                ("a", "stage", 1024, 16),
                ("a", "stage", 4096, 2),
                ("a", "stage", 16384, 1),
            )
        ]
        self.write("docs/results/test/ch01.csv", "\n".join([sample_repository.HEADER, *rows, ""]))
        measured = load("ch01", "test", self.root)
        root = self.root_of(chart.speed_over_n(measured, "Sorting", "lib"))
        names = [t.text for t in root.findall(f"{NAMESPACE}text")]
        for name in ("a", "lib", "0.5x", "1x", "2x", "5x"):
            self.assertIn(name, names)
        self.assertNotIn("2^14", names)
        top, bottom = chart.TOP, chart.HEIGHT - chart.BOTTOM
        low, high = math.log10(0.5), math.log10(5)
        wanted = [bottom - (math.log10(times) - low) / (high - low) * (bottom - top) for times in (0.5, 4)]
        self.assertEqual(
            [round(float(c.get("cy")), 1) for c in root.findall(f"{NAMESPACE}circle")], [round(y, 1) for y in wanted]
        )
        self.assertRaisesRegex(DocsError, "has no never", chart.speed_over_n, measured, "Sorting", "never")

    def test_percentages_start_at_zero(self):
        root = self.root_of(chart.ceiling_over_n(load("ch01", "test", self.root), "t"))
        names = [t.text for t in root.findall(f"{NAMESPACE}text")]
        self.assertIn("0 %", names)
        self.assertIn("100 %", names)
        # fast at 2^16 reaches 64 %.
        top, bottom = chart.TOP, chart.HEIGHT - chart.BOTTOM
        wanted = bottom - 0.64 * (bottom - top)
        self.assertTrue(any(abs(float(c.get("cy")) - wanted) < 0.01 for c in root.findall(f"{NAMESPACE}circle")))

    def test_names_at_the_right_do_not_overlap(self):
        lines = [chart.Line(f"line{i}", [(1, 1e-3), (2, 1e-3 * (1 + i / 1000))]) for i in range(12)]
        root = self.root_of(chart.draw("t", "c", "time", lines, show_seconds))
        ys = sorted(float(t.get("y")) for t in root.findall(f"{NAMESPACE}text") if re.match("line", t.text))
        self.assertEqual(len(ys), 12)
        self.assertTrue(all(b - a >= chart.LABEL_HEIGHT - 0.02 for a, b in zip(ys, ys[1:])))
        self.assertLess(ys[-1], chart.HEIGHT - chart.BOTTOM + 12)

    def test_names_of_lines_that_end_early_do_not_overlap(self):
        lines = [chart.Line(f"a long name {i}", [(1, 1e-3), (64, 1e-2 * (1 + i / 100))]) for i in range(5)]
        lines.append(chart.Line("last", [(1, 1e-3), (4096, 1e-1)]))
        root = self.root_of(chart.draw("t", "c", "time", lines, show_seconds))
        boxes = []
        for text in root.findall(f"{NAMESPACE}text"):
            if re.match("a long|last", text.text):
                anchor = text.get("text-anchor") or "start"
                boxes.append(chart._box(float(text.get("x")), float(text.get("y")), text.text, chart.TEXT, anchor))
        self.assertEqual(len(boxes), 6)
        for at, box in enumerate(boxes):
            self.assertFalse(any(chart._overlap(box, other) for other in boxes[:at]))

    def test_a_remark_is_where_it_should_be_and_covers_no_name(self):
        line = chart.Line("a", [(1024, 1e-6), (4096, 1e-4)])
        root = self.root_of(chart.draw("t", "c", "time", [line], show_seconds, [(1024, 1e-5, "why", 1e-4)]))
        (remark,) = [t for t in root.findall(f"{NAMESPACE}text") if t.text == "why"]
        self.assertEqual(float(remark.get("y")), chart.TOP)
        note = (4096, 1e-4, "over it", 1e-4)
        wide = (4096, 1e-4, "far too long a remark for the width", 1e-5)
        self.assertRaisesRegex(DocsError, "too long", chart.draw, "t", "c", "time", [line], show_seconds, [wide])
        early = chart.Line("b", [(1024, 1e-6), (2048, 1e-4)])
        self.assertRaisesRegex(
            DocsError, "would cover", chart.draw, "t", "c", "time", [line, early], show_seconds, [note]
        )
