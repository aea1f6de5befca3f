"""Tests of chapter_shape.py: a small chapter, each time with one breach."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import chapter_shape

MAIN = """// A chapter.
// Stages, made by ./tutorial docs from the table below:
//   1 slow  one thread
//   2 fast  all threads
//   3 best  tiles
#include <cuda_runtime.h>
#include <vector>
#include "../common/harness/chapter.hpp"
#include "experiment.hpp"
#include "library.cuh"
namespace {
void host(int* keys) {}
// slow: one thread.
__global__ void slow_kernel(int* keys) {
    if (true) {
    }
}
// fast: all threads.
__global__ void fast_kernel(int* keys) {}
}  // namespace
#include "fastest/3_best.cuh"
const Table& stages() {
    static const Table table = {{{"host", "std::sort", RowKind::host}, host}};
    return table;
}
int main() {
}
"""
BEST = "// best: tiles.\n__global__ void __launch_bounds__(f(1), 2)\n    best_kernel(int* keys) {}\n"
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
    "fastest/3_best.cuh": BEST,
    "fastest/buckets.cuh": '#include "../../common/harness/device_code.cuh"\n',
    "exercises/ex1.cu": KERNEL,
    "solutions/ex1.cu": KERNEL,
    "grading/ex1.cu": KERNEL,
    "figures/time.py": "",
}


class ChapterShape(unittest.TestCase):
    def breaches(self, more: dict[str, str], without: str = "") -> list[str]:
        """What is wrong with GOOD after `more` is written over it; `without` is the name of a file that is left out."""
        with tempfile.TemporaryDirectory() as folder:
            for path, text in {**GOOD, **more}.items():
                if path == without:
                    continue
                file = Path(folder) / "ch01_one" / path
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text, encoding="utf-8")
            return chapter_shape.check(Path(folder))

    def one(self, path: str, text: str, expected: str) -> None:
        """`text` in place of `path` is one breach, which begins with `words`."""
        found = self.breaches({path: text})
        self.assertEqual(len(found), 1, found)
        self.assertTrue(found[0].startswith(f"ch01_one/{expected}"), found[0])

    def test_good_chapter(self) -> None:
        self.assertEqual(self.breaches({}), [])

    def test_two_headers_of_fastest(self) -> None:
        text = MAIN.replace("const Table&", '#include "fastest/buckets.cuh"\nconst Table&')
        self.one("main.cu", text, 'main.cu:22: includes "fastest/buckets.cuh" as well')

    def test_main_includes_what_is_not_its_own(self) -> None:
        for name in ("../ch02_two/experiment.hpp", "../common/lab/include/lab/lab.hpp", "grading/reference.hpp"):
            text = MAIN.replace("#include <vector>", f'#  include "{name}"')
            self.one("main.cu", text, f'main.cu:7: includes "{name}": a main.cu includes')

    def test_a_kernel_next_to_main(self) -> None:
        self.one("experiment.hpp", KERNEL, "experiment.hpp:2: best_kernel: a kernel belongs in main.cu, or in fastest/")

    def test_device_code_next_to_main(self) -> None:
        self.one(
            "words.cuh",
            "// no kernel\n",
            "words.cuh: a file of this name does not belong in a chapter: device code belongs in",
        )

    def test_a_kernel_in_a_file_of_another_name_is_two_breaches(self) -> None:
        found = self.breaches({"words.cuh": KERNEL})
        self.assertEqual(len(found), 2, found)

    def test_a_long_main(self) -> None:
        lines = "// text\n" * (950 + 3 - len(MAIN.splitlines()))  # the list has three
        self.assertEqual(self.breaches({"main.cu": MAIN + lines}), [])
        self.one("main.cu", MAIN + lines + "// one more\n", "main.cu: 951 lines are too many")

    def test_other_files_and_folders(self) -> None:
        for name in ("notes.txt", "time.py", "words.h", "second.cu"):
            self.one(name, "", f"{name}: a file of this name does not belong in a chapter")
        self.one("attic/old.cuh", "", "attic/: a folder of this name does not belong in a chapter")
        self.one("fastest/more.hpp", "", "fastest/more.hpp: fastest/ contains .cuh files")

    def test_no_main(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "ch01_one").mkdir()
            found = chapter_shape.check(Path(folder))
            self.assertEqual(found, [f"ch01_one/{name}: is missing" for name in chapter_shape.NEEDED])

    def test_what_every_chapter_has(self) -> None:
        self.assertEqual(self.breaches({}, without="experiment.hpp"), ["ch01_one/experiment.hpp: is missing"])

    # ---- The order of a main.cu

    def test_experiment_at_the_head(self) -> None:
        without = MAIN.replace('#include "experiment.hpp"\n', "")
        self.one("main.cu", without, "main.cu:1: does not include experiment.hpp at its head")
        late = without.replace("const Table&", '#include "experiment.hpp"\nconst Table&')
        self.one("main.cu", late, 'main.cu:21: includes "experiment.hpp" after the first line of code')

    def test_no_list_of_stages(self) -> None:
        found = self.breaches({"main.cu": "\n".join(line for line in MAIN.split("\n") if not line.startswith("//  "))})
        self.assertTrue(any("has no list of stages at its head" in breach for breach in found), found)

    def test_stages_in_another_order_than_the_list(self) -> None:
        swapped = MAIN.replace("//   1 slow  one", "//   1 fast  one").replace("//   2 fast  all", "//   2 slow  all")
        self.one("main.cu", swapped, "main.cu:13: slow is above fast, which comes before it")

    def test_a_stage_after_those_of_fastest(self) -> None:
        moved = MAIN.replace("//   2 fast  all", "//   2 best  all").replace("//   3 best  tiles", "//   3 fast  tiles")
        self.assertEqual(
            self.breaches({"main.cu": moved}),
            [
                "ch01_one/main.cu:18: fast is here, but best, which comes before it in the list, is not",
                "ch01_one/fastest/3_best.cuh: best is stage 2 of the list",
            ],
        )

    def test_kernels_and_hosts_versions_have_their_place(self) -> None:
        below = MAIN.replace("int main() {", "__global__ void late_kernel() {}\nint main() {")
        self.one("main.cu", below, "main.cu:26: late_kernel: a kernel below the table")
        late = MAIN.replace("void host(int* keys) {}\n", "").replace("}  // namespace", "void host(int* keys) {}\n}")
        self.one("main.cu", late, "main.cu:19: host: a host's version is below the first stage")

    def test_table_and_main_are_the_end(self) -> None:
        main = "int main() {\n}\n"
        self.one("main.cu", MAIN.replace("Table& stages()", "Table& rows()"), "main.cu:1: has no table")
        self.one("main.cu", MAIN.replace(main, ""), "main.cu:22: main() does not follow the table")
        self.one("main.cu", MAIN + "void more() {}\n", "main.cu:26: main() is not the last of the file")
        first = MAIN.replace(main, "").replace("const Table&", main + "const Table&")
        self.one("main.cu", first, "main.cu:24: main() does not follow the table")

    # ---- fastest/

    def test_a_stage_without_a_file_and_a_file_without_a_stage(self) -> None:
        self.assertEqual(
            self.breaches({"main.cu": MAIN.replace("//   3 best  tiles", "//   3 best  tiles\n//   4 more  tiles")}),
            ["ch01_one/fastest/: has no file of more, which is not in main.cu"],
        )
        self.one("fastest/4_more.cuh", "// more: x.\n", "fastest/4_more.cuh: there is no such stage")
        self.one(
            "fastest/4_fast.cuh", "// fast: x.\n", "fastest/4_fast.cuh: there is no such stage, or it is in main.cu"
        )
        self.one("fastest/3_best.cuh", KERNEL, 'fastest/3_best.cuh: has no comment "// best: …"')

    def test_files_of_stages_that_ls_shows_in_another_order(self) -> None:
        listed = MAIN.replace("//   3 best  tiles", "//   3 best  tiles\n//   4 more  tiles")
        good = {"main.cu": listed, "fastest/4_more.cuh": "// more: x.\n"}
        self.assertEqual(self.breaches(good), [])
        found = self.breaches({"main.cu": listed, "fastest/10_more.cuh": "// more: x.\n"})
        self.assertEqual(
            found, ["ch01_one/fastest/: its files are in the order more, best; the list of stages has best, more"]
        )

    def test_a_file_with_another_number_than_the_stage(self) -> None:
        listed = MAIN.replace("//   3 best  tiles", "//   3 best  tiles\n//   4 more  tiles")
        found = self.breaches({"main.cu": listed, "fastest/5_more.cuh": "// more: x.\n"})
        self.assertEqual(found, ["ch01_one/fastest/5_more.cuh: more is stage 4 of the list"])

    def test_a_stage_of_the_fastest_page_in_main(self) -> None:
        told = "# Fastest\n\n## `best`: tiles\n"
        self.assertEqual(self.breaches({"fastest.md": told}), [])
        self.one(
            "fastest.md",
            told + "\n## `fast`: all threads\n",
            "main.cu:18: fast is described in fastest.md, so its code belongs in fastest/",
        )

    # ---- Kernels

    def test_a_long_kernel(self) -> None:
        def kernel(lines: int) -> str:
            body = "    if (true) { // }\n    }\n" + "    f();\n" * (lines - 2)
            return f"__global__ void __launch_bounds__(8)\n    long_kernel(int n) {{\n{body}}}\n"

        for path in ("main.cu", "fastest/buckets.cuh"):
            before = MAIN if path == "main.cu" else ""
            place = ("// fast: all", 18) if path == "main.cu" else ("", 1)
            for lines, wrong in ((60, False), (61, True)):
                text = before.replace(place[0], kernel(lines) + place[0], 1) if before else kernel(lines)
                if wrong:
                    self.one(path, text, f"{path}:{place[1]}: long_kernel: 61 lines are too many")
                else:
                    self.assertEqual(self.breaches({path: text}), [])

    def test_a_first_kernel_that_comes_late(self) -> None:
        for lines, wrong in ((96, False), (97, True)):
            text = MAIN.replace("void host(int* keys) {}\n", "void host(int* keys) {}\n" + "f();\n" * lines)
            if wrong:
                self.one("main.cu", text, "main.cu:111: slow_kernel, the first kernel, comes too late: at line 110")
            else:
                self.assertEqual(self.breaches({"main.cu": text}), [])

    def test_32_for_a_warp(self) -> None:
        for code in (
            "lane = threadIdx.x % 32;",
            "warp = threadIdx.x / 32u;",
            "if (threadIdx.x < 32) f();",
            "if (threadIdx.x >= 32) return;",
            "for (d = 32; d <= 32; d += 32) f();",
            "row = 32 * warp;",
            "row = warp * 32 + lane;",
            "if (lane == 31) f();",
            "lane = thread & 31;",
            "x = __shfl_sync(mask, sum, 31);",
        ):
            self.one("fastest/buckets.cuh", code + "\n", "fastest/buckets.cuh:1: 32 for a warp")
        for code in (
            "// a warp of 32 threads % 32",
            "constexpr unsigned kSampled = 32;",
            "x = high << 32 | low;",
            "x = word >> 32;",
            "bits = sizeof(x) * 8 - 32;",
            "bit = 31 - __clz(x);",
            "using W = Window<4, 32>;",
            "using W = Window<32, 4>;",
            "using W = Window<32>;",
            "x = y % 320 + y * 3200 + (y < 321);",
            "if (a && 31 < b) f();",
        ):
            self.assertEqual(self.breaches({"fastest/buckets.cuh": code + "\n"}), [], code)


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
