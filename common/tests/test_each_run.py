"""Tests of each_run.py, with a program that answers as doctest does."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import each_run

# Has three test cases, one of which fails; a filter matches part of the name.
PROGRAM = """
import os, sys
cases = ["small sizes", "odd sizes", "broken"]
excluded = [word.partition("=")[2].split(",") for word in sys.argv if word.startswith("--test-case-exclude=")]
filters = [word.partition("=")[2] for word in sys.argv if word.startswith("--test-case=")]
chosen = [case for case in cases if not filters or filters[0] in case]
if "--count" in sys.argv:
    print(f"[doctest] unskipped test cases passing the current filters: {len(chosen)}")
    sys.exit()
chosen = [case for case in chosen if not any(word in case for words in excluded for word in words)]
failed = chosen.count("broken")
passed = len(chosen) - failed
print(f"ran with {os.environ.get('LIMIT', 'no limit')}: {chosen}")
print(f"[doctest] test cases: {len(chosen):2} | {passed:2} passed | {failed} failed | {3 - len(chosen)} skipped")
sys.exit(1 if failed else 0)
"""


class EachRun(unittest.TestCase):
    def run_on(self, runs: str, *options: str, turn: str = "0") -> tuple[int, str]:
        """Exit code and output for a chapter with this runs.txt."""
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "runs.txt").write_text(runs, encoding="utf-8")
            (Path(folder) / "program.py").write_text(PROGRAM, encoding="utf-8")
            words = [*options, folder, "faults", sys.executable, str(Path(folder) / "program.py")]
            done = subprocess.run(
                [sys.executable, each_run.__file__, *words],
                capture_output=True,
                text=True,
                env={**os.environ, "TUTORIAL_TURN": turn},
            )
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

    def test_in_turn_a_line_has_one_case_each_day_and_what_no_line_names_always_runs(self) -> None:
        runs = "[faults]\nsmall broken\n"
        code, out = self.run_on(runs, "--in-turn")
        self.assertEqual((code, "['small sizes', 'odd sizes']" in out), (0, True), out)
        code, out = self.run_on(runs, "--in-turn", turn="1")
        self.assertEqual((code, "['odd sizes', 'broken']" in out), (1, True), out)
        code, out = self.run_on(runs, "--in-turn", turn="all")
        self.assertEqual((code, "['small sizes', 'odd sizes', 'broken']" in out), (1, True), out)

    def test_in_turn_a_filter_that_matches_nothing_or_has_a_comma_fails(self) -> None:
        for turn in ("0", "1", "all"):
            code, out = self.run_on("[faults]\nsmall smaller\n", "--in-turn", turn=turn)
            self.assertEqual((code, out), (1, "no test case matches smaller\n"))
        code, out = self.run_on('[faults]\n"small, odd"\n', "--in-turn")
        self.assertEqual(code, 1, out)
        self.assertIn("write * there", out)

    def test_in_turn_without_the_section_all_cases_run(self) -> None:
        code, out = self.run_on("[bench]\n--n 1\n", "--in-turn")
        self.assertEqual((code, "['small sizes', 'odd sizes', 'broken']" in out), (1, True), out)

    def test_orders_come_in_turn(self) -> None:
        runs = "[faults]\n--test-case=odd\n--test-case=small\n"
        for turn, orders in (("0", ["forward"]), ("1", ["reverse"]), ("all", ["forward", "reverse"])):
            code, out = self.run_on(runs, "--orders", "forward", "reverse", "--", turn=turn)
            self.assertEqual(code, 0, out)
            self.assertEqual(re.findall(r"^\$ .* --order (\w+) ", out, re.MULTILINE), [o for o in orders for _ in "ab"])


if __name__ == "__main__":
    unittest.main()
