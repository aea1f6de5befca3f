"""Tests of chapter_shape.py: a small chapter, each time with one breach."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import chapter_shape

MAIN = """#include <cuda_runtime.h>
#include <vector>
#include "../common/harness/chapter.hpp"
#include "experiment.hpp"
#include "library.cuh"
#include "fastest/best.cuh"
__global__ void slow_kernel(int* keys) {}
"""
KERNEL = (
    "// __global__ void no_kernel() {}\n__global__ void __launch_bounds__(f(1), 2)\n    best_kernel(int* keys) {}\n"
)
GOOD = {
    "main.cu": MAIN,
    "README.md": "# One\n",
    "how_the_fastest_works.md": "# Two\n",
    "tests.cu": '#include "main.cu"\n__global__ void probe_kernel() {}\n',
    "ablations.cu": KERNEL,
    "multi_gpu.cu": KERNEL,
    "runs.txt": "[bench]\n",
    "experiment.hpp": '__global__ void declared_kernel(int* keys);\nconst char* text = "__global__ void a() {}";\n',
    "library.cuh": KERNEL,
    "fastest/best.cuh": KERNEL,
    "fastest/buckets.cuh": '#include "../../common/harness/device_code.cuh"\n',
    "exercises/ex1.cu": KERNEL,
    "solutions/ex1.cu": KERNEL,
    "grading/ex1.cu": KERNEL,
    "figures/time.py": "",
}


class ChapterShape(unittest.TestCase):
    def breaches(self, more: dict[str, str]) -> list[str]:
        """What is wrong with GOOD after `more` is written over it."""
        with tempfile.TemporaryDirectory() as folder:
            for path, text in {**GOOD, **more}.items():
                file = Path(folder) / "ch01_one" / path
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text, encoding="utf-8")
            return chapter_shape.check(Path(folder))

    def one(self, path: str, text: str, expected: str) -> None:
        """`text` in place of `path` is one breach, which begins so."""
        found = self.breaches({path: text})
        self.assertEqual(len(found), 1, found)
        self.assertTrue(found[0].startswith(f"ch01_one/{expected}"), found[0])

    def test_good_chapter(self) -> None:
        self.assertEqual(self.breaches({}), [])

    def test_two_headers_of_fastest(self) -> None:
        text = MAIN + '#include "fastest/buckets.cuh"\n'
        self.one("main.cu", text, 'main.cu:8: includes "fastest/buckets.cuh" as well')

    def test_main_includes_what_is_not_its_own(self) -> None:
        for name in ("../ch02_two/experiment.hpp", "../common/lab/include/lab/lab.hpp", "grading/reference.hpp"):
            self.one("main.cu", f'{MAIN}#  include "{name}"\n', f'main.cu:8: includes "{name}": a main.cu includes')

    def test_a_kernel_beside_main(self) -> None:
        self.one("experiment.hpp", KERNEL, "experiment.hpp:2: best_kernel: a kernel stands in main.cu, or in fastest/")

    def test_device_code_beside_main(self) -> None:
        self.one("words.cuh", "// no kernel\n", "words.cuh: no file that a reader looks for: device code stands in")

    def test_a_kernel_in_a_file_of_another_name_is_two_breaches(self) -> None:
        found = self.breaches({"words.cuh": KERNEL})
        self.assertEqual(len(found), 2, found)

    def test_a_long_main(self) -> None:
        lines = "// text\n" * (950 - len(MAIN.splitlines()))
        self.assertEqual(self.breaches({"main.cu": MAIN + lines}), [])
        self.one("main.cu", MAIN + lines + "// one more\n", "main.cu: 951 lines are more")
        listed = "//   9 stage  idea\n//  10 last   idea\n"
        self.assertEqual(self.breaches({"main.cu": listed + MAIN + lines}), [])

    def test_other_files_and_folders(self) -> None:
        for name in ("notes.txt", "time.py", "words.h", "second.cu"):
            self.one(name, "", f"{name}: no file that a reader looks for")
        self.one("attic/old.cuh", "", "attic/: no folder that a reader looks for")
        self.one("fastest/more.hpp", "", "fastest/more.hpp: fastest/ holds .cuh files")

    def test_no_main(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "ch01_one").mkdir()
            self.assertEqual(chapter_shape.check(Path(folder)), ["ch01_one/main.cu: is missing"])


class Program(unittest.TestCase):
    def run_on(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([sys.executable, chapter_shape.__file__, *arguments], capture_output=True, text=True)

    def test_this_repository(self) -> None:
        done = self.run_on()
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertRegex(done.stdout, r"^\d+ chapters have the shape of a chapter\.$")

    def test_no_chapter_is_an_error(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(self.run_on(folder).returncode, 2)

    def test_breach_is_exit_code_1(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "ch01_one").mkdir()
            (Path(folder) / "ch01_one/main.cu").write_text('#include "../a.hpp"\n', encoding="utf-8")
            done = self.run_on(folder)
        self.assertEqual(done.returncode, 1)
        self.assertIn("ch01_one/main.cu:1:", done.stdout)


if __name__ == "__main__":
    unittest.main()
