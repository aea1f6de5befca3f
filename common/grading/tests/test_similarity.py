"""Which answers are alike: disguises of one answer, honest ones, and a ring that is most of a class."""

import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from dataclasses import replace
from pathlib import Path

import paths  # puts the tool's folder on the path
from grading.check.build import Backend
from grading.course import compiled, similarity
from grading.course.classroom import Classroom, Verdicts
from grading.files.exercise import Exercise, ROOT
from grading.process import limited_process

CODE = "for (unsigned i = threadIdx.x; i < n; i += blockDim.x) { float x = items[i]; sum += x * x; count += 1; }"
SOLUTION = """\
// Exercise 1.1: squares
#include <cuda_runtime.h>
__global__ void squares_kernel(const float* d_items, unsigned n, float* d_sums) {
    __shared__ float part[1024];
    // TODO (about 9 lines): add up the squares.
    d_sums[blockIdx.x] = part[0] + d_items[n - 1];
    // END
}
void squares(const float* d_items, unsigned n, float* d_sums) { squares_kernel<<<8, 128>>>(d_items, n, d_sums); }
"""
NOTES = (paths.COMMON / "grading/tests/support.py").read_text(encoding="utf-8").partition('NOTES = """\\\n')[2]
TREE = """
    float sum = 0;
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        sum += d_items[i] * d_items[i];
    }
    part[threadIdx.x] = sum;
    __syncthreads();
    for (unsigned step = blockDim.x / 2; step > 0; step /= 2) {
        if (threadIdx.x < step) part[threadIdx.x] += part[threadIdx.x + step];
        __syncthreads();
    }
    if (threadIdx.x == 0) d_sums[blockIdx.x] = part[0];"""
