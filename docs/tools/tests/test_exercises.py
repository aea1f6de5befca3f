import unittest

import sample_repository
from blocks import fill
from errors import DocsError
from exercise_table import table

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


if __name__ == "__main__":
    unittest.main()
