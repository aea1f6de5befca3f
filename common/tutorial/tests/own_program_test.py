#!/usr/bin/env python3
"""own_program_test.py BUILD: compiles and runs programs of your own with a finished build folder.

They are copied to a folder outside the tutorial, whose name has a space in it. With a build folder
that is made for nvcc alone, they are only compiled.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path
from unittest import mock

HERE = Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(HERE.parents[1]))

from building.errors import Refused
from tutorial import own_build, own_program, own_request, programs

BUILD = Path()


def cached(pattern: str) -> bool:
    """Does a line of CMake's cache begin like this?"""
    cache = (BUILD / "CMakeCache.txt").read_text(encoding="utf-8")
    return re.search(f"^{pattern}", cache, re.MULTILINE) is not None


def fills_variables() -> bool:
    """g++ from 12 on, and clang; without it an uninitialised local variable is not found."""
    return cached("LAB_FILLS_VARIABLES:INTERNAL=1$")


def counts_steps_as_the_texts_do() -> bool:
    """They count basic blocks, which are different with clang, and with g++ before 12."""
    return fills_variables() and not cached(r"CMAKE_CXX_COMPILER:\w+=.*clang")


class FakeBuild:
    """The build folder, in which everything needed was built before."""

    def __init__(self) -> None:
        self.folder = BUILD

    def make(self, goals: list[str]) -> None:
        pass


