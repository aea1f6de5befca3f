"""C++ without comments and literals."""

import time
import unittest

import support
from grading.check import diagnostics
from grading.files import code_text


class CodeText(unittest.TestCase):
    def test_only_code_is_left(self):
        for text, left in (
            ("a // {\nb", "a  \nb"),
            ("a // {\\\n}\nb", "a  \n\nb"),
            ("a /* { \n { */ b", "a  \n b"),
            ("a /* {", "a  "),
            ('a "{\\"{" b', "a   b"),
            ("a '{' '\\'' b", "a     b"),
            ("a 1'000'000 b", "a 1'000'000 b"),
            ('a R"x({)" )x" b', "a   b"),
            ('a "{\nb', "a  \nb"),
            ("u8R = 1", "u8R = 1"),
            ("a 1_g'x \" b", "a 1_g'x  "),
            ("a 1e+'x' b", "a 1e+'x "),
            ('a u8R"(" )" b', "a   b"),
            ('a $R"(" b ")" c', "a $R  b   c"),
        ):
            self.assertEqual(code_text.without_words(text), left)

    def test_without_comments(self):
        for text, left in (
            ('a "// {" // {\nb', 'a "// {"  \nb'),
            ("a '{' /* { */ 1'000", "a '{'   1'000"),
            ('a R"x({)" )x" b', 'a R"x({)" )x" b'),
        ):
            self.assertEqual(code_text.without_comments(text), left)

    def test_doubtful_quotes(self):
        for text, at in (
            ("a = 1'000'000 + 0xff'ff + 1'0.5e-3f + '\\'' + u8'x' + L\"R\";", None),
            ('case 1: return "R";', None),
            ("1_g'x", 0),
            ("1''0", 1),
            ("a + 1.'0", 4),
            ("a'b'", 1),
            ('R"(x)"', 1),
            ('"a"R"(x)"', 4),
        ):
            self.assertEqual(code_text.doubtful_quote(text), at, text)

    def test_braces(self):
        self.assertEqual(code_text.braces("{ { } // }\n"), (1, 0))
        self.assertEqual(code_text.braces("} '{' \"{\" {"), (0, -1))
        self.assertEqual(code_text.braces("}}"), (-2, -2))

    def test_no_text_takes_long(self):
        started = time.process_time()
        for text in ("/*" * 30_000, '"' * 60_000, "'" * 60_000, "//\\\n" * 15_000, 'R"(' * 20_000, "1'" * 30_000):
            code_text.without_words(text)
            diagnostics.of_braces(text.split("\n"), [])
            diagnostics.of_compiler(text, support.Path("/f.cu"))
            diagnostics.of_linker(text)
        self.assertLess(time.process_time() - started, 20)


if __name__ == "__main__":
    unittest.main()
