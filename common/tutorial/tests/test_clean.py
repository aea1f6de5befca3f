"""./tutorial clean: what it removes, and what it leaves."""

from __future__ import annotations

import contextlib
import io
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from tutorial.verbs import clean

OF_CH01 = (
    "bin/ch01_bubble_lab",
    "bin/ch01_bubble_cpu_tests",
    "cpu_src/ch01_bubble/main.cu.cpp",
    "CMakeFiles/ch01_bubble_watched.dir/cpu_src/ch01_bubble/main.cu.cpp.o",
    "common/grading/CMakeFiles/grader_ch01_ex1_lab.dir/x.o",
)
OF_OTHERS = (
    "CMakeCache.txt",
    "build.ninja",
    "bin/ch02_reduce_baseline_lab",
    "cpu_src/ch02_reduce_baseline/main.cu.cpp",
    "common/harness/libharness_cpu.a",
    "common/grading/CMakeFiles/grader_ch02_ex1_lab.dir/x.o",
    "CMakeFiles/ch01_bubble_watched.dir/flags.make",
)


class Clean(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.build = Path(scratch.name) / "build"
        for name in (*OF_CH01, *OF_OTHERS):
            file = self.build / "cpu" / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.touch()
        (self.build / "exercises.json").touch()

    def clean(self, *words: str) -> str:
        out = io.StringIO()
        with mock.patch.object(clean, "BUILD", self.build), contextlib.redirect_stdout(out):
            self.assertEqual(clean.main(list(words)), 0)
        return out.getvalue()

    def test_of_a_chapter_only_what_is_its_own(self):
        said = self.clean("ch01")
        self.assertIn(f"ch01_bubble: {len(OF_CH01)} files", said)
        left = {str(file.relative_to(self.build / "cpu")) for file in (self.build / "cpu").rglob("*") if file.is_file()}
        self.assertTrue(set(OF_OTHERS) <= left, set(OF_OTHERS) - left)
        self.assertFalse(set(OF_CH01) & left, set(OF_CH01) & left)
        self.assertTrue((self.build / "exercises.json").exists())

    def test_without_a_chapter_everything(self):
        self.clean()
        self.assertFalse(self.build.exists())
        self.clean()  # a missing build folder is not an error


if __name__ == "__main__":
    unittest.main()
