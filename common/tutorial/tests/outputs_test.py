"""outputs_test.py PROGRAM: a chapter's program, built with the lab, whose outputs are closed, full, missing or empty.

It must print one clear line and exit with 3 (2 if nothing was run), and must never write into another file.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROGRAM = ""
SMALL = ("--stage", "shared", "--n", "64")


def run(*arguments: str, shell: str = "") -> subprocess.CompletedProcess[str]:
    """`shell` is what follows the command: >/dev/full, >&-."""
    return subprocess.run(
        ["bash", "-c", f'"$0" "$@" {shell}', PROGRAM, *arguments],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


class Outputs(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)

    def refused(self, code: int, pattern: str, *arguments: str, shell: str = "") -> None:
        done = run(*arguments, shell=shell)
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertRegex(done.stderr, pattern)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)

    @unittest.skipUnless(os.path.exists("/dev/full"), "there is no /dev/full here")
    def test_a_full_disk(self):
        for what in ((), ("--explain",), ("--explain", "--json"), ("--faults",), ("--list",), ("--help",)):
            self.refused(3, "cannot be written: No space left", *SMALL, *what, shell=">/dev/full")
        self.refused(3, "--trace: /dev/full cannot be written: No space left", *SMALL, "--trace", "/dev/full")

    def test_where_every_stage_is_skipped_nothing_is_right(self):
        for what in ((), ("--explain",), ("--explain", "--json"), ("--faults",)):
            self.refused(2, "nothing was run: every stage", "--stage", "shared", "--n", "4096", *what)

    def test_a_closed_standard_output_is_said_and_gives_no_file_its_table(self):
        csv = self.folder / "rows.csv"
        self.refused(3, "standard output cannot be written: Bad file", *SMALL, "--csv", str(csv), shell=">&-")
        lines = csv.read_text().splitlines()
        self.assertEqual([line.partition(",")[0] for line in lines], ["chapter", "ch01_bubble"])
        trace = self.folder / "trace"
        self.refused(3, "standard output cannot be written", *SMALL, "--trace", str(trace), shell=">&-")
        self.assertTrue(all(line.startswith("{") for line in trace.read_text().splitlines()))

    def test_a_closed_standard_error_does_no_harm(self):
        csv = self.folder / "rows.csv"
        done = run(*SMALL, "--csv", str(csv), shell="2>&- <&-")
        self.assertEqual(done.returncode, 0)
        self.assertTrue(csv.read_text().startswith("chapter,"))

    def test_files_that_cannot_be_written(self):
        self.refused(
            3, "--trace: .*/no/such cannot be written: No such file", *SMALL, "--trace", f"{self.folder}/no/such"
        )
        self.refused(2, "--csv .*: cannot write there", *SMALL, "--csv", f"{self.folder}/no/such")

    def test_options_that_would_be_ignored_are_refused(self):
        for what in (("--explain",), ("--explain", "--json"), ("--faults",), ("--trace", "x")):
            self.refused(2, "--csv stores the rows of a run", *SMALL, *what, "--csv", "x.csv")

    def test_twenty_runs_at_a_time_leave_one_header(self):
        csv = self.folder / "rows.csv"
        command = [PROGRAM, *SMALL, "--csv", str(csv)]
        runs = [subprocess.Popen(command, stdout=subprocess.DEVNULL) for _ in range(20)]
        self.assertEqual({one.wait() for one in runs}, {0})
        lines = csv.read_text().splitlines()
        self.assertEqual(len(lines), 21)
        self.assertEqual(sum(line.startswith("chapter,") for line in lines), 1)
        self.assertTrue(lines[0].startswith("chapter,"))


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
