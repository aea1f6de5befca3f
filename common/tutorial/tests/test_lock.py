"""Two ./tutorial at a time."""

from __future__ import annotations

import io
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path
from unittest import mock

from building import lock
from building.repository import ROOT

OTHER = """
import sys
from pathlib import Path
from building import lock
with lock.held(Path(sys.argv[1])):
    print("mine", flush=True)
    sys.stdin.readline()
"""


class Held(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name) / "build" / "cpu"

    def start(self):
        other = subprocess.Popen(
            [sys.executable, "-B", "-c", OTHER, str(self.folder)],
            cwd=ROOT / "common",
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.addCleanup(other.communicate)
        return other

    def test_the_second_one_waits_and_says_so(self):
        with lock.held(self.folder, io.StringIO()):
            other = self.start()
            self.assertRegex(other.stdout.readline(), r"Another \./tutorial is building in .*cpu; waiting for it")
        self.assertEqual(other.stdout.readline(), "mine\n")

    def test_a_terminal_shows_that_time_passes_and_how_far_the_other_one_is(self):
        self.folder.mkdir(parents=True)
        (self.folder / "build.log").write_text("[3/9] Linking CXX executable bin/a\nwarning\n", encoding="utf-8")
        out = io.StringIO()
        out.isatty = lambda: True
        waiting = threading.Thread(target=self.wait, args=(out,))
        with lock.held(self.folder, io.StringIO()), mock.patch("building.progress.QUIET_SECONDS", 0.0):
            waiting.start()
            time.sleep(1)
        waiting.join()
        self.assertRegex(out.getvalue(), r"Waiting: 3 of 9 files, now a, \d+ s")
        self.assertTrue(out.getvalue().endswith("\r\033[K"))

    def test_a_log_gets_a_line_now_and_then(self):
        out = io.StringIO()
        waiting = threading.Thread(target=self.wait, args=(out,))
        with lock.held(self.folder, io.StringIO()), mock.patch("building.lock.EVERY_SECONDS", 0.1):
            waiting.start()
            time.sleep(1)
        waiting.join()
        self.assertRegex(out.getvalue(), r"waiting for it …\nStill waiting after \d+ s\n")

    def wait(self, out):
        with lock.held(self.folder, out):
            pass

    def test_nobody_waits_where_nobody_builds(self):
        out = io.StringIO()
        with lock.held(self.folder, out):
            pass
        with lock.held(self.folder, out):
            pass
        self.assertEqual(out.getvalue(), "")

    def test_a_lock_that_was_removed_meanwhile_is_none(self):
        with lock.held(self.folder, io.StringIO()):
            other = self.start()
            other.stdout.readline()  # it waits
            self.folder.with_suffix(".lock").unlink()  # as clean does
        self.assertEqual(other.stdout.readline(), "mine\n")
        self.assertTrue(self.folder.with_suffix(".lock").exists(), "it holds one that others see")


if __name__ == "__main__":
    unittest.main()
