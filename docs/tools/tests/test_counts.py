import json

import sample_repository
from blocks import fill
from counts import table, value
from errors import DocsError


def row(space, operation, requests, sectors, least, wavefronts=0):
    return {
        "space": space,
        "operation": operation,
        "requests": requests,
        "sectors": sectors,
        "least_sectors": least,
        "wavefronts": wavefronts,
        "least_wavefronts": requests if wavefronts else 0,
    }


def stage(name, rows, check="ok"):
    kernel = {
        "steps": 10,
        "lane_steps": 160,
        "longest_thread": 1234,
        "rows": rows,
        "launches": 2,
        "blocks": 2048,
        "barriers": 7,
        "grid_barriers": 1,
    }
    return {"stage": name, "check": check, "bytes_needed": 1280, "kernels": [kernel]}


REPORT = {
    "schema": "tutorial-explain-1",
    "n": 1 << 20,
    "input": "random",
    "options": "type=float",
    "stages": [
        stage("slow", [row("global", "load", 10, 320, 40), row("global", "store", 1, 8, 8)]),
        stage("fast", [row("global", "load", 10, 40, 40), row("shared", "load", 4, 0, 0, 6)]),
        stage("broken", [], check="wrong"),
    ],
}


class Counts(sample_repository.RepositoryTest):
    def setUp(self):
        super().setUp()
        self.write("docs/results/cpu/ch01_explain.json", json.dumps(REPORT))

    def test_one_row_a_stage(self):
        self.assertEqual(
            table(["ch01", "columns=stage,loads,least_loads,stores,moved,wavefronts,lanes,longest"], self.root).split(
                "\n"
            ),
            [
                "| stage | sectors per load | at least | sectors per store | bytes moved / needed | wavefronts "
                "per request | active lanes | steps of the longest thread |",
                "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
                "| `slow` | 32.00 | 4.00 | 8.00 | 8.20 | – | 16.00 | 1,234 |",
                "| `fast` | 4.00 | 4.00 | – | 1.00 | 1.50 | 16.00 | 1,234 |",
                "| `broken` | – | – | – | – | – | – | – |",
                "",
                "*Counted on the emulator, n = 2^20, random input, type=float.*",
            ],
        )

    def test_what_is_added_up(self):
        self.assertIn(
            "| `fast` | 2 | 2,048 | 8 |", table(["ch01", "columns=stage,launches,blocks,barriers"], self.root)
        )

    def test_chosen_stages_in_a_text(self):
        text = self.write("a.md", "<!-- counts ch01 columns=stage,loads stage=fast -->\nold\n<!-- end counts -->\n")
        filled, errors = fill(text.read_text(), text, self.root)
        self.assertEqual(errors, [])
        self.assertIn("| `fast` | 4.00 |", filled)
        self.assertNotIn("slow", filled)
        self.assertNotIn("old", filled)

    def test_one_number(self):
        self.assertEqual(value(["ch01", "loads", "stage=fast"], self.root), "4.00")
        self.assertEqual(value(["ch01", "blocks", "stage=fast"], self.root), "2,048")
        self.assertEqual(value(["ch01", "blocks", "stage=fast", "per=launch"], self.root), "1024")
        self.assertEqual(value(["ch01", "barriers", "stage=fast", "per=launch"], self.root), "4")
        for words, reason in (
            (["ch01"], "a count marker reads"),
            (["ch01", "loads", "n=1"], "a count marker reads"),
            (["ch01", "x", "stage=fast"], "x is not one"),
            (["ch01", "loads", "stage=x"], "no stage x"),
            (["ch01", "stores", "stage=fast"], "stores was not counted for fast"),
            (["ch01", "loads", "stage=fast", "per=x"], "only per=block"),
        ):
            self.assertRaisesRegex(DocsError, reason, value, words, self.root)

    def test_a_table_without_a_number_is_an_error(self):
        self.assertRaisesRegex(DocsError, "no number", table, ["ch01", "stage=broken"], self.root)
        self.write("docs/results/cpu/ch01_explain.json", json.dumps({**REPORT, "stages": []}))
        self.assertRaisesRegex(DocsError, "no stage of ch01", table, ["ch01"], self.root)

    def test_what_is_wrong_is_named(self):
        for words, reason in (
            ([], "a counts marker reads"),
            (["ch01", "x"], "'x' is not"),
            (["ch01", "columns=stage,x"], "x is not one"),
            (["ch01", "stage=x"], "no stage x"),
            (["ch09"], "no chapter is called ch09"),
        ):
            self.assertRaisesRegex(DocsError, reason, table, words, self.root)
        self.write("docs/results/cpu/ch01_explain.json", "{}")
        self.assertRaisesRegex(DocsError, "does not have the schema", table, ["ch01"], self.root)
        (self.root / "docs/results/cpu/ch01_explain.json").unlink()
        self.assertRaisesRegex(DocsError, "explain ch01 --json prints it", table, ["ch01"], self.root)
