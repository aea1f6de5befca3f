"""Chinese texts: what the tools write into them, their form, and sections older than the English ones."""

import sample_repository
import translations
from blocks import fill
from errors import DocsError
from chinese import table

ENGLISH = """# A title

One
paragraph.

## A section

It takes <!-- value ch01 test time stage=fast n=1k -->12.5 us<!-- /value -->.

<!-- excerpt main.cu main -->
old
<!-- end excerpt -->

## Another

More.
"""
CHINESE = """# <a id="a-title"></a>標題

一段。

## <a id="a-section"></a>一節

需要 <!-- value ch01 test time stage=fast n=1k -->?<!-- /value -->。
"""


class Translations(sample_repository.RepositoryTest):
    def setUp(self):
        super().setUp()
        self.english = self.write("docs/a.md", ENGLISH)
        self.chinese = self.write("docs/a.zh-Hant.md", CHINESE)
        translations.stamp(self.chinese, [])

    def errors(self, text):
        return translations.check(self.write("docs/a.zh-Hant.md", text), self.root)

    def test_a_stamped_text_is_right_and_only_the_section_it_lacks_is_named(self):
        self.assertEqual(translations.check(self.chinese, self.root), [])
        self.assertEqual(translations.stale(self.chinese), ([], ["another"]))
        self.assertEqual(translations.note(self.chinese, self.root), "docs/a.zh-Hant.md: not translated: #another")

    def test_other_words_make_a_section_old_and_other_numbers_or_line_breaks_do_not(self):
        self.write("docs/a.md", ENGLISH.replace("12.5 us", "13 us").replace("old", "new").replace("One\n", "One "))
        self.assertEqual(translations.stale(self.chinese)[0], [])
        self.write("docs/a.md", ENGLISH.replace("It takes", "It needs"))
        self.assertEqual(translations.stale(self.chinese)[0], ["a-section"])
        translations.stamp(self.chinese, ["a-title"])
        self.assertEqual(translations.stale(self.chinese)[0], ["a-section"])
        translations.stamp(self.chinese, ["a-section"])
        self.assertEqual(translations.stale(self.chinese)[0], [])

    def test_what_cannot_be_stamped_is_named(self):
        for path, only, words in (
            (self.english, [], r"a.md is not a \*.zh-Hant.md"),
            (self.root / "docs/b.zh-Hant.md", [], "b.zh-Hant.md is not a"),
            (self.chinese, ["a-title", "nowhere"], "do not both have #nowhere"),
            (self.chinese, ["another"], "do not both have #another"),
        ):
            self.assertRaisesRegex(DocsError, words, translations.stamp, path, only)

    def test_a_section_that_is_gone_is_old_and_no_error(self):
        self.write("docs/a.md", ENGLISH.replace("## A section", "## A chapter"))
        self.assertEqual(translations.stale(self.chinese), (["a-section"], ["a-chapter", "another"]))
        self.assertEqual(translations.check(self.chinese, self.root), [])

    def test_a_wrong_form_is_an_error(self):
        text = self.chinese.read_text(encoding="utf-8")
        for wrong, words in (
            (text.replace('<a id="a-section"></a>', ""), "the anchor of the English one"),
            (text.replace("a-section", "a-title"), "a second heading"),
            (CHINESE, "no hash below it"),
            (text.replace("一段。", "一\n段。"), "a paragraph is one line"),
            (text.replace("一段。", "一个段。"), "4: 个 is not Traditional"),
        ):
            with self.subTest(words):
                self.assertRegex(self.errors(wrong)[0], words)
        self.assertEqual(self.errors(text + "\n- 一\n- 二\n\n| a |\n| --- |\n\n```\na\nb\n```\n"), [])
        (self.root / "docs/a.md").unlink()
        self.assertRegex(self.errors(text)[0], "there is no a.md")

    def test_values_are_filled_and_the_hash_is_no_unknown_comment(self):
        text = self.chinese.read_text(encoding="utf-8")
        filled, errors = fill(text, self.chinese, self.root)
        self.assertEqual(errors, [])
        self.assertIn("-->12.5 us<!--", filled)
        self.assertRegex(fill(text, self.english, self.root)[1][0], "not a marker")

    def test_a_comparison_has_both_names_and_its_number_last(self):
        marker = "<!-- compare ch01 test time n=1k stage=fast / stage=slow{} --><!-- /compare -->"
        filled, errors = fill(marker.format(" names=`fast`,`slow`"), self.chinese, self.root)
        self.assertEqual(errors, [])
        self.assertIn("-->`fast` 的速度是 `slow` 的 8.0 倍<!--", filled)
        filled, _ = fill(marker.format(" names=它,`slow`"), self.chinese, self.root)
        self.assertIn("-->它的速度是 `slow` 的 8.0 倍<!--", filled)
        self.assertRegex(fill(marker.format(""), self.chinese, self.root)[1][0], "names=A,B")
        self.assertTrue(fill(marker.format(" names=a,b"), self.english, self.root)[1])

    def test_a_table_has_its_head_and_its_caption_in_chinese(self):
        text = "<!-- table ch01 test n=1k columns=stage,time,check -->\n<!-- end table -->"
        filled, errors = fill(text, self.chinese, self.root)
        self.assertEqual(errors, [])
        self.assertIn("| 階段 | 時間 | 檢查 |\n| --- | ---: | --- |\n| `slow` |", filled)
        self.assertIn("輸入 random", filled)
        self.assertRaisesRegex(DocsError, "no word for the head 'samples'", table, "| stage | samples |\n| --- | --- |")
