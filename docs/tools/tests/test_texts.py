"""Markers, links, headings and figures of a text."""

import unittest

import support
import figures
import headings
import links
from blocks import fill


class Markers(support.RepositoryTest):
    def fill(self, text):
        return fill(text, self.write("ch01_bubble/README.md", text), self.root)

    def test_an_excerpt_is_filled_and_stays_when_filled_again(self):
        text = "a\n<!-- excerpt main.cu main -->\nold\n<!-- end excerpt -->\nb\n"
        filled, errors = self.fill(text)
        self.assertEqual(errors, [])
        self.assertEqual(filled, "a\n<!-- excerpt main.cu main -->\n```cpp\nint main() { return 0; }\n```\n<!-- end excerpt -->\nb\n")
        self.assertEqual(self.fill(filled), (filled, []))

    def test_values_in_the_middle_of_a_line(self):
        filled, errors = self.fill("It takes <!-- value ch01 test time stage=fast n=1k -->?<!-- /value -->, see.")
        self.assertEqual(errors, [])
        self.assertEqual(filled, "It takes <!-- value ch01 test time stage=fast n=1k -->12.5 us<!-- /value -->, see.")

    def test_a_file_is_quoted_whole_in_a_fence_long_enough(self):
        self.write("docs/out.txt", "x\n```\ny\n")
        filled, errors = self.fill("<!-- file docs/out.txt -->\n<!-- end file -->")
        self.assertEqual(errors, [])
        self.assertEqual(filled, "<!-- file docs/out.txt -->\n````text\nx\n```\ny\n````\n<!-- end file -->")

    def test_markers_inside_code_are_text(self):
        for text in ("```\n<!-- excerpt main.cu absent -->\n```", "`<!-- value x -->y<!-- /value -->`"):
            self.assertEqual(self.fill(text), (text, []))

    def test_what_cannot_be_filled_is_named_with_its_line_and_left_as_it_was(self):
        cases = {
            "<!-- excerpt main.cu absent -->\nold\n<!-- end excerpt -->": "ch01_bubble/README.md:2: main.cu: no definition of absent",
            "<!-- excerpt absent.cu x -->\nold\n<!-- end excerpt -->": "absent.cu does not exist",
            "<!-- excerpt main.cu main form x -->\nold\n<!-- end excerpt -->": "'form' is not",
            "<!-- table ch01 test -->\nold": "has no <!-- end table -->",
            "<!-- table ch01 test -->\n<!-- file main.cu -->\n<!-- end file -->\n<!-- end table -->": "has no <!-- end table -->",
            "<!-- value ch01 test time stage=absent -->old<!-- /value -->": "no row for stage=absent",
            "<!-- value ch01 test time -->old": "ends on its own line",
        }
        for text, message in cases.items():
            filled, errors = self.fill("first line\n" + text)
            self.assertRegex(errors[0], message)
            if "<!-- file" not in text:
                self.assertEqual(filled, "first line\n" + text)


class Links(support.RepositoryTest):
    def check(self, text):
        return links.check(self.write("docs/page.md", text), self.root)

    def test_links_that_lead_somewhere(self):
        self.write("docs/other.md", "# A `name`, and (more)\n\n## Twice\n\n## Twice\n")
        good = "[a](other.md) [b](other.md#a-name-and-more) [c](other.md#twice-1) [d](../ch01_bubble/) [e](https://x.example/y) "
        self.assertEqual(self.check(good + "![i](other.md \"title\") [`f`](other.md) [self](#here)\n# Here\n[r]: other.md\n"), [])

    def test_links_that_do_not(self):
        self.write("docs/other.md", "# A\n")
        for link, message in {
            "[a](absent.md)": "page.md:1: the link absent.md leads nowhere",
            "![a](absent.svg)": "leads nowhere",
            "[a](other.md#b)": "other.md has no heading #b",
            "[a](#b)": "this text has no heading #b",
            "[a](../../outside.md)": "leaves the repository",
            "[a](/docs/other.md)": "leaves the repository",
            "<img src='absent.svg'>": "leads nowhere",
            "[r]: absent.md": "leads nowhere",
        }.items():
            self.assertRegex(" ".join(self.check(link)), message)

    def test_code_holds_no_links(self):
        self.assertEqual(self.check("`[a](absent.md)`\n```\n[a](absent.md)\n```\n"), [])


class Headings(support.RepositoryTest):
    def check(self, text):
        program = self.write("bin/ch01_bubble_cpu", "#!/bin/sh\nprintf 'slow stage one\\nfast stage two\\nlib library three\\n'\n")
        program.chmod(0o755)
        self.write("ch01_bubble/README.md", text)
        return headings.check(self.root / "ch01_bubble", self.root / "bin", self.root)

    def test_stages_in_order(self):
        self.assertEqual(self.check("# T\n## `slow`: x\n```\n## `fast`\n```\n## Why\n### `fast`\n"), [])

    def test_a_missing_an_added_and_a_moved_stage(self):
        for text in ("## `slow`\n", "## `slow`\n## `fast`\n## `more`\n", "## `fast`\n## `slow`\n", ""):
            self.assertRegex(self.check(text)[0], "the program's stages are slow, fast")

    def test_no_program(self):
        self.write("ch01_bubble/README.md", "")
        self.assertRegex(headings.check(self.root / "ch01_bubble", self.root, self.root)[0], "is built")


class Figures(support.RepositoryTest):
    def test_drawn_then_unchanged_then_changed(self):
        script = "def figures():\n    return {'a.svg': '<svg/>'}\n"
        self.write("docs/figures/a.py", script)
        self.assertEqual(figures.run(self.root, write=False), (["docs/figures/a.svg"], []))
        self.assertEqual(figures.run(self.root), (["docs/figures/a.svg"], []))
        self.assertEqual(figures.run(self.root, write=False), ([], []))
        self.write("docs/figures/a.svg", "other")
        self.assertEqual(figures.run(self.root, write=False), (["docs/figures/a.svg"], []))

    def test_scripts_that_fail_and_pictures_without_a_script(self):
        self.write("ch01_bubble/figures/b.py", "def figures():\n    raise ValueError('no data')\n")
        self.assertRegex(figures.run(self.root)[1][0], "ch01_bubble/figures/b.py: ValueError: no data")
        self.write("ch01_bubble/figures/b.py", "def figures():\n    return {}\n")
        self.write("ch01_bubble/figures/c.svg", "<svg/>")
        self.assertRegex(figures.run(self.root)[1][0], "c.svg: no script draws this file")


if __name__ == "__main__":
    unittest.main()
