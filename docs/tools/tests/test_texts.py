"""Markers, links, headings and figures of a text."""

import sample_repository
import figures
import headings
import links
import prose
import stage_comments
import stage_list
from blocks import fill


class Markers(sample_repository.RepositoryTest):
    def fill(self, text):
        return fill(text, self.write("ch01_bubble/README.md", text), self.root)

    def test_an_excerpt_is_filled_and_stays_when_filled_again(self):
        text = "a\n<!-- excerpt main.cu main -->\nold\n<!-- end excerpt -->\nb\n"
        filled, errors = self.fill(text)
        self.assertEqual(errors, [])
        self.assertEqual(
            filled, "a\n<!-- excerpt main.cu main -->\n```cpp\nint main() { return 0; }\n```\n<!-- end excerpt -->\nb\n"
        )
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

    def test_a_line_number_and_a_quotation_of_the_code(self):
        self.write("ch01_bubble/more.cu", "\n// nine barriers\nvoid f() {\n    sum();\n}\n")
        text = "a <!-- line more.cu f sum -->1<!-- /line -->, "
        text += "b <!-- quote more.cu f '(\\w+) barriers' -->ten<!-- /quote -->"
        filled, errors = self.fill(text)
        self.assertEqual(errors, [])
        self.assertIn(">4<!-- /line -->, b", filled)
        self.assertIn(">nine<!-- /quote -->", filled)

    def test_a_generated_block_without_content_is_an_error(self):
        self.write("docs/empty.txt", " \n")
        self.assertRegex(self.fill("<!-- file docs/empty.txt -->\n<!-- end file -->")[1][0], "empty.txt is empty")

    def test_what_cannot_be_filled_is_named_with_its_line_and_left_as_it_was(self):
        cases = {
            "<!-- excerpt main.cu absent -->\nold\n<!-- end excerpt -->": "README.md:2: main.cu: no definition of",
            "<!-- excerpt absent.cu x -->\nold\n<!-- end excerpt -->": "absent.cu does not exist",
            "<!-- excerpt main.cu main form x -->\nold\n<!-- end excerpt -->": "'form' is not",
            "<!-- table ch01 test -->\nold": "has no <!-- end table -->",
            "<!-- table ch01 test -->\n<!-- file main.cu -->\n<!-- end file -->\n<!-- end table -->": "has no <!-- end",
            "<!-- value ch01 test time stage=absent -->old<!-- /value -->": "no row for stage=absent",
            "<!-- value ch01 test time -->old": "ends on its own line",
            "old<!-- /value -->": "begins with <!-- value",
            "<!-- value ch01 test hot stage=fast n=1k -->old<!-- /value -->": "hot was not measured for fast",
            "<!-- table ch01 test\n-->\nold\n<!-- end table -->": "a table marker is a line of its own",
            " <!-- file main.cu -->\nold\n<!-- end file -->": "a file marker is a line of its own",
            "old\n<!-- end counts -->": "ends nothing",
            "<!-- exerpt main.cu main -->\nold\n<!-- end excerpt -->": "a comment that is not a marker",
            "<!--value ch01 test time stage=fast n=1k -->old<!-- /value -->": "a value marker begins with",
            "<!-- line main.cu absent -->old<!-- /line -->": "main.cu: no definition of absent",
            "<!-- line main.cu -->old<!-- /line -->": r"reads: line FILE NAME .RE.",
            "<!-- quote main.cu main -->old<!-- /quote -->": "reads: quote FILE NAME RE",
        }
        for text, message in cases.items():
            filled, errors = self.fill("first line\n" + text)
            self.assertRegex(errors[0], message)
            if "<!-- file" not in text:
                self.assertEqual(filled, "first line\n" + text)


class Links(sample_repository.RepositoryTest):
    def check(self, text):
        return links.check(self.write("docs/page.md", text), self.root)

    def test_links_that_lead_somewhere(self):
        self.write("docs/other.md", "# A `name`, and (more)\n\n## Twice\n\n## Twice\n")
        good = "[a](other.md) [b](other.md#a-name-and-more) [c](other.md#twice-1) [d](../ch01_bubble/) "
        good += "[e](https://x.example/y) "
        self.assertEqual(
            self.check(good + '![i](other.md "title") [`f`](other.md) [self](#here)\n# Here\n[r]: other.md\n'), []
        )

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
            "[a][r]": "no line defines the link .r.",
            "[a](../ch01_bubble/main.cu#L2)": "has 1 lines, so #L2 leads nowhere",
            "[a](../ch01_bubble/main.cu#L1-L2)": "leads nowhere",
            "[a](../ch01_bubble/main.cu#main)": "can only be a line",
            "[a](../ch01_bubble#main)": "is a folder",
        }.items():
            self.assertRegex(" ".join(self.check(link)), message)

    def test_links_to_lines_and_defined_links(self):
        self.assertEqual(self.check("[a](../ch01_bubble/main.cu#L1) [b][r]\n\n[r]: ../ch01_bubble/main.cu#L1-L1\n"), [])

    def test_code_holds_no_links(self):
        self.assertEqual(self.check("`[a](absent.md)`\n```\n[a](absent.md)\n```\n"), [])


