"""./tutorial: what it says to wrong arguments. Nothing is built here."""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]


def tutorial(*arguments, **environment):
    """(exit code, stdout, stderr) of ./tutorial, started in another folder."""
    run = subprocess.run(
        [str(ROOT / "tutorial"), *arguments],
        cwd="/",
        # A version manager's python3 is a script that looks for the real one, each time.
        env={
            **os.environ,
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "TUTORIAL_NO_INSTALL": "1",
            **environment,
        },
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

    def test_help_on_programs_of_your_own_keeps_its_lines(self):
        for verb in ("run", "explain"):
            _, out, _ = tutorial(verb, "--help")
            self.assertIn("\n  --compile-option OPTION  pass", out)

    def test_the_map_names_every_chapter_and_the_next_exercise(self):
        code, out, error = tutorial("map", "all")
        self.assertEqual((code, error), (0, ""))
        for word in ("first ", "ch01 ", "ch06 ", "docs/first_kernel.md", "first/ex10", " exercises solved."):
            self.assertIn(word, out)
        self.refused(2, "there is no 'ch99'; there are: ch01, ", "map", "ch99")

    def test_the_map_cuts_no_title(self):
        _, out, _ = tutorial("map")
        for file in ROOT.glob("ch[0-9][0-9]_*/README.md"):
            with open(file, encoding="utf-8") as text:
                title = text.readline().partition(": ")[2].strip().replace("`", "")
            with self.subTest(title):
                self.assertIn(title[1:], out)

    def test_wrong_arguments_get_one_line_and_code_2(self):
        self.refused(2, "unknown command 'fly'; there are run, test", "fly")
        self.refused(2, "unknown command 'tset' [(]did you mean test[?][)]; there are run, test", "tset")
        self.refused(2, "unknown chapter 'ch05_merge' [(]did you mean ch05_merge_bitonic[?][)]", "run", "ch05_merge")
        self.refused(2, "unknown chapter 'ch99'; there are: ch01_bubble", "run", "ch99")
        self.refused(2, "unknown chapter 'bubble'", "run", "bubble")
        self.refused(2, "docs takes no option '--fast'", "docs", "--fast")
        self.refused(2, "--out needs a folder", "bench", "--out")

    def test_verbs_that_run_on_the_cpu_backend_only_say_so(self):
        self.refused(2, "explain runs on the emulator", "explain", "ch01", "--gpu")

    def test_check_looks_at_its_words_before_anything_is_built(self):
        self.refused(2, "there is no exercise 'ch01/ex99'; there are: ch01/ex1, ", "check", "ch01/ex99")
        self.refused(2, "unrecognized arguments: --fast; see ./tutorial check --help", "check", "--fast")
        self.refused(2, "--hint: not allowed with argument --watch", "check", "--watch", "--hint")
        self.refused(2, "--reset needs the name", "check", "--reset")
        code, out, _ = tutorial("check", "--help")
        self.assertEqual(code, 0)
        self.assertIn("./tutorial check ch03/ex2 --hint", out)

    def test_test_takes_its_own_options_only(self):
        self.refused(2, "test takes no option '--n'", "test", "ch01", "--n", "64")
        self.refused(2, "unknown chapter 'first'", "test", "first")

    def test_a_link_to_it_works(self):
        with tempfile.TemporaryDirectory() as folder:
            link, again = Path(folder) / "t", Path(folder) / "relative"
            link.symlink_to(ROOT / "tutorial")
            again.symlink_to("t")
            for name in (link, again):
                run = subprocess.run([str(name), "run", "ch99"], cwd=folder, capture_output=True, text=True, timeout=60)
                self.assertEqual(run.returncode, 2, run.stderr)
                self.assertIn("unknown chapter 'ch99'; there are: ch01_bubble", run.stderr)

    def test_a_path_that_cannot_be_built_in_is_refused_in_one_line(self):
        with tempfile.TemporaryDirectory() as folder:
            tree = Path(folder) / "a;b"
            for package in ("tutorial", "grading", "building"):
                shutil.copytree(ROOT / "common" / package, tree / "common" / package)
            (tree / "ch01_bubble").mkdir()
            (tree / "ch01_bubble" / "main.cu").touch()
            shutil.copy(ROOT / "tutorial", tree / "tutorial")
            run = subprocess.run([str(tree / "tutorial"), "run", "--cpu"], capture_output=True, text=True, timeout=60)
            self.assertEqual(run.returncode, 3, run.stderr)
            self.assertRegex(run.stderr, r"^tutorial: the tutorial's folder has ';' in its path.*\n$")

    @unittest.skipUnless(os.path.exists("/dev/full"), "there is no /dev/full here")
    def test_what_cannot_be_written_is_said(self):
        for shell, why in ((">/dev/full", "No space left on device"), (">&-", "Bad file descriptor")):
            command = ["bash", "-c", f'"$0" --help {shell}', str(ROOT / "tutorial")]
            run = subprocess.run(command, capture_output=True, text=True, timeout=60)
            self.assertEqual(run.returncode, 3)
            self.assertEqual(run.stderr, f"tutorial: standard output cannot be written: {why}\n")

    def test_help_fits_a_terminal_of_40_columns(self):
        for arguments in (("--help",), ("bench", "--help"), ("test", "--help")):
            _, out, _ = tutorial(*arguments, COLUMNS="40")
            examples = [line for line in out.splitlines() if "./tutorial run" not in line]
            self.assertLessEqual(max(map(len, examples)), 40, out)

    def test_a_gpu_that_is_hidden_is_not_used(self):
        self.refused(3, "--gpu needs an NVIDIA GPU", "run", "ch01", "--gpu", CUDA_VISIBLE_DEVICES="")
        code, out, error = tutorial("bench", CUDA_VISIBLE_DEVICES="")
        self.assertEqual(code, 3)
        self.assertIn("Emulator: no NVIDIA GPU was found.", out)
        self.assertIn("bench measures times on a GPU", error)
