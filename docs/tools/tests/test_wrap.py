import sample_repository
import wrap

LONG = "word " * 30


class Wrap(sample_repository.RepositoryTest):
    def test_a_long_paragraph_is_wrapped_and_stays_so(self):
        wrapped = wrap.wrap(f"# {LONG}\n\n{LONG}\nend\n\n- {LONG}\n\nshort\nlines\n")
        self.assertTrue(all(len(line) <= 100 or line.startswith("#") for line in wrapped.split("\n")))
        self.assertIn("word end\n\n- word", wrapped)
        self.assertIn("\n  word", wrapped)
        self.assertIn("\n\nshort\nlines\n", wrapped)
        self.assertEqual(wrap.wrap(wrapped), wrapped)

    def test_what_is_never_wrapped(self):
        for text in (
            f"| {LONG}|",
            f"```\n{LONG}\n```",
            f"# {LONG}",
            f"<!-- table {LONG} -->",
            f"a\n\n    {LONG}",
            "x" * 200,
        ):
            self.assertEqual(wrap.wrap(text), text)

    def test_markers_and_code_stay_whole(self):
        marker = "<!-- value ch01 h200 time " + "n=1 " * 20 + "-->12.5 us<!-- /value -->."
        code = "`" + "a b " * 20 + "c`"
        wrapped = wrap.wrap(f"{LONG} {marker} and {code} {LONG}")
        self.assertIn(f"\nword {marker}\n", wrapped)
        self.assertIn(code, wrapped)

    def test_no_line_begins_like_a_list(self):
        wrapped = wrap.wrap("a" * 90 + " bbbbbbbb - c 2. d " + LONG)
        self.assertIn("\nbbbbbbbb - c 2. d word", wrapped)

    def test_no_line_begins_with_a_marker(self):
        marker = "<!-- value ch01 h200 time n=1k -->12.5 us<!-- /value -->"
        text = f"It takes\n{marker}, which is\n{marker} a key.\n"
        path = self.write("ch01_bubble/README.md", text)
        self.assertEqual([error.split(":")[1] for error in wrap.check(path, self.root)], ["2", "3"])
        wrapped = wrap.wrap(text)
        self.assertEqual(wrapped.replace("\n", " "), text.replace("\n", " "))
        path.write_text(wrapped)
        self.assertEqual(wrap.check(path, self.root), [])
        self.assertEqual(wrap.wrap(wrapped), wrapped)
        for first in (f"{marker} is little.", f"- {marker} is little.", f"12. {marker}"):
            path.write_text(first)
            self.assertRegex(" ".join(wrap.check(path, self.root)), "README.md:1: begins with a marker")

    def test_lines_that_are_too_long_are_named(self):
        path = self.write("ch01_bubble/README.md", f"# T\n\n{LONG}\n")
        beside = self.write("ch01_bubble/fastest.md", "")
        self.assertEqual(wrap.wrapped_texts(self.root), [path, beside])
        self.assertRegex(wrap.check(path, self.root)[0], "ch01_bubble/README.md:3: longer than 100 columns")
        path.write_text(wrap.wrap(path.read_text()))
        self.assertEqual(wrap.check(path, self.root), [])