class Prose(sample_repository.RepositoryTest):
    def check(self, text):
        return prose.check(self.write("docs/page.md", text), self.root)

    def test_a_line_number_written_by_hand(self):
        for text in ("See line 76.", "lines 69, 72", "`main.cu:76` adds", "[x](../a.cu#L7)", "main.cu:12"):
            self.assertRegex(" ".join(self.check("\n" + text)), "docs/page.md:2: .* is written by hand", text)

    def test_line_numbers_of_a_marker_and_of_an_output(self):
        for text in (
            "line <!-- line a.cu f -->76<!-- /line -->",
            "```\nmain.cu:76\n```",
            "a line of 32 bytes",
            "4 lines",
        ):
            self.assertEqual(self.check(text), [], text)


class Headings(sample_repository.RepositoryTest):
    def check(self, text):
        program = self.write(
            "bin/ch01_bubble_cpu", "#!/bin/sh\nprintf 'slow stage one\\nfast stage two\\nlib library three\\n'\n"
        )
        program.chmod(0o755)
        self.write("ch01_bubble/README.md", text)
        return headings.check(self.root / "ch01_bubble", self.root / "bin", self.root)

    def test_stages_in_order(self):
        self.assertEqual(self.check("# T\n## `slow`: x\n```\n## `fast`\n```\n## Why\n### `fast`\n"), [])

    def test_a_missing_an_added_and_a_moved_stage(self):
        for text in ("## `slow`\n", "## `slow`\n## `fast`\n## `more`\n", "## `fast`\n## `slow`\n", ""):
            self.assertRegex(self.check(text)[0], "the program's stages are slow, fast")

    def test_stages_have_their_headings_in_readme_or_in_fastest(self):
        self.write("ch01_bubble/fastest.md", "# F\n## `fast`: x\n")
        self.assertEqual(self.check("# T\n## `slow`: x\n"), [])
        self.assertRegex(self.check("## `slow`\n## `fast`\n")[0], "are slow, fast; those of fastest.md are fast;")
        self.assertRegex(self.check("## Other\n")[0], "are none; those of fastest.md are fast;")
        self.write("ch01_bubble/fastest.md", "## `slow`: a stage of the middle of the table\n")
        self.assertEqual(self.check("## `fast`\n"), [])
        self.write("ch01_bubble/fastest.md", "## `fast`\n## `slow`\n")
        self.assertRegex(self.check("# T\n")[0], "those of fastest.md are fast, slow;")
        (self.root / "ch01_bubble/fastest.md").unlink()

    def test_no_other_page_has_a_heading_of_a_stage(self):
        self.write("ch01_bubble/results.md", "# R\n## `fast`: again\n### `other`\n")
        found = self.check("## `slow`\n## `fast`\n")
        self.assertEqual(found, ["ch01_bubble/results.md: a second heading of fast"])

    def test_a_list_at_the_head_that_is_not_the_programs(self):
        self.write("ch01_bubble/main.cu", "\n".join([*LIST, "#include <a>", ""]))
        self.assertEqual(self.check("## `slow`\n## `fast`\n"), [])
        self.write("ch01_bubble/main.cu", "\n".join([LIST[0], LIST[2], LIST[1], "#include <a>", ""]))
        found = self.check("## `slow`\n## `fast`\n")
        self.assertEqual(len(found), 1)
        self.assertRegex(found[0], "main.cu lists fast, slow; the program's stages are slow, fast")

    def test_no_program(self):
        self.write("ch01_bubble/README.md", "")
        self.assertRegex(headings.check(self.root / "ch01_bubble", self.root, self.root)[0], "is built")


