"""Tests of each_run.py, with a program that answers as doctest does."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import each_run

# Knows three test cases, one of which fails; a filter matches as a part of the name.
PROGRAM = """
import os, sys
cases = ["small sizes", "odd sizes", "broken"]
filters = [word.partition("=")[2] for word in sys.argv if word.startswith("--test-case=")]
chosen = [case for case in cases if not filters or filters[0] in case]
failed = chosen.count("broken")
passed = len(chosen) - failed
print(f"ran with {os.environ.get('LIMIT', 'no limit')}: {chosen}")
print(f"[doctest] test cases: {len(chosen):2} | {passed:2} passed | {failed} failed | {3 - len(chosen)} skipped")
sys.exit(1 if failed else 0)
"""


class EachRun(unittest.TestCase):
    def run_on(self, runs: str, *options: str) -> tuple[int, str]:
        """Exit code and output for a chapter with this runs.txt."""
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "runs.txt").write_text(runs, encoding="utf-8")
            (Path(folder) / "program.py").write_text(PROGRAM, encoding="utf-8")
            words = [*options, folder, "faults", sys.executable, str(Path(folder) / "program.py")]
            done = subprocess.run([sys.executable, each_run.__file__, *words], capture_output=True, text=True)
            return done.returncode, done.stdout + done.stderr

    def test_each_line_is_a_run(self) -> None:
        code, out = self.run_on('[faults]\n--test-case="small"\nLIMIT=3 --test-case=odd\n', "--doctest")
        self.assertEqual(code, 0, out)
        self.assertIn("ran with no limit: ['small sizes']", out)
        self.assertIn("ran with 3: ['odd sizes']", out)

    def test_a_line_that_matches_nothing_fails(self) -> None:
        code, out = self.run_on("[faults]\n--test-case=smaller\n--test-case=odd\n", "--doctest")
        self.assertEqual(code, 1, out)
        self.assertIn("no test case ran: does --test-case=smaller still match one?", out)
        self.assertIn("['odd sizes']", out, "what comes after a failure runs as well")

    def test_a_run_that_fails_fails(self) -> None:
        for options in (("--doctest",), ()):
            code, out = self.run_on("[faults]\n--test-case=broken\n--test-case=odd\n", *options)
            self.assertEqual(code, 1, out)
            self.assertIn("exit code 1", out)

    def test_without_the_section_all_cases_run_or_nothing_is_right(self) -> None:
        code, out = self.run_on("[bench]\n--n 1\n", "--doctest")
        self.assertEqual(code, 1, out)
        self.assertIn("['small sizes', 'odd sizes', 'broken']", out)
        code, out = self.run_on("[bench]\n--n 1\n")
        self.assertEqual(code, 1, out)
        self.assertIn("has no line in [faults]", out)


if __name__ == "__main__":
    unittest.main()
