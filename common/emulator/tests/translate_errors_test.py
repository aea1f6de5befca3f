#!/usr/bin/env python3
"""What translate.py and the compiler must refuse, with the words and the line that name it; and what a
rewritten file must keep: its lines, its includes, its dependencies.

    translate_errors_test.py --translate TRANSLATE_PY --compiler COMPILER --include DIR
"""

import argparse
import pathlib
import subprocess
import sys
import tempfile
import unittest

SETTINGS = None
INCLUDES = "#include <cuda_runtime.h>\n"

# (what, source, line, words): refused by translate.py.
REFUSED_BY_REWRITER = [
    ("a launch without arguments", "void f() {\n    k<<<1, 2>>>;\n}\n", 2, "a launch without its (arguments)"),
    ("a launch that is not closed", "void f() {\n\n    k<<<1, 2(x);\n}\n", 3, "<<< without its >>>"),
    ("an empty configuration", "void f() { k<<<>>>(1); }\n", 1, "<<<>>> without grid and block"),
    ("no kernel", "void f() { <<<1, 2>>>(1); }\n", 1, "<<< without a kernel before it"),
    ("no semicolon", "void f() {\n    __shared__ int s[4]\n}\n", 2, "__shared__ without a ; behind the declaration"),
    ("an initialiser", "void f() {\n    __shared__ int s = 4;\n}\n", 2, "without initialiser"),
    ("no extent", "void f() {\n    __shared__ int s[];\n}\n", 2, "s[] has no extent"),
    (
        "extern with an extent",
        "void f() {\n    extern __shared__ int s[4];\n}\n",
        2,
        "extern __shared__ s must be an array without extent",
    ),
    (
        "static shared memory at file scope",
        "\n\n__shared__ int s[4];\n",
        3,
        "__shared__ s outside of a function: move it into the kernel",
    ),
    (
        "a string in the declaration",
        'void f() {\n    __shared__ int s[sizeof("ab")];\n}\n',
        2,
        "a __shared__ variable with a string in its declaration",
    ),
    (
        "a second name that is none",
        "void f() {\n    __shared__ int s, (*t)(int);\n}\n",
        2,
        "a __shared__ declaration that is not understood",
    ),
    ("arguments without an end", "void f() {\n    k<<<1, 2>>>(x;\n}\n", 2, "'(' without its ')'"),
    ("template arguments without a start", "void f() {\n    k int> <<<1, 2>>>(x);\n}\n", 2, "'>' without its '<'"),
    ("an unknown attribute", "void f() { __shared__ __attribute__((weak)) int s[4]; }\n", 1, "unknown __attribute__"),
]

