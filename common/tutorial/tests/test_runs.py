"""runs.txt: named sections of lines of options."""

from __future__ import annotations

import tempfile
import unittest
from pathlib import Path

from tutorial import runs, targets


class Sections(unittest.TestCase):
    def lines(self, text: str, section: str) -> list[list[str]]:
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "runs.txt").write_text(text, encoding="utf-8")
            return runs.lines(Path(folder), section)

    def test_a_section_holds_its_lines_only(self):
        text = "# for all\n[bench]\n--n 2^10  # small\n\n--n 2^20 --stage a b\n[sanitizer]\n# none\n--n 33\n"
        self.assertEqual(self.lines(text, "bench"), [["--n", "2^10"], ["--n", "2^20", "--stage", "a", "b"]])
        self.assertEqual(self.lines(text, "sanitizer"), [["--n", "33"]])
        self.assertEqual(self.lines(text, "cccl"), [])

    def test_what_is_no_section_is_refused(self):
        for text in ("--n 1\n[bench]\n", "[bnech]\n--n 1\n", "[bench]\n--n 1\n[bench]\n", "[bench\n--n 1\n"):
            with self.subTest(text), self.assertRaises(ValueError):
                self.lines(text, "bench")

    def test_every_chapter_has_runs_for_the_bench_and_the_sanitizer(self):
        for chapter in targets.chapters():
            for section in ("bench", "sanitizer"):
                self.assertTrue(runs.lines(chapter.folder, section), f"{chapter.name} [{section}]")

    def test_a_folder_without_the_file_has_none(self):
        self.assertEqual(runs.lines(Path("/nowhere"), "bench"), [])


if __name__ == "__main__":
    unittest.main()
