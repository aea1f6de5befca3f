"""Paragraphs with numbers of a device that they do not name."""

import sample_repository
import devices_named


def number(machine, kind="value"):
    return f"<!-- {kind} ch01 {machine} time stage=a -->1.2<!-- /{kind} -->"


class DevicesNamed(sample_repository.RepositoryTest):
    def check(self, text):
        return devices_named.check(self.write("ch01_bubble/README.md", text), self.root)

    def test_the_usual_device_needs_no_name_and_another_one_does(self):
        for text in (f"It takes {number('h200')}.", f"Of an H100: {number('h100')}.", f"Two H200: {number('h200x2')}."):
            self.assertEqual(self.check(text), [], text)
        self.assertEqual(
            self.check(f"a\n\nIt takes\n{number('h100')}."),
            ["ch01_bubble/README.md:3: numbers of the H100 without the name H100"],
        )
        self.assertRegex(self.check(f"It takes {number('rtx-4090')}.")[0], "without the name RTX 4090")
        self.assertRegex(self.check(f"It takes {number('h100x4', 'compare')}.")[0], "without the name H100")

    def test_two_devices_are_both_named(self):
        both = f"takes {number('h200')}, and {number('h100')}"
        for text, missing in (
            (both, "H100 and H200"),
            (f"{both} on an H100", "H200"),
            (f"On an H200 it {both}", "H100"),
            (f"On an H200 it {both} on an\nH100", ""),
            (f"On an H2000 it {both} on an H100x", "H100 and H200"),
        ):
            found = self.check(f"It {text}.")
            self.assertEqual(
                found,
                [f"ch01_bubble/README.md:1: numbers of the H100 and the H200 without the name {missing}"]
                if missing
                else [],
                text,
            )

    def test_paragraphs_items_and_tables_are_read_apart(self):
        named = f"On an H100: {number('h100')}."
        self.assertEqual(self.check(f"{named}\n\n{number('h200')}\n"), [])
        self.assertEqual(len(self.check(f"- {named}\n- {number('h100')}\n  more\n\n1. {number('h100')}")), 2)
        table = f"| n | 1 |\n| --- | ---: |\n| cold | {number('h200')} |\n| H100 | {number('h100')} |\n"
        self.assertRegex(self.check(table)[0], "README.md:1: .* without the name H200$")
        self.assertEqual(self.check(table.replace("cold", "H200")), [])

    def test_the_name_in_a_marker_or_in_another_paragraph_does_not_count(self):
        self.assertEqual(len(self.check(f"On an H100.\n\nIt takes {number('h100')}.")), 1)
        self.assertEqual(len(self.check("<!-- value ch01 h100 time H100=1 -->1.2<!-- /value -->")), 1)

    def test_code_blocks_and_the_emulator_are_left_out(self):
        for text in (
            f"```\n{number('h100')}\n```",
            f"<!-- table ch01 h100 -->\n{number('h100')}\n<!-- end table -->",
            f"It counts {number('cpu')}, and takes {number('h200')}.",
        ):
            self.assertEqual(self.check(text), [], text)
        self.assertEqual(len(self.check(f"<!-- table ch01 h100 -->\n|\n<!-- end table -->\n{number('h100')}")), 1)
