import csv

import sample_repository  # first: it says where the tools are
import gallery
from errors import DocsError

SAME = {"date": "2026-01-02", "cuda": "13.0", "device": "NVIDIA H100"}


class Gallery(sample_repository.RepositoryTest):
    def add(self, name, about, says, folder="", **results):
        at = self.root / gallery.GALLERY / folder
        at.mkdir(parents=True, exist_ok=True)
        (at / f"{name}.cu").write_text(f"// {about}.\nint main() {{}}\n")
        (at / f"{name}.txt").write_text(says)
        tools = {tool: results.get(tool, "nothing") for tool in gallery.TOOLS}
        self.rows.append({**SAME, "folder": folder, "program": name, **tools})

    def setUp(self):
        super().setUp()
        self.rows = []
        self.add(
            "overrun", "One too far", "out of bounds in kernel k at overrun.cu:2\n", memcheck="found: Invalid write"
        )
        self.add(
            "hang", "Waits", "0 ms\nendless loop in spin at hang.cu:3\n", "more", memcheck="no end: ended after 30 s"
        )
        self.add("right_lock", "A lock", "No fault found.\n", "more", synccheck="found")
        self.add("missed_tail", "A tail", "No fault found.\n", "more", initcheck="found", memcheck="found")
        (self.root / "docs/results").mkdir(parents=True, exist_ok=True)
        self.write_results()

    def write_results(self):
        with (self.root / gallery.FILE).open("w", newline="") as file:
            writer = csv.DictWriter(file, [*SAME, "folder", "program", *gallery.TOOLS])
            writer.writeheader()
            writer.writerows(self.rows)

    def rows_of(self, word):
        return [line for line in gallery.table([word], self.root).split("\n")[2:] if line.startswith("|")]

    def test_each_table_has_its_programs(self):
        self.assertEqual(self.rows_of("faults"), ["| overrun | out of bounds | memcheck |"])
        self.assertEqual(self.rows_of("more"), ["| hang | Waits | endless loop | does not end |"])
        self.assertEqual(self.rows_of("right"), ["| right_lock | A lock | synccheck |"])
        self.assertEqual(self.rows_of("missed"), ["| missed_tail | A tail | memcheck, initcheck |"])

    def test_the_machine_is_named(self):
        self.assertIn("On NVIDIA H100, CUDA 13.0, 2026-01-02.", gallery.table(["faults"], self.root))

    def test_numbers(self):
        words = {"wrong": 3, "lab": 2, "right": 1, "blamed": 1, "sanitizer": 2, "memcheck": 2, "racecheck": 0}
        for word, count in words.items():
            self.assertEqual(gallery.number([word], self.root), str(count), word)

    def test_a_program_that_no_tool_has_run_is_shown_and_counts_for_none(self):
        self.rows = [row for row in self.rows if row["program"] != "hang"]
        self.write_results()
        self.assertEqual(self.rows_of("more"), ["| hang | Waits | endless loop | not run yet |"])
        words = {"found": 2, "correct": 1, "wrong": 2, "lab": 1}
        for word, count in words.items():
            self.assertEqual(gallery.number([word], self.root), str(count), word)

    def test_a_faulty_program_has_a_report(self):
        self.add("quiet", "One too far", "No fault found.\n")
        with self.assertRaisesRegex(DocsError, "quiet.txt has no report: .* begins with right_ or missed_"):
            gallery.table(["faults"], self.root)

    def test_the_programs_output_is_no_report(self):
        self.add("shout", "One too far", "the sum is 12\n\nout of bounds: item 12\n  in kernel k\n")
        self.write_results()
        self.assertIn("| shout | out of bounds | nothing |", self.rows_of("faults"))

    def test_what_is_wrong_is_one_sentence(self):
        self.add("right_long", "Right: one sentence that goes\n// on; another", "No fault found.\n", "more")
        self.write_results()
        self.assertIn("| right_long | One sentence that goes on | nothing |", gallery.table(["right"], self.root))

    def test_what_a_marker_may_name(self):
        with self.assertRaisesRegex(DocsError, "faults, more, right, missed"):
            gallery.table(["all"], self.root)
        with self.assertRaisesRegex(DocsError, "gallery_count marker names one of found, correct"):
            gallery.number(["all"], self.root)
