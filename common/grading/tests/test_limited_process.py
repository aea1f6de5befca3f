"""Limits of commands, outside the sandbox."""

import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path

import support  # puts the tool's folder on the path
from grading.process import limited_process
from grading.process.limited_process import Limits


@unittest.skipUnless(sys.platform.startswith("linux"), "for Linux")
class PlainTest(unittest.TestCase):
    def run_shell(self, script: str, nonce=None, **limits):
        with tempfile.TemporaryDirectory() as folder:
            return limited_process.run(["sh", "-c", script], Path(folder), Limits(**limits), {"WORD": "said"}, nonce)

    def test_what_it_says(self):
        done = self.run_shell('echo "$WORD"; echo and this >&2; exit 3')
        self.assertEqual((done.code, done.signal, done.stopped), (3, None, ""))
        self.assertEqual(done.output, "said\nand this\n")
        self.assertEqual(self.run_shell("kill -SEGV $$").signal, 11)

    def test_the_two_pipes(self):
        done = self.run_shell('eval "cat <&$GRADING_NONCE_FD >&$GRADING_VERDICT_FD"', nonce="secret")
        self.assertEqual((done.code, done.output, done.verdict), (0, "", "secret"))

    def test_time(self):
        started = time.monotonic()
        self.assertEqual(self.run_shell("sleep 60", seconds=0.3).stopped, "time_limit")
        self.assertEqual(self.run_shell("while :; do :; done", seconds=60, cpu_seconds=0.3).stopped, "time_limit")
        self.assertLess(time.monotonic() - started, 30)

    def test_memory_of_all_together(self):
        grow = f"{sys.executable} -c 'x = bytearray(150 << 20); import time; time.sleep(60)'"
        self.assertEqual(self.run_shell(f"{grow} & {grow} & wait", memory=200 << 20).stopped, "memory_limit")

    def test_output(self):
        done = self.run_shell("yes | head -c 100000", output=1000)
        self.assertEqual((done.code, len(done.output)), (0, 1000))
        self.assertEqual(self.run_shell("yes", flood=1 << 20).stopped, "output_limit")

    def test_processes(self):
        self.assertEqual(
            self.run_shell("for i in 1 2 3 4 5 6 7 8; do sleep 60 & done; wait", processes=5).stopped, "process_limit"
        )

    def test_file_size(self):
        done = self.run_shell("sleep 0.2; head -c 100000 /dev/zero > big; wc -c < big", file_size=50_000)
        self.assertIn("50000", done.output)

    def test_what_it_leaves_behind_ends(self):
        started = time.monotonic()
        done = self.run_shell("sleep 60 & exit 0")
        self.assertEqual(done.code, 0)
        self.assertLess(time.monotonic() - started, 30)

    def test_many_at_a_time(self):
        codes = []
        threads = [
            threading.Thread(target=lambda i=i: codes.append(self.run_shell(f"exit {i}").code)) for i in range(8)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(sorted(codes), list(range(8)))


if __name__ == "__main__":
    unittest.main()
