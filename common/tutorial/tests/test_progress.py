"""Long commands and the line that shows their progress."""

from __future__ import annotations

import io
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from building import progress


class Terminal(io.StringIO):
    def isatty(self):
        return True


class NinjaAndMake(unittest.TestCase):
    def test_what_is_done_and_what_is_being_done(self):
        for line, expected in (
            (
                "[3/80] Building CXX object common/harness/CMakeFiles/harness_cpu.dir/report.cpp.o",
                "3 of 80 files, now common/harness/report.cpp",
            ),
            (
                "[4/80] Building CXX object CMakeFiles/ch01_bubble_lab.dir/cpu_src/ch01_bubble/main.cu.cpp.o",
                "4 of 80 files, now ch01_bubble/main.cu",
            ),
            ("[79/80] Linking CXX executable bin/ch01_bubble_lab", "79 of 80 files, now ch01_bubble_lab"),
            ("[80/80] Linking CXX executable bin/ch01_bubble_lab", "80 of 80 files"),
            ("[0/2] Re-checking globbed directories...", ""),
            ("[ 12%] Building CXX object CMakeFiles/x.dir/a.cpp.o", "12 %, now a.cpp"),
            ("a.cpp:1: error: [1/2] is no step", ""),
        ):
            self.assertEqual(progress.of_ninja_or_make(line), expected)


class RunLogged(unittest.TestCase):
    def run_python(self, code, out, **options):
        with tempfile.TemporaryDirectory() as folder:
            log = Path(folder) / "log"
            result = progress.run_logged([sys.executable, "-c", code], log, "Doing it", out=out, **options)
            return result, log.read_text()

    def test_output_goes_to_the_log_and_the_exit_code_comes_back(self):
        out = io.StringIO()
        with mock.patch("building.progress.QUIET_SECONDS", 3600.0):  # however busy the machine is
            code, log = self.run_python("print('one'); print('two', flush=True); raise SystemExit(7)", out)
        self.assertEqual((code, log, out.getvalue()), (7, "one\ntwo\n", ""))

    def test_a_line_that_a_terminal_rewrites_is_logged_once(self):
        code, log = self.run_python(r"print('\r[1/2] a\x1b[K\r[1/2] a\x1b[K\r[2/2] b\x1b[K')", io.StringIO())
        self.assertEqual((code, log), (0, "[1/2] a\n[2/2] b\n"))

    def test_what_takes_long_is_said_once_where_there_is_no_terminal(self):
        out = io.StringIO()
        with mock.patch("building.progress.QUIET_SECONDS", 0.0):
            self.run_python("print('[1/2] a')", out, parse=progress.of_ninja_or_make)
        self.assertRegex(out.getvalue(), r"^Doing it \(log: .*\) …\nDoing it: 1 of 2 files, now a, \d+ s\n$")

    def test_a_terminal_of_40_columns_is_never_exceeded(self):
        out = Terminal()
        with mock.patch("building.progress.QUIET_SECONDS", 0.0), mock.patch.dict("os.environ", COLUMNS="40"):
            self.run_python(f"print('[1/2] {'a' * 90}')", out, parse=progress.of_ninja_or_make)
        for line in out.getvalue().split("\r\033[K")[:-1]:
            self.assertLess(len(line), 40, line)


if __name__ == "__main__":
    unittest.main()