DISGUISES = {
    "names and const": TREE.replace("unsigned i", "int k")
    .replace("[i]", "[k]")
    .replace("i < n; i", "k < n; k")
    .replace("sum", "total")
    .replace("d_totals", "d_sums"),
    "while": TREE.replace(
        "for (unsigned step = blockDim.x / 2; step > 0; step /= 2) {",
        "unsigned s = blockDim.x / 2; while (s > 0) {",
    )
    .replace("< step", "< s")
    .replace("+ step]", "+ s]")
    .replace("__syncthreads();\n        }", "__syncthreads(); s /= 2;\n        }"),
    "junk": TREE.replace("float sum = 0;", "float sum = 0; int unused = 7; unused = unused * 3; (void)unused;").replace(
        "part[threadIdx.x] = sum;", "float other = sum; other = other + 0; part[threadIdx.x] = sum;"
    ),
    "operands": TREE.replace("blockIdx.x * blockDim.x + threadIdx.x", "threadIdx.x + blockDim.x * blockIdx.x")
    .replace("i < n", "n > i")
    .replace("threadIdx.x + step", "step + threadIdx.x")
    .replace("step > 0", "0 < step")
    .replace("threadIdx.x == 0", "0 == threadIdx.x"),
    "negated, with swapped branches": TREE.replace(
        "if (threadIdx.x < step) part[threadIdx.x] += part[threadIdx.x + step];",
        "if (!(threadIdx.x < step)) { } else { part[threadIdx.x] += part[threadIdx.x + step]; }",
    ).replace("if (threadIdx.x == 0) d_sums", "if (threadIdx.x != 0) return;\n d_sums"),
    "casts and parentheses": TREE.replace(
        "blockIdx.x * blockDim.x + threadIdx.x",
        "(static_cast<unsigned>((blockIdx.x) * (blockDim.x)) + (unsigned)(threadIdx.x))",
    ).replace("d_items[i] * d_items[i]", "((float)(d_items[i]) * static_cast<float>(d_items[i]))"),
    "pointers": re.sub(r"(\w+)\[([^\]]*)\]", r"*(\1 + (\2))", TREE),
    "macros": "#define ME threadIdx.x\n#define SQUARE(x) ((x) * (x))\n#define PART(j) part[j]\n"
    + TREE.replace("threadIdx.x", "ME")
    .replace("d_items[i] * d_items[i]", "SQUARE(d_items[i])")
    .replace("part[ME] += part[ME + step]", "PART(ME) += PART(ME + step)"),
    "lambdas": TREE.replace(
        "sum += d_items[i] * d_items[i];",
        "auto square = [&](unsigned k) { return d_items[k] * d_items[k]; }; sum += square(i);",
    ).replace(
        "if (threadIdx.x < step) part[threadIdx.x] += part[threadIdx.x + step];",
        "auto join = [&](unsigned to, unsigned from) { part[to] += part[from]; };\n"
        "if (threadIdx.x < step) join(threadIdx.x, threadIdx.x + step);",
    ),
    "temporaries": TREE.replace(
        "sum += d_items[i] * d_items[i];",
        "const float item = d_items[i]; const float both = item * item; const float next = sum + both; sum = next;",
    ).replace(
        "part[threadIdx.x] += part[threadIdx.x + step];",
        "{ const unsigned me = threadIdx.x; const unsigned other = me + step; const float left = part[me];"
        " const float right = part[other]; part[me] = left + right; }",
    ),
    "helpers": TREE.replace(
        "unsigned step",
        "struct Pair { float a, b; float sum() const { return a + b; } };\n" "        for (unsigned step",
        1,
    )
    .replace("for (struct", "struct")
    .replace(
        "part[threadIdx.x] += part[threadIdx.x + step]",
        "part[threadIdx.x] = Pair{part[threadIdx.x], part[threadIdx.x + step]}.sum()",
    ),
    "all at once": "#define ME threadIdx.x\n"
    + re.sub(r"(\w+)\[([^\]]*)\]", r"*(\1 + static_cast<unsigned>(\2))", TREE.replace("threadIdx.x", "ME")).replace(
        "if (ME < step)", "if (ME >= step) { } else"
    ),
}
HONEST = {
    "shuffles": """
    float mine = 0;
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        mine += d_items[i] * d_items[i];
    }
    for (int lanes = 16; lanes > 0; lanes /= 2) mine += __shfl_down_sync(0xffffffff, mine, lanes);
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = mine;
    __syncthreads();
    if (threadIdx.x < 32) {
        mine = threadIdx.x < blockDim.x / 32 ? part[threadIdx.x] : 0;
        for (int lanes = 16; lanes > 0; lanes /= 2) mine += __shfl_down_sync(0xffffffff, mine, lanes);
        if (threadIdx.x == 0) d_sums[blockIdx.x] = mine;
    }""",
    "one thread adds": """
    const unsigned stride = gridDim.x * blockDim.x;
    unsigned at = threadIdx.x + blockIdx.x * blockDim.x;
    float squares = 0;
    while (at < n) {
        const float item = d_items[at];
        squares = fmaf(item, item, squares);
        at += stride;
    }
    part[threadIdx.x] = squares;
    __syncthreads();
    if (threadIdx.x != 0) return;
    float all = 0;
    for (unsigned thread = 0; thread < blockDim.x; ++thread) all += part[thread];
    d_sums[blockIdx.x] = all;""",
    "an interleaved tree": """
    const unsigned me = threadIdx.x;
    part[me] = 0;
    for (unsigned i = blockIdx.x * blockDim.x + me; i < n; i += gridDim.x * blockDim.x) {
        const float x = d_items[i];
        part[me] += x * x;
    }
    for (unsigned width = 1; width < blockDim.x; width *= 2) {
        __syncthreads();
        const unsigned left = 2 * width * me;
        if (left + width < blockDim.x) part[left] += part[left + width];
    }
    __syncthreads();
    if (me == 0) d_sums[blockIdx.x] = part[0];""",
}


def is_gcc() -> bool:
    found = shutil.which("g++")
    said = subprocess.run([found, "--version"], capture_output=True, text=True).stdout if found else ""
    return "Free Software Foundation" in said


class Texts(unittest.TestCase):
    def found(self, **blanks: str) -> list[tuple[float, tuple[str, ...]]]:
        by_student = {name: [text] for name, text in blanks.items()}
        found = similarity.find({"ch04/ex3": by_student}, {"ch04/ex3": ["return;"]}, {})
        return [(one.share, one.students) for one in found]

    def test_names_spacing_and_comments_do_not_count(self):
        other = CODE.replace("sum", "total").replace("x", "value").replace(" ", "  ") + "  // mine"
        other = other.replace("threadIdvalue", "threadIdx").replace(".value", ".x")
        self.assertEqual(self.found(ada=CODE, bob=other.replace("n;", "n ;")), [(1.0, ("ada", "bob"))])

    def test_another_call_is_another_answer(self):
        self.assertEqual(self.found(ada=CODE + "__syncwarp();", bob=CODE + "__syncthreads();"), [])

    def test_short_ones_say_nothing(self):
        self.assertEqual(self.found(ada="if (i < n) x[i] = 1;", bob="if (i < n) x[i] = 1;"), [])

    def test_it_says_how_sure(self):
        words = [similarity.Alike("", share, ()).words for share in (1.0, 0.999, 0.85)]
        self.assertEqual(words, ["equal", "99% (very likely one answer)", "85% (likely one answer)"])
        self.assertIn("more than half the class", similarity.Alike("", 0.99, (), is_most=True).words)

    def test_the_solution_is_named(self):
        blanks = {"ch04/ex3": {"ada": [CODE]}}
        self.assertEqual(similarity.find(blanks, {"ch04/ex3": [CODE]}, {})[0].students, ("ada", "the solution"))


