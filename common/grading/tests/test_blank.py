"""Cutting files at their blank, and merging."""

import unittest
from pathlib import Path

import support
from grading.files import blank
from grading.grading_error import GradingError

OFFICIAL = "a\n// TODO (about 2 lines): do it\nHOLE\n// END\nc\n"


class Cut(unittest.TestCase):
    def test_parts(self):
        parts = blank.cut(OFFICIAL, "f.cu")
        self.assertEqual(parts.before, ["a", "// TODO (about 2 lines): do it"])
        self.assertEqual(parts.blank, ["HOLE"])
        self.assertEqual(parts.after, ["// END", "c"])
        self.assertEqual((parts.blank_line, parts.end_line), (3, 4))

    def test_carriage_returns_and_byte_order_mark_are_no_change(self):
        self.assertEqual(blank.cut("\ufeff" + OFFICIAL.replace("\n", "\r\n"), "f"), blank.cut(OFFICIAL, "f"))
        # Otherwise what follows it would be a comment here, and code for a reader that takes it for the end of a line.
        self.assertEqual(blank.lines_of("// a\rasm();\n"), ["// a", "asm();"])

    def test_an_empty_blank(self):
        self.assertEqual(blank.cut("// TODO (about 1 line): x\n// END\n", "f").blank, [])

    def test_markers_that_are_missing_or_double(self):
        for text, said in (
            ("a\n", "there must be one marker '// TODO"),
            (OFFICIAL.replace("// END", ""), "the marker '// END' below line 2 is missing"),
            (OFFICIAL + OFFICIAL, "there is 2, in the lines 2, 7"),
            (OFFICIAL + "// END\n", "there are 2, in the lines 4, 6"),
            ("// END\n// TODO (about 1 line)\n", "below line 2 is missing"),
            ("", "there must be one marker"),
        ):
            with self.assertRaises(GradingError) as raised:
                blank.cut(text, "f.cu")
            self.assertIn(said, str(raised.exception))
            self.assertTrue(str(raised.exception).startswith("f.cu: "))


class Changed(unittest.TestCase):
    def changed(self, text):
        return blank.changed_line(blank.cut(text, "f"), blank.cut(OFFICIAL, "f"))

    def test_only_the_blank(self):
        self.assertIsNone(self.changed(OFFICIAL.replace("HOLE", "x\ny\nz")))

    def test_spaces_at_the_end_of_lines_and_of_the_file_do_not_count(self):
        self.assertIsNone(self.changed(OFFICIAL.replace("a\n", "a  \n") + "\n\n"))

    def test_lines_before_and_after(self):
        self.assertEqual(self.changed(OFFICIAL.replace("a\n", "x\n")), 1)
        self.assertEqual(self.changed("x\n" + OFFICIAL), 1)
        self.assertEqual(self.changed(OFFICIAL.replace("HOLE\n", "b\nb\n").replace("c", "x")), 6)
        self.assertEqual(self.changed(OFFICIAL + "more\n"), 6)
        self.assertEqual(self.changed(OFFICIAL.replace("c\n", "")), 4)


class TakenAlong(unittest.TestCase):
    """Headers that a learner includes next to the file's own."""

    official = blank.cut(
        "// t\n#include <a.h>\n\nint f() {\n    // TODO (about 2 lines): do\n    x;\n    // END\n}\n", "f"
    )

    def merged(self, text):
        mine = blank.cut(text, "f.cu")
        return mine, blank.merge(self.official, mine.blank, mine, "/me/f.cu", Path("/nowhere"), ()).text

    def test_headers_and_a_short_name_come_to_the_top(self):
        mine, merged = self.merged(
            "// t\n#include <a.h>\n#include <cooperative_groups.h>\nnamespace cg = cooperative_groups;\n\nint f() {\n"
            "    // TODO (about 2 lines): do\n    #include <numeric>\n    y;\n    // END\n}\n"
        )
        code = [line.strip() for line in merged.split("\n") if line.strip() and not line.startswith("#line")]
        self.assertEqual(
            code[1:6],
            [
                "#include <a.h>",
                "#include <cooperative_groups.h>",
                "#include <numeric>",
                "namespace cg = cooperative_groups;",
                "int f() {",
            ],
        )
        self.assertNotIn("#include <numeric>", code[6:])
        self.assertIn('#line 8 "/me/f.cu"\n\n    y;', merged, "the blank's other lines stay where they are")
        self.assertIsNone(blank.changed_line(mine, self.official))
        self.assertEqual(len(blank.what_counts(mine, self.official)), 4)

    def test_nothing_else_is_taken(self):
        for line in ("#include <unistd.h>", '#include "cuda_runtime.h"', "namespace g = grading;", "int helper();"):
            mine, merged = self.merged(
                f"// t\n#include <a.h>\n{line}\n\nint f() {{\n    // TODO (about 2 lines): do\n    y;\n    // END\n}}\n"
            )
            self.assertNotIn(line, merged)
            self.assertEqual(blank.changed_line(mine, self.official), 3, line)


