import sample_repository
from blocks import fill
from errors import DocsError
from exercise_table import table
from translations import stale, stamp

NOTES = """\
# A title

kind: fault
level: 2
read: README.md
teaches: to look twice.
stub-fails: race

## Blank
```cpp
```

## Hint 1
Look once.
"""
SOLUTION = """// Exercise 1.2: a title
//
// Task: Look.
// {mark} (about 1 line)
// END
""".format(
    mark="TO" "DO"  # not as one word: CI looks for unfinished work
)
CHINESE = """# <a id="a"></a>習題

## <a id="ex2_two"></a>習題 2：標題

**學到**：看兩次。
"""


class Exercises(sample_repository.RepositoryTest):
    def setUp(self):
        super().setUp()
        self.write("ch01_a/grading/ex2_two.md", NOTES)
        self.write("ch01_a/grading/ex10_ten.md", NOTES.replace("level: 2", "level: 3"))
        self.write("ch02_b/grading/ex1_one.md", NOTES)

    def test_a_chapter(self):
        text = self.write("ch01_a/exercises/README.md", "<!-- exercises ch01 -->\nold\n<!-- end exercises -->\n")
        filled, errors = fill(text.read_text(), text, self.root)
        self.assertEqual(errors, [])
        self.assertIn("| ex2 | [A title](ex2_two.cu) | find the bug | medium | … |\n| ex10 |", filled)
        self.assertIn("| hard |", filled)
        self.assertNotIn("old", filled)

    def test_all(self):
        text = self.write("docs/a.md", "")
        lines = table(["all"], text, self.root).split("\n")
        self.assertEqual(len(lines), 5)
        self.assertTrue(lines[2].endswith("| to look twice |"))  # for teachers: what the fault is about
        self.assertTrue(lines[2].startswith("| ch01/ex2 | [A title](../ch01_a/exercises/ex2_two.cu) |"))

    def test_in_chinese_it_has_the_chinese_title_and_leads_to_its_section(self):
        text = self.write("ch01_a/exercises/README.zh-Hant.md", CHINESE)
        chapter = self.write("ch01_a/README.zh-Hant.md", "")
        self.assertIn("| ex2 | [標題](#ex2_two) | find the bug | medium | … |", table(["ch01"], text, self.root))
        self.assertIn("| [標題](exercises/README.zh-Hant.md#ex2_two) |", table(["ch01"], chapter, self.root))
        self.assertIn("| ex10 | [A title](exercises/ex10_ten.cu) |", table(["ch01"], chapter, self.root))
        self.write("ch01_a/grading/ex2_two.md", NOTES.replace("fault", "write"))
        self.assertIn("| medium | 看兩次 |", table(["ch01"], text, self.root))
        self.assertIn("[A title](ch01_a/exercises/ex2_two.cu)", table(["ch01"], self.write("a.md", ""), self.root))

    def test_the_chinese_of_an_exercise_is_old_when_its_task_or_a_hint_changes(self):
        self.write("ch01_a/exercises/README.md", "# A\n")
        self.write("ch01_a/solutions/ex2_two.cu", SOLUTION)
        text = self.write("ch01_a/exercises/README.zh-Hant.md", CHINESE)
        stamp(text, [])
        self.assertEqual(stale(text), ([], []))  # ex10 has no file yet
        for name, words, changed in (
            ("solutions/ex2_two.cu", SOLUTION, SOLUTION.replace("Look.", "Look twice.")),
            ("grading/ex2_two.md", NOTES, NOTES.replace("once", "again")),
            ("grading/ex2_two.md", NOTES, NOTES.replace("# A title", "# The title")),
        ):
            self.write(f"ch01_a/{name}", changed)
            self.assertEqual(stale(text), (["ex2_two"], []), changed)
            self.write(f"ch01_a/{name}", words)
        self.write("ch01_a/grading/ex2_two.md", NOTES.replace("## Blank\n", "## Blank\nOf it.\n"))
        self.write("ch01_a/solutions/ex2_two.cu", SOLUTION.replace("// END", "int i;\n// END"))
        self.assertEqual(stale(text), ([], []))  # what readers are not told
        self.write("ch01_a/solutions/ex10_ten.cu", SOLUTION)
        self.assertEqual(stale(text), ([], ["ex10_ten"]))

    def test_what_is_wrong_is_named(self):
        text = self.write("a.md", "")
        self.write("ch03_c/grading/ex1_x.md", NOTES.replace("fault", "guess"))
        self.write("ch04_d/README.md", "")
        for words, reason in (
            ([], "an exercises marker reads"),
            (["ch09"], "no chapter is called ch09"),
            (["ch04"], "there are no exercises of ch04"),
            (["ch03"], "kind: guess is not one of"),
        ):
            with self.assertRaises(DocsError) as raised:
                table(words, text, self.root)
            self.assertIn(reason, str(raised.exception))