class Case(unittest.TestCase):
    kind = "cpu"

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory(prefix="it's my own ")
        self.addCleanup(folder.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        shutil.copytree(HERE / "own", Path(folder.name) / "own")
        os.chdir(Path(folder.name) / "own")
        self.made: list[Path] = []
        self.addCleanup(self.remove_what_was_made)

    def remove_what_was_made(self) -> None:
        for folder in self.made:
            shutil.rmtree(folder, ignore_errors=True)
            folder.with_suffix(".lock").unlink(missing_ok=True)

    def own(self, *words: str, kind: str = "") -> own_build.OwnProgram:
        explains = {"--faults", "--json", "--trace"} & set(words)
        request = own_request.parse(list(words), "explain" if explains else "run")
        own = own_build.OwnProgram(request, FakeBuild(), kind or self.kind, io.StringIO())  # type: ignore[arg-type]
        self.made.append(own.folder)
        return own

    def run_it(self, *words: str, kind: str = "") -> tuple[int, str]:
        """Exit code and output of the program."""
        own = self.own(*words, kind=kind)
        with tempfile.TemporaryFile("w+") as out:
            with mock.patch.object(programs, "run", lambda *command: _code(command, out)):
                code = own_program._run(own)
            out.seek(0)
            return code, out.read()

    def fails(self, *words: str) -> tuple[str, str]:
        """What is printed first, and the one line for a program that cannot be built."""
        said = io.StringIO()
        with contextlib.redirect_stderr(said), self.assertRaises(Refused) as raised:
            self.own(*words).make()
        return said.getvalue(), str(raised.exception)


def _code(command, out) -> programs.Exit:
    return programs.Exit.of(subprocess.run([str(word) for word in command], stdout=out, check=False).returncode)


class Compiles(Case):
    ADD = ("add.cu", "sum.cpp", "-I", "include")

    def test_what_has_not_changed_is_not_compiled_again(self) -> None:
        program = self.own(*self.ADD).make()
        before = {path: path.stat().st_mtime_ns for path in program.parent.iterdir()}
        self.assertEqual(self.own(*self.ADD).make(), program)
        self.assertEqual(before, {path: path.stat().st_mtime_ns for path in program.parent.iterdir()})
        time.sleep(0.01)
        header = Path("include/add_kernel.cuh")
        header.write_text(header.read_text().replace("2 *", "3 *"))
        self.own(*self.ADD).make()
        changed = {path.name for path in program.parent.iterdir() if before.get(path) != path.stat().st_mtime_ns}
        self.assertTrue({"0_add.cu.o", "add"} <= changed, changed)
        self.assertNotIn("1_sum.cpp.o", changed)

    def test_a_file_beside_it_does_not_take_a_system_headers_place(self) -> None:
        Path("new").write_text("not C++\n")
        Path("own.hpp").write_text("constexpr int kOwn = 3;\n")
        Path("beside.cu").write_text(
            '#include <cuda_runtime.h>\n#include <new>\n#include "own.hpp"\nint main() { return kOwn; }\n'
        )
        self.assertEqual(self.run_it("beside.cu")[0], 3)

    def test_an_error_names_the_file_as_it_was_typed_and_its_line(self) -> None:
        Path("wrong.cu").write_text("#include <cuda_runtime.h>\n\nint main() { return nowhere; }\n")
        said, line = self.fails("./wrong.cu")
        self.assertRegex(said, r"^\./wrong\.cu[:(]3")
        self.assertEqual(line, "./wrong.cu does not compile")

    def test_a_configuration_that_does_not_fit_is_said_in_words_of_cuda(self) -> None:
        if own_build.kinds(BUILD) == ["cuda"]:
            self.skipTest("nvcc has words of its own")
        Path("wrong.cu").write_text(
            "#include <cuda_runtime.h>\n__global__ void k() {}\nint main() { k<<<1, 2, 3, 0, 5>>>(); }\n"
        )
        said, _ = self.fails("wrong.cu")
        self.assertRegex(said, r"^wrong\.cu:3: error: between <<< and >>> go: blocks, threads per block")
        self.assertNotIn("emulator", said)

    def test_what_is_missing_at_the_end_is_named(self) -> None:
        self.assertIn(
            "sum(int const*, int) is not defined; also name the file that defines it",
            self.fails("add.cu", "-I", "include")[1],
        )
        Path("nothing.cu").write_text("#include <cuda_runtime.h>\n")
        self.assertIn("there is no main() in it", self.fails("nothing.cu")[1])
        self.assertIn("main is defined twice", self.fails("add.cu", "late_branch.cu", "sum.cpp", "-I", "include")[1])

    def test_options_of_the_compiler(self) -> None:
        Path("option.cu").write_text("#include <cuda_runtime.h>\nint main() { return VALUE; }\n")
        self.assertIn("does not compile", self.fails("option.cu")[1])
        self.own("option.cu", "--compile-option", "-DVALUE=3", "--compile-option=-std=c++20").make()


class Runs(Compiles):
    def test_arguments_and_exit_code_are_the_programs(self) -> None:
        self.assertEqual(self.run_it(*self.ADD, "--", "1", "2"), (0, "6\n"))
        self.assertEqual(self.run_it(*self.ADD, "--", "3", "4"), (7, "14\n"))

    def test_a_program_that_crashes(self) -> None:
        Path("crash.cu").write_text("#include <cuda_runtime.h>\n#include <cstdlib>\nint main() { std::abort(); }\n")
        said = io.StringIO()
        with contextlib.redirect_stderr(said), mock.patch.object(
            programs, "run", lambda *command: programs.Exit.of(-6)
        ):
            self.assertEqual(own_program._run(self.own("crash.cu")), 134)
        self.assertEqual(said.getvalue(), "tutorial: crash.cu was ended by itself (abort)\n")

    def test_an_exit_code_is_what_a_shell_shows(self) -> None:
        Path("code.cu").write_text(
            "#include <cuda_runtime.h>\n#include <cstdlib>\nint main() { std::exit(cudaErrorIllegalAddress); }\n"
        )
        said = io.StringIO()
        with contextlib.redirect_stderr(said):
            self.assertEqual(self.run_it("code.cu"), (700 % 256, ""))
        self.assertEqual(said.getvalue(), "")

    def test_very_many_allocations(self) -> None:
        Path("plenty.cu").write_text(
            "#include <cuda_runtime.h>\n#include <vector>\n__global__ void k(char* p) { p[128] = 1; }\n"
            "int main() {\n    std::vector<char*> all(70000);\n"
            "    for (char*& p : all) if (cudaMalloc(&p, 128) != cudaSuccess) return 1;\n"
            "    k<<<1, 1>>>(all.back());\n    if (cudaDeviceSynchronize() == cudaSuccess) return 2;\n"
            "    return 3;\n}\n"
        )
        run = subprocess.run([self.own("plenty.cu").make()], capture_output=True, text=True, check=False)
        self.assertEqual(run.returncode, 3, run.stderr)
        self.assertIn("kernel k wrote just past the end of the allocation of 128 bytes", run.stderr)

    def test_a_file_that_is_no_text_is_named_as_what_it_is(self) -> None:
        utf16 = "the file is in UTF-16: save it as UTF-8"
        for name, text, said in (
            (
                "little.cu",
                b"\xff\xfe" + "int main() { }\n".encode("utf-16-le"),
                "the file is in UTF-16: save it as UTF-8",
            ),
            ("big.cu", b"\xfe\xff" + "int main() { }".encode("utf-16-be"), utf16),
            ("program.cu", b"\x7fELF\x02\x01\x01\0\0\0", "this is a binary file, and no source code"),
        ):
            Path(name).write_bytes(text)
            self.assertEqual(self.fails(name)[0], f"{name}:1: error: {said}\n")
        Path("marked.cu").write_bytes(b"\xef\xbb\xbfint main() { }\n")
        self.own("marked.cu").make()

    def test_a_pointer_for_its_address_is_named(self) -> None:
        for call in ("cudaMalloc", "cudaMallocManaged", "cudaMallocHost"):
            Path("address.cu").write_text(f"int main() {{\n    float* d;\n    {call}(d, 400);\n}}\n")
            said, _ = self.fails("address.cu")
            self.assertEqual(
                said,
                f"address.cu:3: error: {call} takes the address of the pointer, which it sets: &d\n"
                f"    {call}(d, 400);\n",
            )
        Path("address.cu").write_text(
            "int main() {\n    float *d, (*rows)[4], *many[2];\n    void* v;\n    cudaMalloc(&d, 4);\n"
            "    cudaMalloc((void**)&d, 4);\n    cudaMalloc(&v, 4);\n    cudaMalloc(&rows, 4);\n"
            "    cudaMalloc(many, 4);\n}\n"
        )
        self.own("address.cu").make()

    def test_of_the_driver_api_what_asks_for_devices_works(self) -> None:
        Path("driver.cu").write_text(
            "#include <cuda.h>\n#include <cstdio>\nint main() {\n    CUdevice d;\n    int version, count, lanes;\n"
            "    char name[64];\n    size_t bytes;\n    const char* text;\n    bool ok = cuInit(0) == CUDA_SUCCESS;\n"
            "    ok &= cuDeviceGetCount(&count) == CUDA_SUCCESS;\n"
            "    ok &= cuDeviceGet(&d, count) == CUDA_ERROR_INVALID_DEVICE;\n"
            "    ok &= cuDeviceGet(&d, 0) == CUDA_SUCCESS;\n"
            "    ok &= cuDeviceGetName(name, 64, d) == CUDA_SUCCESS && name[0] != 0;\n"
            "    ok &= cuDriverGetVersion(&version) == CUDA_SUCCESS && version == CUDA_VERSION;\n"
            "    ok &= cuDeviceTotalMem(&bytes, d) == CUDA_SUCCESS && bytes > 0;\n"
            "    ok &= cuDeviceGetAttribute(&lanes, CU_DEVICE_ATTRIBUTE_WARP_SIZE, d) == CUDA_SUCCESS && lanes == 32;\n"
            "    ok &= cuGetErrorName(CUDA_ERROR_INVALID_DEVICE, &text) == CUDA_SUCCESS;\n"
            '    std::printf("%d %s\\n", ok, text);\n}\n'
        )
        self.assertEqual(self.run_it("driver.cu"), (0, "1 CUDA_ERROR_INVALID_DEVICE\n"))
        Path("context.cu").write_text(
            "#include <cuda.h>\nint main() {\n    CUcontext context;\n    cuCtxCreate(&context, 0, 0);\n"
            "    int mine = cuMine(3);\n}\n"
        )
        said, _ = self.fails("context.cu")
        names = "this part of the driver API is not on the emulator"
        self.assertEqual(
            said, f"context.cu:3: error: CUcontext: {names}\ncontext.cu:4: error: cuCtxCreate: {names}\n", "no more"
        )

    def test_a_fault_that_the_emulator_found_is_no_success(self) -> None:
        Path("faults.cu").write_text(
            "#include <cassert>\n#include <cstdio>\n#include <cuda_runtime.h>\n"
            "__global__ void beyond(int* p) { p[threadIdx.x + 1] = 1; }\n"
            "__global__ void divergent() { if (threadIdx.x < 3) __syncthreads(); else __syncwarp(); }\n"
            "__global__ void asserts() { assert(threadIdx.x < 3); }\n"
            "__global__ void forever(volatile int* p) { while (p[0] == 0) { } }\n"
            "__global__ void fine(int* p) { p[threadIdx.x] = 1; }\n"
            "int main(int, char** words) {\n    int *p, h[32];\n    cudaMalloc(&p, 128);\n"
            "    cudaMemset(p, 0, 128);\n    switch (words[1][0]) {\n"
            "        case 'b': beyond<<<1, 32>>>(p); break;\n        case 'd': divergent<<<1, 64>>>(); break;\n"
            "        case 'a': asserts<<<1, 32>>>(); break;\n        case 'e': forever<<<1, 32>>>(p); break;\n"
            "        case 'l': fine<<<1, 2048>>>(p); break;\n"
            "        case 'c': cudaMemcpy(h, p, 129, cudaMemcpyDefault);\n"
            "        case 'f': cudaFree(p); cudaFree(p); cudaFree(p); break;\n"
            "        case 'm': { void* much; if (cudaMalloc(&much, 1ul << 50) == cudaSuccess) return 9; }\n"
            "        default: fine<<<1, 32>>>(p);\n    }\n"
            "    printf(\"at the end\");\n    return words[2][0] - '0';\n}\n"
        )
        program = self.own("faults.cu").make()
        Path("child.cu").write_text(
            "__global__ void child() { }\n__global__ void parent() { child<<<1, 1>>>(); }\n"
            "int main() {\n    parent<<<1, 1>>>();\n    cudaDeviceSynchronize();\n}\n"
        )
        self.assertEqual(self.run_it("child.cu")[0], 1)  # dynamic parallelism
        ends = " It ends with exit code 1, though main() returned 0."
        one, two = "Emulator: 1 fault was found in this run, see above.", "Emulator: 2 faults were found"
        for word, said in [(word, one) for word in "bdaelf"] + [("c", two)]:
            # Only the endless one waits for the limit: others are not to reach it on a slow machine.
            environment = os.environ | {"TUTORIAL_CPU_TIME_LIMIT": "0.2" if word == "e" else "20"}
            with self.subTest(word):
                run = subprocess.run([program, word, "0"], capture_output=True, text=True, env=environment, check=False)
                self.assertEqual((run.returncode, run.stdout), (1, "at the end"), run.stderr)
                last = run.stderr.splitlines()[-1]
                self.assertTrue(last.startswith(said) and last.endswith(ends), run.stderr)
                run = subprocess.run([program, word, "7"], capture_output=True, text=True, env=environment, check=False)
                self.assertEqual(run.returncode, 7, run.stderr)
                self.assertTrue(run.stderr.splitlines()[-1].startswith(said), run.stderr)
        for word in "nm":  # correct programs, and one that requests more memory than there is
            run = subprocess.run([program, word, "0"], capture_output=True, text=True, check=False)
            self.assertEqual(run.returncode, 0, run.stderr)
            self.assertNotIn("in this run", run.stderr)

    def test_what_kernels_print_is_cut_and_lost_as_on_a_device(self) -> None:
        Path("flood.cu").write_text(
            "#include <cuda_runtime.h>\n#include <cstdio>\n"
            '__global__ void flood() { for (int i = 0; i < 3000; ++i) printf("this is line number %d\\n", i); }\n'
            "int main(int, char** words) {\n    flood<<<8, 64>>>();\n"
            "    if (words[1][0] == 'y') cudaDeviceSynchronize();\n}\n"
        )
        program = self.own("flood.cu").make()
        run = subprocess.run([program, "y"], capture_output=True, text=True, check=True)
        self.assertLess(len(run.stdout), 2 << 20)
        self.assertGreater(len(run.stdout), 1 << 20)
        self.assertIn("kernel flood printed more than the device's buffer of 1048576 bytes holds", run.stderr)
        run = subprocess.run([program, "n"], capture_output=True, text=True, check=True)
        self.assertEqual(run.stdout, "")
        self.assertIn("the host did not wait for it: on a GPU none of that is shown", run.stderr)

    def test_what_takes_very_long_says_so_early(self) -> None:
        Path("long.cu").write_text(
            "#include <cuda_runtime.h>\n"
            "__global__ void many(int* p) { if (blockIdx.x == 7) p[0] = threadIdx.x; }\n"
            "__global__ void forever(volatile int* p) { while (p[0] == 0) p[0] = 0; }\n"
            "int main(int, char** words) {\n    int* p;\n    cudaMalloc(&p, 4);\n    cudaMemset(p, 0, 4);\n"
            "    if (words[1][0] == 'm') many<<<1000000000, 256>>>(p);\n    else forever<<<1, 1>>>(p);\n}\n"
        )
        program = self.own("long.cu").make()
        for word, said in ("m", "kernel many has 1000000000 blocks of 256 threads"), ("f", "no thread has ended for"):
            environment = os.environ | {"TUTORIAL_CPU_TIME_LIMIT": "20" if word == "m" else "0.2"}
            with subprocess.Popen([program, word], stderr=subprocess.PIPE, text=True, env=environment) as running:
                assert running.stderr is not None
                self.assertIn(said, running.stderr.readline())
                running.kill()

    def test_a_sigterm_ends_the_program_as_well(self) -> None:
        Path("endless.cu").write_text(
            "#include <cuda_runtime.h>\n#include <cstdio>\n#include <unistd.h>\n"
            'int main() { std::printf("%d\\n", getpid()); std::fflush(stdout); for (;;) pause(); }\n'
        )
        program = self.own("endless.cu").make()
        script = f"import sys; from tutorial import programs; sys.exit(programs.run({str(program)!r}))"
        environment = os.environ | {"PYTHONPATH": str(HERE.parents[1])}
        with subprocess.Popen([sys.executable, "-B", "-c", script], stdout=subprocess.PIPE, env=environment) as ours:
            assert ours.stdout is not None
            number = int(ours.stdout.readline())
            ours.terminate()
            self.assertEqual(ours.wait(timeout=60), 128 + signal.SIGTERM)
            with self.assertRaises(ProcessLookupError):
                os.kill(number, 0)

    @unittest.skipIf(sys.platform == "darwin", "its compiler has no OpenMP")
    def test_openmp(self) -> None:
        Path("parallel.cu").write_text(
            "#include <cuda_runtime.h>\n#include <cstdio>\n#include <omp.h>\n"
            "int main() {\n    int all = 0;\n#pragma omp parallel reduction(+ : all) num_threads(3)\n    all += 1;\n"
            '    std::printf("%d\\n", all + 0 * omp_get_max_threads());\n}\n'
        )
        if cached(r"CMAKE_CXX_COMPILER:\w+=.*clang"):
            self.skipTest("clang's OpenMP is a package of its own")
        self.assertIn("it uses OpenMP: --compile-option -fopenmp", self.fails("parallel.cu")[1])
        self.assertEqual(self.run_it("parallel.cu", "--compile-option", "-fopenmp"), (0, "3\n"))


class Explains(Runs):
    def assert_fits(self, text: str, columns: int) -> None:
        """No line is longer, except for a single word."""
        self.assertEqual([line for line in text.splitlines() if len(line) > columns and len(line.split()) > 1], [])

    def test_each_line_is_counted_after_the_programs_own_output(self) -> None:
        code, out = self.run_it(*self.ADD, "--", "1", "2", kind="count")
        self.assertEqual(code, 0)
        self.assertTrue(out.startswith("6\n\nWhat each line"), out)
        self.assertRegex(out, r"twice_kernel<<<1, 32>>>, 1 launch\n")
        self.assertRegex(
            out,
            r"\n +6  copies\[threadIdx\.x\] = 2 \* .*\n"
            r" +global load +1 +32\.0 +4\.00 sectors +4\.00\n"
            r" +shared store +1 +32\.0 +1\.00 wavefronts +1\.00\n",
        )
        self.assertIn("1 barrier,", out)
        self.check_json(*self.ADD, "--", "1", "2")

    def test_the_example_of_the_text(self) -> None:
        code, out = self.run_it("first", kind="count")
        expected = own_request.FIRST.with_name("explain.txt").read_text(encoding="utf-8")
        if not counts_steps_as_the_texts_do():
            steps = r"[\d.]+ of 32 lanes work; the longest thread takes \d+ steps, the average \d+\n"
            (out, found), (expected, wanted) = re.subn(steps, "", out), re.subn(steps, "", expected)
            self.assertEqual((found, wanted), (1, 1), out)
        self.assertEqual((code, out), (0, expected), "./tutorial explain first > docs/first_kernel/explain.txt")

    def check_json(self, *program: str) -> None:
        """The same counts as JSON, for a program that is already compiled."""
        code, out = self.run_it("--json", "counts.json", *program, kind="count")
        self.assertEqual((code, "What each line" in out), (0, False), out)
        counts = json.loads(Path("counts.json").read_text(encoding="utf-8"))
        self.assertEqual((counts["schema"], counts["exact"]), ("tutorial-program-counts-1", True))
        rows = [row for kernel in counts["kernels"] for row in kernel["rows"]]
        self.assertIn("global", {row["space"] for row in rows})

    def test_what_is_learnt_late_counts_from_the_start(self) -> None:
        code, out = self.run_it("late_branch.cu", kind="count")
        self.assertEqual((code, out.count("printed once")), (0, 1))
        self.assertEqual(out.count("How to read it"), 1)
        # In each of four rounds, each of two warps stores in two parts, with one part missing.
        self.assertRegex(out, r"global store +15 +16\.0 ")
        # The run that prints this text has no terminal of its own.
        with mock.patch.dict(os.environ, COLUMNS="40"):
            code, out = self.run_it("late_branch.cu", kind="count")
        self.assertEqual(code, 0)
        self.assert_fits(out[out.index("What each line") :], 40)
        self.assertIn("! global store: 15 requests, 16.0", out)
        self.assertIn("\n  moved: 32 bytes for each sector;\n", out)
        self.check_json("late_branch.cu")

    def test_a_trace_and_faults(self) -> None:
        code, _ = self.run_it("--trace", "trace.json", *self.ADD, "--", "1", "2", kind="faults")
        self.assertEqual(code, 0)
        self.assertGreater(Path("trace.json").stat().st_size, 100)
        code, out = self.run_it(*self.ADD, "--faults", "--", "1", "2", kind="faults")
        self.assertEqual(code, 0)
        self.assertTrue(out.startswith("6\nNo fault found.\nChecked: 1 kernel launch,"), out)
        kernel = Path("include/add_kernel.cuh")
        text = kernel.read_text().replace("[32]", "[31]").replace("= 2 *", "= unset + 2 *")
        kernel.write_text(text.replace("    __shared__", "    int unset;\n    __shared__"))
        code, out = self.run_it(*self.ADD, "--faults", "--", "1", "2", kind="faults")
        self.assertEqual(code, 1)
        self.assertEqual("uninitialised variable in twice_kernel" in out, fills_variables())
        self.assertIn("out of bounds in twice_kernel", out)
        self.assertIn("at add_kernel.cuh:7", out)
        with mock.patch.dict(os.environ, COLUMNS="40"):
            narrow = self.run_it(*self.ADD, "--faults", "--", "1", "2", kind="faults")[1]
        self.assert_fits(narrow, 40)
        self.assertEqual(narrow.split(), out.split())

    def test_however_a_program_ends_nothing_that_was_found_is_lost(self) -> None:
        Path("ends.cu").write_text(
            "#include <cassert>\n#include <csignal>\n#include <cstdlib>\n#include <stdexcept>\n#include <unistd.h>\n"
            "__global__ void k(int* x) { x[0] = threadIdx.x; }\n"
            "int main(int, char** words) {\n    int* x;\n    cudaMalloc(&x, 4);\n    k<<<1, 64>>>(x);\n"
            "    switch (words[1][0]) {\n        case 'a': assert(words == nullptr);\n"
            "        case 't': throw std::runtime_error(\"what\");\n        case 's': raise(SIGSEGV);\n"
            "        case 'T': raise(SIGTERM);\n        case 'e': exit(3);\n        case 'q': quick_exit(3);\n"
            "        case '_': _exit(3);\n    }\n}\n"
        )
        abort, segment, term = -signal.SIGABRT, -signal.SIGSEGV, -signal.SIGTERM
        for word, code in (("a", abort), ("t", abort), ("s", segment), ("T", term), ("e", 1), ("q", 1), ("_", 1)):
            with self.subTest(word), contextlib.redirect_stderr(io.StringIO()):
                code = programs.Exit.of(code)
                found, out = self.run_it("ends.cu", "--faults", "--", word, kind="faults")
                self.assertEqual(found, code, out)
                self.assertIn("race within a block in k", out)
                self.assertRegex(out, r"\d faults? found")
                self.assertEqual("until the program was ended by" in out, word != "e", out)
                found, out = self.run_it("ends.cu", "--", word, kind="count")
                self.assertEqual(found, code if code > 128 else 3, out)
                self.assertIn("global store", out)

    def test_a_report_that_cannot_be_written_is_an_error(self) -> None:
        for kind, words, said in (
            ("count", (), "the report cannot be written: No space left on device"),
            ("faults", (), "the report cannot be written: No space left on device"),
            ("count", ("TUTORIAL_COUNTS",), "the counts cannot be written to /dev/full"),
            ("faults", ("TUTORIAL_TRACE",), "/dev/full cannot be written"),
            ("faults", ("TUTORIAL_FAULTS",), "cannot write /dev/full"),
        ):
            program = self.own("late_branch.cu", kind=kind).make()
            environment = os.environ | {word: "/dev/full" for word in words}
            with open("/dev/null" if words else "/dev/full", "w", encoding="utf-8") as out:
                run = subprocess.run(
                    [program], stdout=out, stderr=subprocess.PIPE, text=True, env=environment, check=False
                )
            self.assertEqual(run.returncode, 3, (kind, words, run.stderr))
            self.assertIn(said, run.stderr)

    def test_an_interrupt_shows_what_was_counted(self) -> None:
        Path("again.cu").write_text(
            "#include <cstdio>\n__global__ void k(int* p) { p[threadIdx.x] = 1; }\n"
            "int main() {\n    int* p;\n    cudaMalloc(&p, 128);\n    k<<<1, 32>>>(p);\n"
            '    std::puts("first");\n    std::fflush(stdout);\n    for (;;) k<<<1, 32>>>(p);\n}\n'
        )
        program = self.own("again.cu", kind="count").make()
        script = f"import sys; from tutorial import programs; sys.exit(programs.run({str(program)!r}))"
        environment = os.environ | {"PYTHONPATH": str(HERE.parents[1])}
        # Only to us: the program gets it from us, a second later. And to itself, at any point of a launch.
        for command in ([sys.executable, "-B", "-c", script], *[[str(program)]] * 8):
            with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment) as ours:
                assert ours.stdout is not None
                self.assertEqual(ours.stdout.readline(), b"first\n")
                ours.send_signal(signal.SIGINT)
                out = ours.communicate(timeout=60)[0].decode()
            self.assertIn("global store", out)
            self.assertIn("Counted until the program was ended by SIGINT.\n", out)

    def test_an_interrupt_of_a_long_kernel_shows_what_was_counted(self) -> None:
        Path("long.cu").write_text(
            "#include <cstdio>\n"
            "__global__ void k(volatile int* p) { while (p[threadIdx.x] == 0) p[1 + threadIdx.x] = 0; }\n"
            "int main() {\n    int* p;\n    cudaMalloc(&p, 256);\n    cudaMemset(p, 0, 256);\n"
            '    std::puts("first");\n    std::fflush(stdout);\n    k<<<1, 32>>>(p);\n    cudaDeviceSynchronize();\n}\n'
        )
        for kind, said in (
            ("count", "Kernel k was running: this launch is not counted."),
            ("faults", "until the program was ended by SIGINT"),
        ):
            program = self.own("long.cu", kind=kind).make()
            with self.subTest(kind), subprocess.Popen(
                [program], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
            ) as run:
                assert run.stdout is not None
                self.assertEqual(run.stdout.readline(), b"first\n")
                time.sleep(0.3)
                run.send_signal(signal.SIGINT)
                self.assertIn(said, run.communicate(timeout=60)[0].decode())
                self.assertEqual(run.returncode, -signal.SIGINT)

    def test_the_labs_own_calls_of_a_template_are_not_the_kernels(self) -> None:
        """The program's constructor of std::string, with its hooks, is linked for the lab too."""
        # As in NVIDIA's helper_math.h.
        Path("host_math.h").write_text(
            "#ifndef __CUDACC__\ninline int min(int a, int b) { return a < b ? a : b; }\n"
            "inline float rsqrtf(float x) { return 1.0f / sqrtf(x); }\n#endif\n"
        )
        Path("literal.cu").write_text(
            '#include "host_math.h"\n#include <cstdio>\n#include <string>\n'
            "__global__ void place(unsigned* out, unsigned* next) {\n    __shared__ unsigned sums[32], first;\n"
            "    const unsigned t = threadIdx.x;\n    unsigned mine = 0;\n"
            "    for (unsigned i = t; i < 64; i += 32) mine += i > 20;\n    sums[t] = mine;\n    __syncthreads();\n"
            "    for (unsigned i = 1; i < 32; i *= 2) {\n"
            "        if ((t & (2 * i - 1)) == 2 * i - 1) sums[t] += sums[t - i];\n        __syncthreads();\n    }\n"
            "    if (t == 0) first = atomicAdd(next, sums[31]);\n    __syncthreads();\n"
            "    out[t] = first + min(t, 3) + unsigned(rsqrtf(1));\n}\n"
            "void show(const std::string& what) { std::puts(what.c_str()); }\n"
            "int main() {\n    unsigned *out, *next;\n    cudaMalloc(&out, 128);\n    cudaMalloc(&next, 4);\n"
            "    cudaMemset(next, 0, 4);\n    place<<<1, 32>>>(out, next);\n    cudaDeviceSynchronize();\n"
            '    show("longer than what a string stores itself");\n    cudaFree(out);\n    cudaFree(next);\n}\n'
        )
        code, out = self.run_it("literal.cu", "--faults", kind="faults")
        self.assertEqual(code, 0, out)
        self.assertIn("No fault found.", out)

    def test_a_macro_that_makes_a_variable_managed(self) -> None:
        Path("macro.cu").write_text(
            "#include <cstdio>\n#define MANAGED __managed__\nMANAGED __device__ int n;\n"
            "__global__ void k() { ++n; }\n"
            'int main() {\n    n = 1;\n    k<<<1, 1>>>();\n    cudaDeviceSynchronize();\n    printf("%d\\n", n);\n}\n'
        )
        code, out = self.run_it("macro.cu", "--faults", kind="faults")
        self.assertEqual((code, out.split(".")[0]), (0, "2\nNo fault found"), out)

    def test_templates_that_the_lab_uses_too(self) -> None:
        """The linker keeps one of each, the program's, which calls the lab at each access."""
        Path("templates.cu").write_text(
            "#include <cstdio>\n#include <string>\n#include <thread>\n#include <vector>\n"
            "__global__ void k(int* x, bool races) {\n    const unsigned all = 0xffffffff;\n"
            "    if (races)\n        *x = threadIdx.x;\n    else if (threadIdx.x < 16)\n"
            "        *x = __shfl_xor_sync(all, *x, 1);\n    else\n        *x = __shfl_xor_sync(all, *x, 2);\n}\n"
            "void show(const std::string& what) { std::puts(what.c_str()); }\n"
            "int main() {\n    std::vector<int> numbers;\n"
            "    for (int i = 0; i < 9; ++i) numbers.push_back(i);\n    std::vector<std::thread> threads;\n"
            "    threads.emplace_back([&] {\n        int* x;\n        cudaMalloc(&x, 4);\n"
            "        cudaMemset(x, 0, 4);\n        k<<<1, 32>>>(x, true);\n"
            "        k<<<1, 32>>>(x, false);\n        cudaFree(x);\n    });\n"
            '    threads.front().join();\n    show("longer than what a string stores itself");\n}\n'
        )
        code, out = self.run_it("templates.cu", "--faults", kind="faults")
        self.assertEqual(code, 1)
        self.assertIn("race within a block in k", out)
        self.assertIn("different warp collectives", out)
        self.assertIn("2 faults found.", out)

    def test_a_variable_without_a_value_that_only_the_compiler_sees(self) -> None:
        Path("unset.cu").write_text(
            "__global__ void k(const float* x, int* out, int n) {\n    float best;\n    int at = -1;\n"
            "    for (int i = 0; i < n; ++i)\n        if (x[i] < best) best = x[i], at = i;\n    *out = at;\n}\n"
            "int main() {\n    float* x;\n    int* out;\n    cudaMalloc(&x, 64);\n    cudaMalloc(&out, 4);\n"
            "    cudaMemset(x, 0, 64);\n    k<<<1, 1>>>(x, out, 16);\n    cudaDeviceSynchronize();\n"
            "    cudaFree(x);\n    cudaFree(out);\n}\n"
        )
        for _ in range(2):  # also if nothing is compiled
            said = io.StringIO()
            with contextlib.redirect_stderr(said):
                self.run_it("unset.cu", "--faults", kind="faults")
            self.assertIn("the compiler warns of a variable that may have no value", said.getvalue())

    def test_the_order_of_threads_is_passed_on(self) -> None:
        with mock.patch.dict(os.environ):
            code, _ = self.run_it("late_branch.cu", "--faults", "--order", "reverse", kind="faults")
            self.assertEqual((code, os.environ["TUTORIAL_CPU_ORDER"]), (0, "reverse"))


def load_tests(loader, tests, pattern):
    """Only the last of these that the build folder supports: each includes all those before it."""
    kinds = own_build.kinds(BUILD)
    if "count" in kinds:
        case = Explains
    elif "cpu" in kinds:
        case = Runs
    else:
        case, Case.kind = Compiles, "cuda"
    return loader.loadTestsFromTestCase(case)


if __name__ == "__main__":
    BUILD = Path(sys.argv.pop(1)).resolve()
    unittest.main()