class Merge(unittest.TestCase):
    def merged(self, text, folder=Path("/nowhere")):
        return blank.merge(
            blank.cut(OFFICIAL, "f"), blank.cut(text, "f").blank, blank.cut(text, "f"), "/me/f.cu", folder, ()
        ).text

    def line_of(self, merged, wanted):
        """The number that a compiler gives to a line."""
        number = 0
        for line in merged.split("\n"):
            if line.startswith("#line"):
                self.assertTrue(line.endswith(' "/me/f.cu"'))
                number = int(line.split()[1])
                continue
            if line == wanted:
                return number
            number += 1
        raise AssertionError(wanted)

    def test_only_the_blank_is_taken(self):
        merged = self.merged("evil\n// TODO (about 2 lines): other\nmine\n// END\nworse\n")
        self.assertIn("mine", merged)
        self.assertNotIn("evil", merged)
        self.assertNotIn("worse", merged)
        self.assertIn("// TODO (about 2 lines): do it", merged)

    def test_lines_are_the_learners(self):
        text = OFFICIAL.replace("HOLE", "x\ny\nz")
        merged = self.merged(text)
        for number, line in enumerate(text.split("\n")[:-1], 1):
            self.assertEqual(self.line_of(merged, line), number)

    def test_lines_are_the_learners_where_something_was_put_before_the_blank(self):
        merged = self.merged("new\nnew\n" + OFFICIAL)
        self.assertEqual(self.line_of(merged, "a"), 3)
        self.assertEqual(self.line_of(merged, "HOLE"), 5)
        self.assertEqual(self.line_of(merged, "c"), 7)

    def test_a_blank_that_ends_in_a_backslash_does_not_swallow_the_line_directive(self):
        merged = self.merged(OFFICIAL.replace("HOLE", "HOLE \\"))
        self.assertIn("HOLE \\\n\n#line 4", merged)

    def test_a_name_with_quotes(self):
        parts = blank.cut(OFFICIAL, "f")
        merged = blank.merge(parts, parts.blank, parts, '/a "b"/c\\d.cu', Path("/nowhere"), ()).text
        self.assertIn('#line 3 "/a \\"b\\"/c\\\\d.cu"\nHOLE', merged)

    def test_includes_next_to_the_file_are_found(self):
        exercise = support.small_tutorial(self)
        official = exercise.official
        lines = ['#include "none.hpp"', '#include "../../../../../../../etc/passwd"', f'#include "{"x" * 300}.hpp"']
        merged = blank.merge(official, lines, official, "/me/f.cu", exercise.learner.parent, exercise.headers).text
        self.assertIn(f'#include "{exercise.root}/common/harness/cuda_check.hpp"', merged)
        for line in lines:  # nothing else on this computer is searched for
            self.assertIn(line, merged)

    def test_a_blank_is_of_a_size_that_somebody_writes(self):
        for text in ("x\n" * 2001, "x" * 65_537):
            with self.assertRaisesRegex(GradingError, "the blank has .* at most 2000 lines"):
                blank.cut(OFFICIAL.replace("HOLE", text), "f")
        blank.cut(OFFICIAL.replace("HOLE", "x\n" * 1998), "f")


if __name__ == "__main__":
    unittest.main()
