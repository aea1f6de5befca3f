"""What a blank may not hold: hostile pieces are rejected, and what learners write is not."""

import re
import unittest
from pathlib import Path

import adversarial
import support
from grading.files import blank, exercise as exercises
from grading.rules import forbidden


class Forbidden(unittest.TestCase):
    def setUp(self):
        self.exercise = next(e for e in exercises.find() if e.id == "ch05/ex5")

    def said(self, text):
        return self.examined(self.exercise, text.split("\n"))

    def examined(self, exercise, lines):
        """What is reported about a blank that begins in line 10, merged first, as an attempt is."""
        shown = blank.Parts([""] * 9, lines, exercise.official.after)
        merged = blank.merge(exercise.official, lines, shown, "/f.cu", exercise.learner.parent, exercise.headers)
        for number, piece in merged.pieces:  # what is checked is part of what is compiled, at its own line
            self.assertIn("\n".join([f'#line {number} "/f.cu"', *piece, ""]), merged.text)
        return forbidden.examine(exercise, merged, "f.cu")[1]

    def test_every_hostile_piece(self):
        right = "\n".join(self.exercise.official.blank)
        begins = re.search(r"void bitonic_sort\([^)]*\) \{\n", right).end()
        made = adversarial.blanks(right, begins)
        self.assertGreaterEqual(len(made), 120)
        # Their tokens are harmless: they are rejected because of the names in their object files.
        by_names = ("calls_", "unseen_reads_and_writes_", "pipes_", "variables_that_stay_")
        missed = [name for name, text in made.items() if not self.said(text) and not name.startswith(by_names)]
        self.assertEqual(missed, ["c_functions_7"])

    def test_what_learners_write(self):
        for exercise in exercises.find():
            blanks = [exercise.official.blank, exercise.notes.blank, *(wrong.blank for wrong in exercise.notes.wrong)]
            for lines in blanks:
                self.assertEqual(self.examined(exercise, lines), "", exercise.id)
        for text in (
            "using namespace std;\nnamespace { int a[2] = {1, 2}; }\nnamespace mine { int b; }",
            "#include <vector>\n#include <cuda_runtime.h>\n#pragma unroll 4\nstd::vector<int> all;",
            '#include "../../common/harness/cuda_check.hpp"',
            'const char* a = "}{ __attribute__ asm";  // } asm\n/* extern "C" { */',
            "extern __shared__ float tile[];\nextern __shared__ int more[];",
            "#ifdef MINE\nint a() { return 1; }\n#else\nint a() { return 2; }\n#endif",
            "#define SQUARE(x) \\\n    ((x) * (x))\nint b = SQUARE(3);",
            "int c = a[b[0]];\n[[maybe_unused]] int d = 1'000'000;",
            "int e = __popc(__ballot_sync(~0u, true)) + __ldg(&e) + __fmaf_rn(1, 2, 3);",
            "struct Lab { int emulator, grading; };\nLab lab; int f = lab.emulator;",
        ):
            self.assertEqual(self.said(text), "")

    def test_the_line_is_the_learners(self):
        self.assertEqual(self.said('int a;\n\\\n\nasm("");'), "f.cu:13: 'asm' is not allowed here")
        self.assertEqual("f.cu:11: error: this } closes no { of the blank", self.said("{ }\n}"))

    def test_a_forgotten_brace_is_named_by_its_line(self):
        for line, text in (
            (11, "for (;;) {\n    if (x) {\n        y();\n    z();\n}"),
            (10, "for (;;) {\n    if (x) {\n        y();\n    }\n    z();"),
            (12, "if (a) {\n    b();\n} else {\n    c();"),
            (11, "if (a) { b(); }\nif (c) { d();"),
            (11, "{\n  {\n  // }\n}"),
            (10, "{ {"),
            (14, "void a() {\n#if X\n    b();\n#else\n    {\n#endif\n}"),
        ):
            self.assertRegex(self.said(text), rf"^f\.cu:{line}: error: this {{ has no }}|#if", text)

    def test_no_line_is_taken_out_that_belongs_to_another(self):
        self.assertEqual(
            self.said("int a;\n#include <vector> // \\\nint b;"),
            "f.cu:11: an #include line ends in a backslash: that is not allowed here",
        )
        # Within a comment or a multi-line macro, an #include is part of that comment or macro.
        for text in (
            "/*\n#include <vector>\n*/ asm();",
            "#define A \\\n#include <vector>\nasm();",
            "// \\\n#include <vector>\nasm();",
        ):
            self.assertIn("'asm' is not allowed", self.said(text), text)

    def test_lines_above_the_blank_are_examined_as_well(self):
        official = self.exercise.official
        for line in ("#include <numeric> // \\", "namespace cg = cooperative_groups; // \\", "#include <numeric>\\"):
            shown = blank.Parts([line, "int a;", *official.before], official.blank, official.after)
            merged = blank.merge(official, shown.blank, shown, "/f.cu", Path("/nowhere"), ())
            self.assertNotIn(line, merged.text)
            self.assertEqual(blank.changed_line(shown, official), 1)

    def test_headers_are_refused_in_words_that_say_which_are_not(self):
        self.assertIn("print with printf, of <cstdio>", self.said("#include <iostream>"))
        self.assertIn("<algorithm>", self.said("#include <thread>"))


if __name__ == "__main__":
    unittest.main()
