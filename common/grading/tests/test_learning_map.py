"""./tutorial map: the path, and the progress on it."""

import unittest

import support
from grading.files import exercise as exercises
from tutorial import learning_map


class Map(unittest.TestCase):
    def setUp(self):
        self.exercise = support.small_tutorial(self)
        self.root = self.exercise.root
        self.chapter = self.root / self.exercise.folder

    def parts(self):
        return learning_map.parts(exercises.find(self.root), self.root)

    def test_an_exercise_is_below_the_section_that_prepares_it(self):
        text = "# Small\n\n## First\n\n```\n## no heading\n```\n\n## `more`: x\n\n### Twice\n\n"
        text += "### Without exercises\n\n## Last\n"
        (self.chapter / "README.md").write_text(text, encoding="utf-8")
        (self.chapter / "fastest.md").write_text("# Fast\n\n## End\n", encoding="utf-8")
        text = learning_map.shown(self.parts(), {"ch01"}, set(), "ch01/ex1")
        self.assertEqual(
            [line.strip() for line in text.split("\n")][1:],
            [
                "ch01_small/README.md",
                "First",
                "more: x",
                "Twice",
                "[ ] ch01/ex1  Twice as much  <- you are here",
                "Last",
                "ch01_small/fastest.md",
                "End",
            ],
        )

    def test_how_far_one_is(self):
        text = learning_map.shown(self.parts(), set(), set(), "")
        self.assertRegex(text, r"^ch01 +Small +\[ {20}\] 0 of 1$")
        text = learning_map.shown(self.parts(), {"ch01"}, {"ch01/ex1"}, "")
        self.assertIn("[####################] 1 of 1", text)
        self.assertIn("[x] ch01/ex1  Twice as much", text)

    def test_a_section_that_is_gone(self):
        (self.chapter / "README.md").write_text("# Small\n", encoding="utf-8")
        self.assertIn("[ ] ch01/ex1", learning_map.shown(self.parts(), {"ch01"}, set(), ""))


if __name__ == "__main__":
    unittest.main()