# (what, source, line, words): rewritten, then refused by the compiler. The words stand in an error
# message of that line, or of no certain line where it is 0.
REFUSED_BY_COMPILER = [
    ("inline PTX", 'void f() {\n    asm("bar.sync 0;");\n}\n', 3, "inline PTX"),
    ("inline PTX, volatile", 'void f() {\n    asm volatile("bar.sync 0;" ::: "memory");\n}\n', 3, "inline PTX"),
    ("CUB", "#include <cub/cub.cuh>\n", 2, "<cub/cub.cuh> is for a GPU only"),
    ("Thrust", "#include <thrust/sort.h>\n", 2, "<thrust/sort.h> is for a GPU only"),
    ("libcu++", "#include <cuda/barrier>\n", 2, "<cuda/barrier> is for a GPU only"),
    ("half precision", "#include <cuda_fp16.h>\n", 2, "<cuda_fp16.h> is for a GPU only"),
    ("tensor cores", "#include <mma.h>\n", 2, "<mma.h> is for a GPU only"),
    (
        "__managed__",
        "__device__ __managed__ int m;\n",
        2,
        "__managed__: the CPU backend has " "cudaMallocManaged instead",
    ),
    (
        "asynchronous copies",
        "#include <cooperative_groups/memcpy_async.h>\n",
        0,
        "<cooperative_groups/memcpy_async.h> is for a GPU only",
    ),
    ("pipelines", "#include <cuda_pipeline.h>\n", 2, "<cuda_pipeline.h> is for a GPU only"),
    ("random numbers", "#include <curand_kernel.h>\n", 2, "<curand_kernel.h> is for a GPU only"),
    (
        "tiles larger than a warp",
        "#include <cooperative_groups.h>\n__global__ void k() { "
        "cooperative_groups::tiled_partition<64>(cooperative_groups::this_thread_block()).sync(); }\n",
        0,
        "the CPU backend has tiles of at most a warp (32 threads)",
    ),
    (
        "the group of a cluster",
        "#include <cooperative_groups.h>\n" "__global__ void k() { cooperative_groups::this_cluster(); }\n",
        3,
        "this_cluster",
    ),
    (
        "a group reduction without its header",
        "#include <cooperative_groups.h>\n__global__ void k("
        "int* p) { *p = cooperative_groups::reduce(cooperative_groups::coalesced_threads(), 1, 2); }\n",
        3,
        "reduce",
    ),
    ("textures", "__global__ void k(cudaTextureObject_t t) {}\n", 2, "cudaTextureObject_t"),
    ("a rounding mode", "__global__ void k(float* p) { *p = __fadd_rz(*p, 1.0f); }\n", 2, "__fadd_rz"),
    ("a shuffle without _sync", "__global__ void k(int* p) { *p = __shfl(*p, 1); }\n", 2, "__shfl"),
    ("clusters", "__global__ void __cluster_dims__(2, 1, 1) k() {}\n", 2, "clusters"),
    ("too few arguments", "__global__ void k(int* p, int n) { *p = n; }\nvoid f(int* p) { k<<<1, 2>>>(p); }\n", 0, ""),
    (
        "an argument of the wrong type",
        "struct S {};\n__global__ void k(int n) {}\nvoid f() { k<<<1, 2>>>(S{}); }\n",
        0,
        "",
    ),
    ("a kernel that does not exist", "void f() { missing_kernel<<<1, 2>>>(); }\n", 2, "missing_kernel"),
    ("an atomic on a type that has none", "__global__ void k(short* p) { atomicAdd(p, short(1)); }\n", 2, "atomicAdd"),
    (
        "a cooperative launch through void*",
        "__global__ void k() {}\n" "void f() { cudaLaunchCooperativeKernel((void*)k, dim3(1), dim3(1), nullptr); }\n",
        0,
        "the CPU backend needs the kernel's type",
    ),
    ("a plain syntax error, in its own line", "void f() {\n\n    int x = ;\n}\n", 4, "expected"),
]


class Folder:
    """A source root with files, and what translate.py makes of one of them."""

    def __init__(self, folder, files):
        self.root = pathlib.Path(folder) / "source"
        self.copies = pathlib.Path(folder) / "copies"
        self.depfile = self.copies / "main.cu.d"
        self.output = self.copies / "main.cu.cpp"
        for name, text in files.items():
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)

    def rewrite(self):
        return subprocess.run(
            [
                sys.executable,
                SETTINGS.translate,
                str(self.root / "main.cu"),
                str(self.output),
                "--source-root",
                str(self.root),
                "--copies",
                str(self.copies),
                "--depfile",
                str(self.depfile),
            ],
            capture_output=True,
            text=True,
        )

    def compile(self):
        return subprocess.run(
            [
                SETTINGS.compiler,
                "-std=c++17",
                "-fsyntax-only",
                "-x",
                "c++",
                f"-I{SETTINGS.include}",
                f"-I{self.root}",
                str(self.output),
            ],
            capture_output=True,
            text=True,
        )


class Refused(unittest.TestCase):
    def test_by_the_rewriter(self):
        for what, source, line, words in REFUSED_BY_REWRITER:
            with self.subTest(what), tempfile.TemporaryDirectory() as temporary:
                folder = Folder(temporary, {"main.cu": source})
                done = folder.rewrite()
                self.assertNotEqual(done.returncode, 0)
                self.assertIn(f"main.cu:{line}: error: ", done.stderr)
                self.assertIn(words, done.stderr)
                self.assertEqual(done.stderr.strip().count("\n"), 0, done.stderr)
                self.assertFalse(folder.output.exists())

    def test_by_the_compiler(self):
        for what, source, line, words in REFUSED_BY_COMPILER:
            with self.subTest(what), tempfile.TemporaryDirectory() as temporary:
                folder = Folder(temporary, {"main.cu": INCLUDES + source})
                done = folder.rewrite()
                self.assertEqual(done.returncode, 0, done.stderr)
                done = folder.compile()
                self.assertNotEqual(done.returncode, 0)
                errors = [text for text in done.stderr.split("\n") if "error" in text]
                place = f"main.cu:{line}:" if line else "main.cu"
                if line:
                    errors = [text for text in errors if place in text]
                else:
                    self.assertIn(place, done.stderr)
                self.assertTrue(any(words in text for text in errors), done.stderr)

    def test_shared_memory_in_a_file_that_is_not_rewritten(self):
        with tempfile.TemporaryDirectory() as temporary:
            folder = Folder(
                temporary,
                {
                    "main.cu": INCLUDES + "#include <kernels.cuh>\n",
                    "kernels.cuh": "__global__ void k() { __shared__ int s[4]; s[0] = 1; }\n",
                },
            )
            self.assertEqual(folder.rewrite().returncode, 0)
            done = folder.compile()
            self.assertNotEqual(done.returncode, 0)
            self.assertIn("__shared__ in a file that is not rewritten", done.stderr)
            self.assertIn("target_cpu_sources", done.stderr)


