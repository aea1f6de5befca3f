"""Which students there are in a folder, and which file is whose."""

import os
import unittest

import support  # puts the tool's folder on the path
from grading.course import submission
from grading.course.roster import with_roster
from grading.files import exercise
from grading.grading_error import GradingError


class StudentsTest(unittest.TestCase):
    def setUp(self):
        self.root = support.scratch(self)

    def make(self, *paths: str) -> None:
        for path in paths:
            (self.root / path).mkdir(parents=True)

    def names(self, *folders: str):
        found, empty = submission.students([self.root / folder for folder in folders], self.root / "room")
        return [student.name for student in found], empty

    def test_one_student(self):
        self.make("anna/ch01", "anna/ch02_reduce/exercises", "anna/docs")
        self.assertEqual(self.names("anna"), (["anna"], []))

    def test_a_folder_of_students(self):
        self.make("class/zoe/ch01", "class/anna/tutorial-main/ch02_reduce", "class/.git/ch01x", "class/empty/docs")
        self.assertEqual(self.names("class"), (["anna", "empty", "zoe"], []))

    def test_several_folders_are_students(self):
        self.make("class/zoe/ch01", "class/anna/tutorial-main/ch02_reduce", "class/empty/docs")
        self.assertEqual(
            self.names("class/zoe", "class/anna", "class/empty"), (["anna", "zoe"], [str(self.root / "class/empty")])
        )

    def test_the_same_name_twice(self):
        self.make("a/anna/ch01", "b/anna/ch01")
        self.assertEqual(self.names("a/anna", "b/anna"), (["anna", "anna (2)"], []))

    def test_nobody(self):
        self.make("class/empty/docs")
        for folders in (["class"], ["class/empty", "class"]):
            with self.assertRaisesRegex(GradingError, "no exercises there"):
                self.names(*folders)
        (self.root / "file").write_text("")
        with self.assertRaisesRegex(GradingError, "is not a folder"):
            self.names("file")

    def test_links_are_not_students(self):
        self.make("elsewhere/ch01", "class/anna/ch01")
        os.symlink(self.root / "elsewhere", self.root / "class" / "linked")
        self.assertEqual(self.names("class"), (["anna"], []))

    def test_names_that_are_no_text(self):
        self.assertEqual(submission.printable(os.fsdecode(b"a\xff\nb\x1b")), "a\ufffd\ufffdb\ufffd")
        self.assertEqual(submission.printable("Zoë"), "Zoë")


class Roster(unittest.TestCase):
    def setUp(self):
        self.folder = support.scratch(self)
        for name in ("ada", "ch03", "eve"):
            (self.folder / "class" / name / "ch01").mkdir(parents=True)

    def students(self, text):
        found, _ = submission.students([self.folder / "class"], self.folder / "room")
        roster = self.folder / "roster.csv"
        roster.write_text(text, encoding="utf-8")
        return with_roster(found, roster)

    def test_a_student_who_is_called_as_a_chapter(self):
        found, empty = submission.students([self.folder / "class"], self.folder / "room")
        self.assertEqual(([student.name for student in found], empty), (["ada", "ch03", "eve"], []))

    def test_everyone_in_it_is_there(self):
        for text in ("ada\nbob\nch03\n", "id,Student\n1,ada\n2,bob\n\n3,ch03\n1,ada\n", "\ufeffname\nada\nbob\nch03"):
            made = self.students(text)
            self.assertEqual([student.name for student in made], ["ada", "bob", "ch03", "eve"])
            self.assertEqual([student.folder is None for student in made], [False, True, False, False])
        one = next(iter(exercise.find()))
        self.assertEqual(submission.choose(made[1], one), (None, []))

    def test_no_roster(self):
        for text in ("", "\n\n", "name\n"):
            with self.assertRaisesRegex(GradingError, "names no students"):
                self.students(text)
        with self.assertRaisesRegex(GradingError, "cannot be read: No such file"):
            with_roster([], self.folder / "none.csv")


if __name__ == "__main__":
    unittest.main()
