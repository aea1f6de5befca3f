"""./tutorial: what it says to wrong arguments. Nothing is built here."""

import os
import subprocess
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]


def tutorial(*arguments, **environment):
    """(exit code, stdout, stderr) of ./tutorial, started in another folder."""
    run = subprocess.run(
        [str(ROOT / "tutorial"), *arguments],
        cwd="/",
        env={**os.environ, "TUTORIAL_NO_INSTALL": "1", **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
    )
    return run.returncode, run.stdout, run.stderr


class FrontDoor(unittest.TestCase):
    def refused(self, code, pattern, *arguments, **environment):
        got, _, error = tutorial(*arguments, **environment)
        self.assertEqual(got, code, error)
        self.assertRegex(error, pattern)
        self.assertEqual(len(error.strip().splitlines()), 1, error)

    def test_help(self):
        for arguments in ((), ("--help",), ("help",), ("test", "--help")):
            code, out, error = tutorial(*arguments)
            self.assertEqual((code, error), (0, ""))
            self.assertIn("usage: ./tutorial", out)
            self.assertLessEqual(max(len(line) for line in out.splitlines()), 100)

    def test_wrong_arguments_get_one_line_and_code_2(self):
        self.refused(2, "unknown verb 'fly'; there are run, test", "fly")
        self.refused(2, "unknown chapter 'ch99'; there are: ch01_bubble", "run", "ch99")
        self.refused(2, "unknown chapter 'bubble'", "run", "bubble")
        self.refused(2, "docs takes no option '--fast'", "docs", "--fast")
        self.refused(2, "--out needs a folder", "bench", "--out")

    def test_verbs_that_run_on_the_cpu_backend_only_say_so(self):
        self.refused(2, "explain runs on the CPU backend", "explain", "ch01", "--gpu")

    def test_check_looks_at_its_words_before_anything_is_built(self):
        self.refused(2, "there is no exercise 'ch01/ex99'; there are: ch01/ex1, ", "check", "ch01/ex99")
        self.refused(2, "unrecognized arguments: --fast; see ./tutorial check --help", "check", "--fast")
        self.refused(2, "--hint: not allowed with argument --watch", "check", "--watch", "--hint")
        self.refused(2, "--reset needs the name", "check", "--reset")
        code, out, _ = tutorial("check", "--help")
        self.assertEqual(code, 0)
        self.assertIn("./tutorial check ch03/ex2 --hint", out)

    def test_a_gpu_that_is_hidden_is_not_used(self):
        self.refused(3, "--gpu needs an NVIDIA GPU", "run", "ch01", "--gpu", CUDA_VISIBLE_DEVICES="")
        code, out, error = tutorial("bench", CUDA_VISIBLE_DEVICES="")
        self.assertEqual(code, 3)
        self.assertIn("CPU backend: no NVIDIA GPU was found.", out)
        self.assertIn("bench measures times on a GPU", error)


if __name__ == "__main__":
    unittest.main()
