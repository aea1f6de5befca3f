"""Tests of code_size.py, on a small folder."""

from __future__ import annotations

import tempfile
import unittest
from pathlib import Path

import sample_repository
from code_size import rounded, shown
from errors import DocsError

assert sample_repository.HEADER  # it puts the tools on the path


class CodeSize(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        for name, lines in {
            "lab/src/a.cpp": 1200,
            "lab/CMakeLists.txt": 34,
            "lab/README.md": 500,
            "lab/tests/a_test.cpp": 100,
            "lab/tests/node_modules/other.js": 7000,
            "lab/fault_gallery/more/race.cu": 11,
            "ch01/main.cu": 40,
            "ch02/main.cu": 2,
        }.items():
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("x\n" * lines, encoding="utf-8")

    def shown(self, words: str, before: str = "") -> str:
        return shown(words.split(), before, self.root)

    def test_code_and_of_it_the_tests(self) -> None:
        self.assertEqual(self.shown("lab"), "1,300")
        self.assertEqual(self.shown("lab tests"), "110")
        self.assertEqual(self.shown("lab/tests tests"), "100")
        self.assertEqual(self.shown("ch0*"), "42")
        self.assertEqual(self.shown("ch01 ch02 tests"), "0")

    def test_what_is_nearly_right_stays(self) -> None:
        for before, after in (("1,300", "1,300"), ("1,400", "1,400"), ("1,500", "1,300"), ("many", "1,300")):
            self.assertEqual(self.shown("lab", before), after)

    def test_a_folder_that_is_not_there(self) -> None:
        for words in ("", "tests", "nothing", "lab nothing", "lab/src/a.cpp"):
            with self.assertRaises(DocsError):
                self.shown(words)

    def test_numbers_of_two_digits(self) -> None:
        for number, text in ((0, "0"), (7, "7"), (99, "99"), (104, "100"), (995, "1,000"), (27098, "27,000")):
            self.assertEqual(rounded(number), text)
