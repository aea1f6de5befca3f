#!/usr/bin/env python3
"""What translate.py and the compiler must reject, with the words and the line that name it; and
what a rewritten file must keep: its lines, its includes, its dependencies.

    translate_errors_test.py --compiler COMPILER
"""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

sys.dont_write_bytecode = True
EMULATOR = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(EMULATOR))
import translate  # noqa: E402

SETTINGS = None
INCLUDE = EMULATOR / "include"
INCLUDES = "#include <cuda_runtime.h>\n"

# (what, source, line, words): refused by translate.py.
REFUSED_BY_REWRITER = [
    ("a launch without arguments", "void f() {\n    k<<<1, 2>>>;\n}\n", 2, "a launch without its (arguments)"),
    ("a launch that is not closed", "void f() {\n\n    k<<<1, 2(x);\n}\n", 3, "<<< without its >>>"),
    ("an empty configuration", "void f() { k<<<>>>(1); }\n", 1, "<<<>>> without grid and block"),
    ("no kernel", "void f() { <<<1, 2>>>(1); }\n", 1, "<<< without a kernel before it"),
    ("no semicolon", "void f() {\n    __shared__ int s[4]\n}\n", 2, "__shared__ without a ; after the declaration"),
    (
        "an initialiser",
        "void f() {\n    __shared__ int s = 4;\n}\n",
        2,
        "a __shared__ variable cannot have an initial value",
    ),
    ("no extent", "void f() {\n    __shared__ int s[];\n}\n", 2, "s[] has no extent"),
    (
        "extern with an extent",
        "void f() {\n    extern __shared__ int s[4];\n}\n",
        2,
        "extern __shared__ s must be an array without extent",
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
    (
        "a variable of the host in a kernel",
        "int host;\n__global__ void k(int* p) {\n    *p = host;\n}\n",
        3,
        "host is a variable of the host, and kernel k cannot use it",
    ),
    (
        "the address of a variable of the host among a call's arguments",
        "int host;\n__global__ void k() {\n    atomicAdd(&host, 1);\n}\n",
        3,
        "host is a variable of the host, and kernel k cannot use it",
    ),
    (
        "a device function among the arguments of the host's call",
        '__device__ int f(int x) { return x; }\nint main() {\n    printf("%d", f(3));\n}\n',
        3,
        "main, a function of the host, calls f, which is __device__ only",
    ),
    (
        "an exception in a kernel",
        "__global__ void k(int* p) {\n    if (!p) throw 3;\n}\n",
        2,
        "kernel k has a throw: there are no exceptions on a device",
    ),
    (
        "__global__ forgotten",
        "void k(int* p) { *p = 1; }\nint main() {\n    k<<<1, 32>>>(nullptr);\n}\n",
        3,
        "k is launched, but it is not a kernel: it needs __global__",
    ),
    (
        "a kernel in a class",
        "struct S {\n    int n;\n    __global__ void k(int* p) const { *p = n; }\n};\n",
        3,
        "kernel k is a member function",
    ),
    (
        "std::sort in a kernel",
        "__global__ void k(int* p) {\n    std::sort(p, p + 4);\n}\n",
        2,
        "which only the host has",
    ),
    (
        "std::cout in a kernel",
        "__global__ void k() {\n    std::cout << 1;\n}\n",
        2,
        "std::cout, which only the host has",
    ),
    ("rand in a kernel", "__global__ void k(int* p) { *p = rand(); }\n", 1, "rand(), which only the host has"),
    (
        "a function of CUDA's host side in a kernel",
        "__global__ void k(int* p) {\n    cudaFuncSetAttribute(k, attribute, *p);\n}\n",
        2,
        "kernel k calls cudaFuncSetAttribute(), which only the host has",
    ),
    (
        "a function of CUDA's host side in a function of the device",
        "__device__ void f(int* p) {\n    cudaMemcpy(p, p + 1, 4, cudaMemcpyDefault);\n}\n",
        2,
        "__device__ function f calls cudaMemcpy(), which only the host has",
    ),
    (
        "a function of the host in a kernel",
        "int f(int x) { return x; }\n__global__ void k(int* p) { *p = f(1); }\n",
        2,
        "kernel k calls f, a function of the host: it needs __device__",
    ),
    (
        "a kernel that returns a value",
        "\n__global__ int k() { return 1; }\n",
        2,
        "a __global__ function must return void",
    ),
    (
        "a kernel that is called",
        "__global__ void k(int* p) {}\nint main() {\n    k(nullptr);\n}\n",
        3,
        "launch it as k<<<grid, block>>>(...)",
    ),
    (
        "a function of the device on the host",
        "__device__ int f(int x) { return x; }\nint main() { return f(1); }\n",
        2,
        "main, a function of the host, calls f, which is __device__ only",
    ),
    (
        "a variable of the device on the host",
        "__device__ int d;\nint main() { d = 1; }\n",
        2,
        "writes d, a variable of the device: cudaMemcpyToSymbol",
    ),
    (
        "a macro over a name that a launch becomes",
        "__global__ void k(int* p) {\n#define configure(grid, block) configure(1, 1)\n}\n"
        "void f(int* p) { k<<<2, 64>>>(p); }\n",
        2,
        "the macro configure has a name that the emulator uses",
    ),
    (
        "the same in two lines, and the name once more",
        "int launcher;\n#def\\\nine launcher(...) f()\n__global__ void k() {}\nvoid f() { k<<<2, 64>>>(); }\n",
        1,
        "the macro launcher has a name that the emulator uses",
    ),
    (
        "a macro over the first statement of a kernel",
        "#define kernel_begins() in_kernel(\n__global__ void k() {}\n",
        1,
        "the macro kernel_begins has",
    ),
    (
        "a macro over what a shared array becomes",
        "#define tile_shared x\n__global__ void k() { __shared__ int tile[4]; }\n",
        1,
        "the macro tile_shared has",
    ),
    ("an unknown attribute", "void f() { __shared__ __attribute__((weak)) int s[4]; }\n", 1, "unknown __attribute__"),
]

# (what, source, line, words): rewritten, then refused by the compiler. The words are in an error
# message about that line, or about any line if it is 0.
REFUSED_BY_COMPILER = [
    ("inline PTX", 'void f() {\n    asm("wgmma.fence;");\n}\n', 3, "inline PTX"),
    ("inline PTX, volatile", 'void f() {\n    asm volatile("wgmma.fence;" ::: "memory");\n}\n', 3, "inline PTX"),
    ("CUB", "#include <cub/cub.cuh>\n", 2, "<cub/cub.cuh> is for a GPU only"),
    (
        "cuBLAS that computes",
        "#include <cublas_v2.h>\nvoid f(cublasHandle_t h) {\n    cublasDestroy(h);\n    cublasSgemm(h);\n}\n",
        5,
        "cublasSgemm: cuBLAS is not on the emulator",
    ),
    ("libcu++", "#include <cuda/semaphore>\n", 2, "<cuda/semaphore> is for a GPU only"),
    ("tensor cores", "#include <mma.h>\n", 2, "<mma.h> is for a GPU only"),
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
    (
        "cuBLAS after a condition that is false",
        "#include <cublas_v2.h>\n#if 0\nint a = cublasDgemv(1);\n#endif\nint b = cublasDgemv(1);\n",
        6,
        "cublasDgemv: cuBLAS is not on the emulator",
    ),
    (
        "graphs, except those of a captured stream",
        "void f(cudaGraph_t g) {\n    cudaGraphDestroy(g);\n    cudaGraphAddKernelNode(g);\n}\n",
        4,
        "cudaGraphAddKernelNode: this part of CUDA graphs is not on the emulator",
    ),
    (
        "three-dimensional arrays",
        "void f() { cudaMalloc3DArray(0, 0, {}); }\n",
        2,
        "cudaMalloc3DArray: a three-dimensional array for textures",
    ),
    ("memory of the driver", "void f() { CUmemAllocationProp p; }\n", 2, "the driver API is not on the emulator"),
    ("memory pools", "void f() { cudaMemPool_t pool; }\n", 2, "a pool of device memory is not on the emulator"),
    ("a generator", "void f() { curandStateSobol32_t s; }\n", 2, "this generator (of cuRAND's there are XORWOW and"),
    ("another process", "void f() { cudaIpcMemHandle_t h; }\n", 2, "memory of another process is not on the emulator"),
    (
        "a hint for the L2 cache",
        "void f() {\n    cudaAccessPolicyWindow window;\n}\n",
        3,
        "cudaAccessPolicyWindow: an attribute of a stream, such as a hint for the L2 cache, is not on the emulator",
    ),
    (
        "atomic operations of nvcc",
        "void f(int* p) { __nv_atomic_load_n(p, __NV_ATOMIC_RELAXED); }\n",
        2,
        "nvcc's own atomic operation (use cuda::atomic_ref) is not on the emulator",
    ),
    (
        "a shuffle without _sync",
        "__global__ void k(int* p) {\n#if __CUDA_ARCH__ < 700\n    *p = __shfl(*p, 1);\n#endif\n"
        "    *p = __shfl_xor(*p, 1);\n}\n",
        6,
        "__shfl_xor was removed: it has been deprecated since CUDA 9",
    ),
    ("a vote without _sync", "__global__ void k(int* p) { *p = __any(*p); }\n", 2, "Use __any_sync"),
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

    def words(self):
        """The exit code and the output of translate.py."""
        words = [self.root / "main.cu", self.output, "--source-root", self.root, "--copies", self.copies]
        return [str(word) for word in [*words, "--depfile", self.depfile]]

    def rewrite(self):
        """What translate.py finds wrong; empty if the file is rewritten. Nobody else writes it, so it does not wait."""
        try:
            with mock.patch("time.sleep"):
                translate.main(self.words())
        except SystemExit as refused:
            return str(refused)
        return ""

    def compile(self):
        words = ["-std=c++17", "-fsyntax-only", "-x", "c++"]
        words += [f"-I{folder}" for folder in (SETTINGS.precompiled, INCLUDE, self.root)]
        return subprocess.run([SETTINGS.compiler, *words, str(self.output)], capture_output=True, text=True)


def setUpModule():
    """Each file begins with the emulator's header: g++ reads it once for all, clang++ each time."""
    folder = tempfile.TemporaryDirectory()
    unittest.addModuleCleanup(folder.cleanup)
    SETTINGS.precompiled = folder.name
    header = pathlib.Path(folder.name, "cuda_runtime.h")
    header.write_text(f'#include "{INCLUDE}/cuda_runtime.h"\n')
    words = ["-std=c++17", "-x", "c++-header", f"-I{INCLUDE}", str(header), "-o", f"{header}.gch"]
    subprocess.run([SETTINGS.compiler, *words], check=True)


class RewritingTest(unittest.TestCase):
    def folder(self, files, name=""):
        """The files in a new folder, or in one below it that is called `name`."""
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        return Folder(pathlib.Path(temporary.name) / name, files)

    def rewritten(self, *arguments):
        folder = self.folder(*arguments)
        self.assertEqual(folder.rewrite(), "")
        return folder

    def compiled(self, *arguments):
        """The folder of files that nothing refuses, and what the compiler says about them."""
        folder = self.rewritten(*arguments)
        done = folder.compile()
        self.assertEqual(done.returncode, 0, done.stderr)
        return folder, done.stderr

    def only_warning(self, source):
        _, said = self.compiled({"main.cu": source})
        warnings = [line for line in said.split("\n") if ": warning: " in line]
        self.assertEqual(len(warnings), 1, said)
        return warnings[0]


class Refused(RewritingTest):
    def test_by_the_rewriter(self):
        for what, source, line, words in REFUSED_BY_REWRITER:
            with self.subTest(what):
                folder = self.folder({"main.cu": source})
                said = folder.rewrite()
                self.assertIn(f"main.cu:{line}: error: ", said)
                self.assertIn(words, said)
                self.assertEqual(said.count("\n"), 0, said)
                self.assertFalse(folder.output.exists())

    def test_by_the_program(self):
        folder = self.folder({"main.cu": "void f() { k<<<>>>(1); }\n"})
        program = [sys.executable, "-B", str(EMULATOR / "translate.py"), *folder.words()]
        done = subprocess.run(program, capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (1, folder.rewrite() + "\n"))

    def test_by_the_compiler(self):
        for what, source, line, words in REFUSED_BY_COMPILER:
            with self.subTest(what):
                done = self.rewritten({"main.cu": INCLUDES + source}).compile()
                self.assertNotEqual(done.returncode, 0)
                errors = [text for text in done.stderr.split("\n") if "error" in text]
                place = f"main.cu:{line}:" if line else "main.cu"
                if line:
                    errors = [text for text in errors if place in text]
                else:
                    self.assertIn(place, done.stderr)
                self.assertTrue(any(words in text for text in errors), done.stderr)

    def test_shared_memory_in_a_file_that_is_not_rewritten(self):
        files = {
            "main.cu": INCLUDES + "#include <kernels.cuh>\n",
            "kernels.cuh": "__global__ void k() { __shared__ int s[4]; s[0] = 1; }\n",
        }
        done = self.rewritten(files).compile()
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("__shared__ in a file that is not rewritten", done.stderr)
        self.assertIn("target_cpu_sources", done.stderr)


# Correct code that looks like refused code.
RIGHT = """
#include <algorithm>
constexpr int square(int x) { return x * x; }
const int kSize = 4;
static constexpr int kMore = 5;
int total = 0, n = 3;
struct Pair {
    int total;
    __host__ __device__ int sum() const { return total + kMore; }
};
int scaled(int x) { return 3 * x; }
template <class T>
__device__ int doubled(const T& of_another_file) {
    return of_another_file.template scaled<2>();
}
template <class T>
__host__ __device__ T twice(T x) { return x + x; }
__device__ int twice_on_device(int x) { return twice(x); }
int scale(int x) { return 2 * x; }
__device__ int scale(int x, int y) { return x * y; }
__device__ int table[4];
#define DEVICE __device__
DEVICE int by_macro(int x) { return x; }
#define KERNEL __global__
KERNEL void kernel_by_macro(int* p) { *p = 1; }
__global__ void k(int* p, int n) {
    int total = n + kSize;
    Pair pair{total};
    auto rand = [](int x) { return x; };
    p[0] = square(total) + pair.total + pair.sum() + twice_on_device(1) + scale(1, 2) + rand(3) + by_macro(1);
    p[1] = std::min(p[0], table[0]);
}
int a, b;
__global__ void others_of_the_same_names(int* p) {
    for (int i = 0, a = 1; i < 2; ++i) p[i] = max(i, a);
    auto each = [&](int i) {
        int j = i, b = 2;
        p[i] = max(j, b);
    };
    each(2);
}
void launch(int* p) {
    int table[2] = {1, 2};
    table[0] = total + scale(n);
    k<<<1, 1>>>(p, table[0]);
    kernel_by_macro<<<1, 1>>>(p);
}
template <class F>
void launch_any(F f, int* p) {
    f<<<1, 1>>>(p);
}
"""


class Kept(RewritingTest):
    def test_right_code_is_not_refused(self):
        self.compiled({"main.cu": RIGHT})

    def test_a_launch_without_a_block_size_is_taken_and_said(self):
        source = (
            INCLUDES + "__global__ void k(int* p) {}\nvoid f(int* p) {\n    k<<<32>>>(p);\n    k<<<1, 2>>>(p);\n}\n"
        )
        self.assertRegex(
            self.only_warning(source), r"main\.cu:4:.*k<<<32>>>: without a block size each block has one thread"
        )

    def test_two_dynamic_arrays_are_named_as_one_memory(self):
        source = (
            INCLUDES + "__global__ void one() { extern __shared__ int a[]; a[0] = 1; }\n"
            "__global__ void two() {\n    extern __shared__ int counts[];\n"
            "    extern __shared__ float sums[];\n    counts[0] = 1;\n    sums[0] = 2;\n}\n"
        )
        self.assertRegex(self.only_warning(source), r"main\.cu:3:.*two: counts and sums begin at the same address")

    def test_odd_characters_in_paths(self):
        files = {"main.cu": '#include "a.cuh"\nint main() { k<<<1, 1>>>(); }\n', "a.cuh": "__global__ void k() {}\n"}
        for odd in ("it's", 'a "quote"', "two words", "a#b", "a$b"):
            with self.subTest(odd):
                folder, _ = self.compiled(files, odd)
                depends = folder.depfile.read_text()
                self.assertIn(odd.replace("$", "$$").replace("#", "\\#").replace(" ", "\\ "), depends)

    def test_a_byte_order_mark_is_skipped(self):
        folder = self.rewritten({"main.cu": "\ufeffint x;\n"})
        self.assertNotIn("\ufeff", folder.output.read_text())

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
        folder, _ = self.compiled({"main.cu": source})
        # Three more lines: #undef NDEBUG, #include <cuda_runtime.h> and #line at the top.
        self.assertEqual(folder.output.read_text().count("\n"), source.count("\n") + 3)

    def test_included_files_are_rewritten_and_listed_as_dependencies(self):
        files = {
            "main.cu": INCLUDES + '#include "parts/kernels.cuh"\n#include "plain.hpp"\n'
            "void f(int* p) { launch(p, kPlain); }\n",
            "parts/kernels.cuh": '#pragma once\n#include "../plain.hpp"\n'
            "__global__ void k(int* p, int n) { *p = n; }\n"
            "inline void launch(int* p, int n) { k<<<1, 1>>>(p, n); }\n",
            "plain.hpp": "#pragma once\nconstexpr int kPlain = 3;\n",
        }
        folder, _ = self.compiled(files)
        self.assertTrue((folder.copies / "parts" / "kernels.cuh").exists())
        self.assertFalse((folder.copies / "plain.hpp").exists())
        depends = folder.depfile.read_text()
        for name in files:
            self.assertIn(name, depends)
        # A copy that stays the same is not new to what was compiled with it; the output always is.
        copy = folder.copies / "parts" / "kernels.cuh"
        before = copy.stat().st_mtime_ns, folder.output.stat().st_mtime_ns
        folder.rewrite()
        self.assertEqual(copy.stat().st_mtime_ns, before[0])
        self.assertGreater(folder.output.stat().st_mtime_ns, before[1])
        header = folder.root / "parts" / "kernels.cuh"
        header.write_text(header.read_text() + "// more\n")
        folder.rewrite()
        self.assertIn("// more", copy.read_text())

    def test_shared_variables_of_an_included_file(self):
        self.compiled(
            {
                "main.cu": '#include "shared.h"\n#include "use.cuh"\n'
                "__global__ void k(float* p) { sums[0][threadIdx.x] = 1; *p = total(); }\n",
                "shared.h": "struct Params { int m; };\n__shared__ Params params[4];\n__shared__ float sums[4][32];\n",
                "use.cuh": "__device__ float total() {\n    float all = sums[0][1];\n    return all * params[0].m;\n}\n"
                "__global__ void own(float* p) { float sums = 2; *p = sums; }\n",
            }
        )

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
        folder, _ = self.compiled({"main.cu": source})
        self.assertEqual(folder.output.read_text().split("\n", 3)[3], source)

    def test_macros_of_a_programs_own(self):
        """Names that the emulator would use elsewhere, and names that the rewriting writes twice."""
        source = (
            INCLUDES + "#define configure(a) a\n#define KERNEL k<1>\n#define N_shared 4\n"
            "template <int n> __global__ void k(int* p) { __shared__ int s[N_shared]; s[0] = n; *p = s[0]; }\n"
            "struct S { void (*kernel_begins)(); };\n"
        )
        self.compiled({"main.cu": source})

    def test_every_name_that_is_put_in_is_known(self):
        from rewriting.names import GENERATED, is_put_in
        from rewriting.text import blank

        source = (
            "__shared__ int whole[4];\n__global__ void __launch_bounds__(64) k(int* p) {\n"
            "    extern __shared__ int a[];\n    __shared__ struct { int x; } b;\n"
            "    __shared__ alignas(16) int c[4][2], d;\n"
            '    unsigned u; asm("mov.u32 %0, %%laneid;" : "=r"(u)); whole[0] = u;\n'
            '    asm("bfe.u32 %0, %1, %2, %3;" : "=r"(u) : "r"(u), "r"(1), "r"(2));\n'
            "    int* h = (int*)malloc(4); free(h); int* g = new int;\n}\nextern __shared__ float e[];\n"
            "__host__ __device__ void f() {\n#ifdef __CUDA_ARCH__\n    g();\n#else\n    h();\n#endif\n}\n"
            "#if __CUDA_ARCH__ >= 700\n#endif\nvoid host(int* p) { k<<<1, 64>>>(p); }\n"
        )
        made = blank(translate.rewrite_text(source))
        keywords = set(
            "auto const constexpr decltype if else return sizeof alignof static struct template using".split()
        )
        attributes = {"maybe_unused"}
        new = set(re.findall(r"\b[A-Za-z]\w*", made)) - set(re.findall(r"\w+", source)) - keywords - attributes
        self.assertGreater(len(new), 20)
        unknown = [n for n in new if not GENERATED.fullmatch(n) and not is_put_in(n, "", made) and n != "CPU_CUDA_ARCH"]
        self.assertEqual(unknown, [])

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
        self.compiled({"main.cu": source})


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--compiler", required=True)
    SETTINGS, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0]] + rest)