@unittest.skipUnless(is_gcc(), "g++ is not GCC, or not there")
class Compiled(unittest.TestCase):
    folder: Path
    exercise: Exercise
    backend: Backend
    texts: dict[str, list[str]]
    made: dict[str, list[compiled.Statement]]

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name).resolve()
        for name in ("exercises", "solutions", "grading"):
            (cls.folder / "ch01_small" / name).mkdir(parents=True)
        cls.exercise = Exercise(cls.folder, "ch01_small", "ex1_squares")
        cls.exercise.solution.write_text(SOLUTION, encoding="utf-8")
        cls.exercise.notes_file.write_text(NOTES.partition('"""')[0].replace("return x;", ""), encoding="utf-8")
        # All begin with the emulator's header: the compiler reads it once.
        include, header = ROOT / "common/emulator/include", cls.folder / "cuda_runtime.h"
        header.write_text(f'#include "{include}/cuda_runtime.h"\n', encoding="utf-8")
        options = ["-std=c++17", f"-I{cls.folder}", f"-I{include}"]
        command = ["g++", *options, "-w", "-O1", "-x", "c++-header", header, "-o", f"{header}.gch"]
        subprocess.run(command, check=True)
        rewriter = [sys.executable, str(ROOT / "common/emulator/translate.py")]
        cls.backend = Backend("lab", ROOT, "g++", options, rewriter, [], {})
        texts = {**{f"disguise {how}": t for how, t in DISGUISES.items()}, **HONEST, "the tree": TREE}
        cls.texts = {name: text.split("\n") for name, text in texts.items()}
        cls.made = cls.statements(cls.texts)

    @classmethod
    def statements(cls, texts: dict[str, list[str]]) -> dict[str, list[compiled.Statement]]:
        with tempfile.TemporaryDirectory() as folder:
            limits = limited_process.Limits(seconds=60)
            runners = {("lab", cls.exercise.id): limited_process.run}
            room = Classroom([cls.backend], runners, limits, Path(folder), Verdicts(Path(folder, "none")), 2)
            official = cls.exercise.official
            room.tried = {cls.exercise.id: {name: replace(official, blank=lines) for name, lines in texts.items()}}
            return room.statements([cls.exercise])[cls.exercise.id]

    def alike(self, *students: str) -> list[tuple[str, ...]]:
        texts = {name: self.texts[name] for name in students}
        found = similarity.find({"ch01/ex1": texts}, {}, {"ch01/ex1": {name: self.made[name] for name in students}})
        return [one.students for one in found]

    def test_disguises_are_seen(self):
        for how in DISGUISES:
            with self.subTest(how):
                self.assertTrue(self.made[f"disguise {how}"], "it does not compile")
                self.assertEqual(self.alike("the tree", f"disguise {how}"), [(f"disguise {how}", "the tree")])

    def test_honest_ones_are_not(self):
        for how in HONEST:
            with self.subTest(how):
                self.assertTrue(self.made[how], "it does not compile")
                self.assertEqual(self.alike("the tree", how), [])
        self.assertEqual(self.alike("the tree", *HONEST), [])

    def test_a_ring_of_more_than_half_of_a_class(self):
        ring = ["the tree", *(f"disguise {how}" for how in DISGUISES)]
        found = self.alike(*ring, *HONEST)
        self.assertEqual(found, [tuple(sorted(ring))])
        blanks = {"ch01/ex1": {name: self.texts[name] for name in (*ring, *HONEST)}}
        self.assertTrue(similarity.find(blanks, {}, {"ch01/ex1": self.made})[0].is_most)
        same = {"ch01/ex1": {name: [CODE] for name in "abcdef"} | {"g": [CODE * 2]}}
        self.assertTrue(similarity.find(same, {}, {})[0].words.startswith("equal; more than half the class"))

    def test_what_does_not_compile_is_compared_with_nothing(self):
        broken = self.statements({"ada": ["int i = ;" * 20], "the tree": self.texts["the tree"]})
        self.assertEqual(broken["ada"], [])
        blanks = {"ch01/ex1": {"ada": ["int i = ;" * 20], "the tree": self.texts["the tree"]}}
        self.assertEqual(similarity.find(blanks, {}, {"ch01/ex1": broken}), [])


if __name__ == "__main__":
    unittest.main()