TABLE = """
const std::vector<Stage<Launch>>& stages() {
    static const std::vector<Stage<Launch>> table = {
        {{"by_hand", "host: the loop", RowKind::host, {1, "more"}}, by_hand},
        {{"slow", "one thread"}, slow},
        {{"fast",
          "all threads, \\"at once\\"; "
          "no barrier",
          RowKind::stage,
          {1024, "one block"}},
         fast<1>},
        // {{"no_row", "a comment"}, no_row},
        {{"lib", "the library", RowKind::library}, lib},
    };
    return table;
}
"""
LIST = [stage_list.MARKER, "//   1 slow  one thread", '//   2 fast  all threads, "at once"; no barrier']


class StageList(sample_repository.RepositoryTest):
    def source(self, entries, table=TABLE):
        return "\n".join(["// Head.", *entries, "//", "//   nvcc main.cu", "#include <a>", table])

    def run_on(self, text, write=False):
        chapter = self.write("ch01_bubble/main.cu", text).parent
        return stage_list.run(chapter, write, self.root), (chapter / "main.cu").read_text(encoding="utf-8")

    def test_the_table_without_host_and_library_rows(self):
        self.assertEqual(self.run_on(self.source(LIST)), ((False, []), self.source(LIST)))

    def test_any_other_list_is_out_of_date_and_is_written(self):
        for old in (LIST[:1], LIST[:2], [LIST[0], LIST[2], LIST[1]], [*LIST, "//   3 gone  is no stage now"]):
            self.assertEqual(self.run_on(self.source(old)), ((True, []), self.source(old)))
            self.assertEqual(self.run_on(self.source(old), write=True), ((True, []), self.source(LIST)))

    def test_two_digits_keep_their_column(self):
        rows = "".join(f'{{{{"s{n}", "idea"}}, f}},\n' for n in range(1, 12))
        table = "const Table& stages() {\n" + rows + "}\n"
        text = self.run_on(self.source(LIST[:1], table), write=True)[1]
        self.assertIn("\n//   9 s9   idea\n//  10 s10  idea\n//  11 s11  idea\n//\n", text)
        self.assertEqual(stage_list.names_of(text), [f"s{n}" for n in range(1, 12)])

    def test_bad_states(self):
        long = TABLE.replace("one thread", "x" * 90)
        for text, message in {
            self.source([]): "the comment above its first #include has the line",
            self.source([*LIST, *LIST]): "once",
            self.source([]) + LIST[0]: "the comment above its first #include",
            self.source(LIST, ""): r"no definition of stages\(\)",
            self.source(LIST, "const Table& stages() {}"): "has no row of a stage",
            self.source(LIST, long): "the idea of slow takes 3 columns too many",
        }.items():
            (changed, errors), after = self.run_on(text, write=True)
            self.assertFalse(changed)
            self.assertEqual(len(errors), 1)
            self.assertRegex(errors[0], "^ch01_bubble/main.cu: .*" + message)
            self.assertEqual(after, text)


class StageComments(sample_repository.RepositoryTest):
    LADDER = "// slow: an idea.\n// Removes: x.\n// Remains: y.\n__global__ void slow_kernel(int* a) {\n}\n"
    FASTEST = "// fast: an idea.\n// Removes: x.\n// Remains: y.\n__global__ void fast_kernel() {}\n"

    def check(self, main, **others):
        self.write("ch01_bubble/README.md", "# T\n## `slow`: x\n## `fast`: y\n")
        self.write("ch01_bubble/main.cu", main)
        for name, source in others.items():
            self.write(f"ch01_bubble/{name.replace('_in_', '/')}.cuh", source)
        return stage_comments.check(self.root / "ch01_bubble", self.root)

    def test_in_main_or_in_fastest(self):
        self.assertEqual(self.check(self.LADDER + self.FASTEST), [])
        self.assertRegex(self.check(self.LADDER, best=self.FASTEST)[0], 'no comment "// fast: ')
        self.assertEqual(self.check(self.LADDER, fastest_in_best=self.FASTEST), [])

    def test_stages_of_fastest_md(self):
        self.write("ch01_bubble/fastest.md", "## `more`: z\n")
        self.assertRegex(self.check(self.LADDER + self.FASTEST)[0], 'no comment "// more: ')
        (self.root / "ch01_bubble/fastest.md").unlink()

    def test_a_stage_that_does_not_say_what_remains(self):
        for line in ("// slow: an idea.\n", "// Removes: x.\n", "// Remains: y.\n"):
            found = self.check(self.LADDER.replace(line, "") + self.FASTEST)
            self.assertEqual(len(found), 1, line)
            self.assertRegex(found[0], 'no comment "// slow: ')


class Figures(sample_repository.RepositoryTest):
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
