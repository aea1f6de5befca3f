"""runs.txt: named sections of lines of options."""

from __future__ import annotations

import re
import tempfile
import unittest
from pathlib import Path

from tutorial import runs, targets
from building.repository import ROOT


def stages_of(words: list[str]) -> list[str]:
    """What follows --stage in a line."""
    if "--stage" not in words:
        return []
    names = words[words.index("--stage") + 1 :]
    return names[: next((at for at, word in enumerate(names) if word.startswith("--")), len(names))]


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

    def test_every_chapter_has_the_sections_that_all_need(self):
        for chapter in targets.chapters():
            for section in ("bench", "sanitizer", "faults", "without_barriers"):
                self.assertTrue(runs.lines(chapter.folder, section), f"{chapter.name} [{section}]")

    def test_the_stages_that_runs_name_are_there(self):
        shared = (ROOT / "common" / "harness" / "library_sum.cuh").read_text(encoding="utf-8")
        for chapter in targets.chapters():
            files = [*chapter.folder.glob("*"), *chapter.folder.glob("fastest/*")]
            sources = [path for path in files if path.suffix in (".cu", ".cuh", ".hpp")]
            rows = set(
                re.findall(r'"(\w+)"', "".join([shared, *(path.read_text(encoding="utf-8") for path in sources)]))
            )
            for section in runs.SECTIONS:
                for words in runs.lines(chapter.folder, section):
                    with self.subTest(f"{chapter.name} [{section}] {' '.join(words)}"):
                        self.assertLessEqual(set(stages_of(words)), rows)

    def test_settings_stand_before_the_options(self):
        self.assertEqual(runs.settings(["A_1=3", "B=", "--n", "C=2"]), ({"A_1": "3", "B": ""}, ["--n", "C=2"]))
        self.assertEqual(runs.settings(["--test-case=*small*"]), ({}, ["--test-case=*small*"]))
        self.assertEqual(runs.settings(["A=1"]), ({"A": "1"}, []))

    def test_a_folder_without_the_file_has_none(self):
        self.assertEqual(runs.lines(Path("/nowhere"), "bench"), [])


if __name__ == "__main__":
    unittest.main()
