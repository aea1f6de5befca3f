import contextlib
import io
import os
import tempfile
import unittest
from pathlib import Path

import sample_repository
from nvcc_line import by_steps, command, line_of, steps

# An nvcc that records its arguments, and fails for sources that say so.
FAKE = """#!/usr/bin/env python3
import pathlib, sys
words = sys.argv[1:]
pathlib.Path("log").open("a").write(" ".join(words) + "\\n")
sources = [word for word in words if word.endswith((".cu", ".cpp", ".o"))][:-1 if "-c" not in words else None]
if any("broken" in pathlib.Path(word).read_text() for word in sources if not word.endswith(".o")):
    sys.exit(3)
pathlib.Path(words[words.index("-o") + 1]).write_text("made")
"""


class NvccLine(unittest.TestCase):
    def test_the_line_is_found_in_a_comment_even_when_continued(self):
        self.assertEqual(line_of("// x\n//   nvcc -O3 a.cu -o a\n"), "nvcc -O3 a.cu -o a")
        self.assertEqual(line_of("// nvcc -O3 \\\n//     a.cu -o a\n").split(), ["nvcc", "-O3", "a.cu", "-o", "a"])
        self.assertIsNone(line_of("nvcc();\n// it uses nvcc\n"))

    def test_only_compiler_output_and_missing_gpu_change(self):
        line = "nvcc -arch=native -I. docs/tools/nvcc_l*.py -lfmt -o ch01"
        self.assertEqual(
            command(line, "/x/nvcc", "out", native=False),
            ["/x/nvcc", "-arch=sm_90", "-I.", "docs/tools/nvcc_line.py", "-lfmt", "-o", "out"],
        )
        self.assertIn("-arch=native", command(line, "nvcc", "out", native=True))

    def test_a_line_that_cannot_work_is_refused(self):
        self.assertRaisesRegex(ValueError, "no -o", command, "nvcc a.cu", "nvcc", "out", True)
        self.assertRaisesRegex(ValueError, "no file matches", command, "nvcc absent*.cu -o a", "nvcc", "out", True)

    def test_the_parts_of_a_line(self):
        self.assertEqual(
            steps("nvcc -O3 -I. a/main.cu common/b.cpp -lfmt -o out".split()),
            (["nvcc", "-O3", "-I."], ["a/main.cu", "common/b.cpp"], ["-lfmt"], "out"),
        )


class BySteps(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        (self.root / "common/harness").mkdir(parents=True)
        for name in ("one.cu", "two.cu", "common/harness/a.cpp", "common/harness/b.cu"):
            (self.root / name).write_text("int x;")
        (self.root / "nvcc").write_text(FAKE)
        os.chmod(self.root / "nvcc", 0o755)

    def run_line(self, source):
        words = ["./nvcc", "-O3", source, "common/harness/a.cpp", "common/harness/b.cu", "-lfmt", "-o", "out"]
        return by_steps(words, self.root / "objects", self.root)

    def log(self):
        lines = (self.root / "log").read_text().splitlines()
        (self.root / "log").unlink()
        return lines

    def test_the_harness_is_compiled_once_for_two_chapters(self):
        self.assertEqual(self.run_line("one.cu"), 0)
        first = self.log()
        self.assertEqual(
            [" ".join(line.split()[:3]) for line in first[:3]],
            ["-O3 -c one.cu", "-O3 -c common/harness/a.cpp", "-O3 -c common/harness/b.cu"],
        )
        self.assertRegex(first[3], r"^-O3 \S+one\.cu\.o \S+_a\.cpp\.o \S+_b\.cu\.o -lfmt -o out$")
        self.assertEqual(self.run_line("two.cu"), 0)
        self.assertEqual([line.split()[2] for line in self.log() if "-c" in line.split()], ["two.cu"])

    def test_a_changed_harness_is_compiled_anew(self):
        self.run_line("one.cu")
        self.log()
        (self.root / "common/harness/a.cpp").write_text("int y;")
        self.run_line("one.cu")
        self.assertEqual(len(self.log()), 4)

    def test_what_does_not_compile_fails_and_is_not_kept(self):
        (self.root / "common/harness/b.cu").write_text("broken")
        for _ in range(2):
            with contextlib.redirect_stdout(io.StringIO()):
                self.assertEqual(self.run_line("one.cu"), 3)
            self.assertIn("common/harness/b.cu", self.log()[-1])
        self.assertFalse((self.root / "out").exists())


if __name__ == "__main__":
    unittest.main()
