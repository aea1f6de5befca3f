"""Two ./tutorial at a time."""

from __future__ import annotations

import io
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from tutorial import lock
from tutorial.repository import ROOT

OTHER = """
import sys
from pathlib import Path
from tutorial import lock
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