class Kept(unittest.TestCase):
    def test_every_line_stays_on_its_line(self):
        source = (
            INCLUDES
            + """
__global__ void k(int* p) {
    __shared__
        int s
            [4];
    s[0] = 1;
    *p = s[0];
}

void f(int* p) {
    k
        <<<
            1,
            2
        >>>
        (
            p
        );
    static_assert(__LINE__ == 20, "the launch moved this line");
}
static_assert(__LINE__ == 22, "");
"""
        )
        with tempfile.TemporaryDirectory() as temporary:
            folder = Folder(temporary, {"main.cu": source})
            self.assertEqual(folder.rewrite().returncode, 0)
            done = folder.compile()
            self.assertEqual(done.returncode, 0, done.stderr)
            # One line more: the #line at the top.
            self.assertEqual(folder.output.read_text().count("\n"), source.count("\n") + 1)

    def test_included_files_are_rewritten_and_listed_as_dependencies(self):
        files = {
            "main.cu": INCLUDES + '#include "parts/kernels.cuh"\n#include "plain.hpp"\n'
            "void f(int* p) { launch(p, kPlain); }\n",
            "parts/kernels.cuh": '#pragma once\n#include "../plain.hpp"\n'
            "__global__ void k(int* p, int n) { *p = n; }\n"
            "inline void launch(int* p, int n) { k<<<1, 1>>>(p, n); }\n",
            "plain.hpp": "#pragma once\nconstexpr int kPlain = 3;\n",
        }
        with tempfile.TemporaryDirectory() as temporary:
            folder = Folder(temporary, files)
            self.assertEqual(folder.rewrite().returncode, 0)
            done = folder.compile()
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertTrue((folder.copies / "parts" / "kernels.cuh").exists())
            self.assertFalse((folder.copies / "plain.hpp").exists())
            depends = folder.depfile.read_text()
            for name in files:
                self.assertIn(name, depends)

    def test_text_that_only_looks_like_a_launch(self):
        source = (
            INCLUDES
            + """
// k<<<1, 2>>>; __shared__ int s[4] asm(
/* k<<<1, 2>>>
   __shared__ */
const char* a = "k<<<1, 2>>>(x); __shared__ int s[4]; \\" <<<";
const char* b = R"x(k<<<1, 2>>>(x) " __shared__ int s;)x";
const char c = '"', d = '\\'';
const int shift = 1 << 3 << 2, million = 1'000'000;
"""
        )
        with tempfile.TemporaryDirectory() as temporary:
            folder = Folder(temporary, {"main.cu": source})
            self.assertEqual(folder.rewrite().returncode, 0)
            self.assertEqual(folder.output.read_text().split("\n", 1)[1], source)
            done = folder.compile()
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_launch_in_a_macro(self):
        source = (
            INCLUDES
            + """
__global__ void k(int* p, int n) { *p = n; }
#define LAUNCH(kernel, ...) \\
    kernel<<<1, 1>>>        \\
        (__VA_ARGS__)
void f(int* p) { LAUNCH(k, p, 3); }
static_assert(__LINE__ == 8, "");
"""
        )
        with tempfile.TemporaryDirectory() as temporary:
            folder = Folder(temporary, {"main.cu": source})
            self.assertEqual(folder.rewrite().returncode, 0)
            done = folder.compile()
            self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--translate", required=True)
    parser.add_argument("--compiler", required=True)
    parser.add_argument("--include", required=True)
    SETTINGS, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0]] + rest)
