"""Reading the notes, finding exercises, and their form."""

import unittest

import support
from grading.authoring import form
from grading.files import notes
from grading.files import exercise as exercises
from grading.grading_error import GradingError


class Small(unittest.TestCase):
    def setUp(self):
        self.exercise = support.small_tutorial(self)

    def write(self, old, new):
        self.exercise.notes_file.write_text(support.NOTES.replace(old, new), encoding="utf-8")


class Notes(Small):
    def test_all_fields(self):
        read = self.exercise.notes
        self.assertEqual((read.title, read.kind, read.level), ("Twice as much", "write", 1))
        self.assertEqual((read.read, read.teaches, read.stub_fails), ("README.md#twice", "multiplying.", "answer"))
        self.assertEqual(read.blank, ["    return x;"])
        self.assertEqual(read.hints, ["Multiply.", "By two."])
        first = read.wrong[0]
        self.assertEqual((first.title, first.fails, first.says), ("the square", "answer", "expected 2"))
        self.assertEqual(first.why, "It is right for 0 and for 2.")
        self.assertEqual(first.blank, ["    return x * x;"])
        self.assertEqual(len(read.wrong), 2)

    def test_a_heading_inside_a_code_block_is_code(self):
        self.write("    return x;", "## Hint 1\n# x\n    return x;")
        self.assertEqual(self.exercise.notes.blank, ["## Hint 1", "# x", "    return x;"])

    def test_what_is_wrong_is_said(self):
        for old, new, said in (
            ("# Twice as much\n", "", "the first line must be '# ' and the title"),
            ("kind: write", "kind: guess", "kind: guess is not one of write, fault, predict, faster"),
            ("level: 1", "level: 4", "level: 4"),
            ("teaches: multiplying.\n", "", "the line 'teaches:' is missing"),
            ("teaches:", "teach:", "'teach: multiplying.' is not one of the lines"),
            ("stub-fails: answer", "stub-fails: no", "stub-fails: no is not one of"),
            ("## Blank", "## Whole", "the section 'Whole' is not one of"),
            ("## Hint 1", "## Hint 2", "'Hint 2' follows 0 hints"),
            ("says: expected 2\n", "", "'Wrong: the square' has no line says:"),
            ("fails: answer", "fails: luck", "fails: luck is not one of"),
            ("It is right for 1.\n", "", "'Wrong: one more' has no sentence that says why"),
            ("    return x + 1;\n```", "", "'Wrong: one more' has no ```cpp block"),
        ):
            self.write(old, new)
            with self.assertRaises(GradingError) as raised:
                notes.parse(self.exercise.notes_file, "n.md")
            self.assertIn(said, str(raised.exception))


class Find(Small):
    def test_names(self):
        found = exercises.find(self.exercise.root)
        self.assertEqual([e.id for e in found], ["ch01/ex1"])
        for word in ("ch01", "ch01_small", "ch01/ex1", "ch01_small/ex1", "ch01/ex1_twice", str(found[0].learner)):
            self.assertEqual(exercises.select([word], found), found)
        self.assertEqual(exercises.select([], found), found)
        self.assertEqual(exercises.select(["ch01", "ch01/ex1"], found), found)

    def test_unknown_names(self):
        found = exercises.find(self.exercise.root)
        for word, said in (
            ("ch01/ex2", "there is no exercise 'ch01/ex2'; there are: ch01/ex1"),
            ("ch07", "there is no exercise 'ch07'; there are: ch01"),
            ("nowhere.cu", "there is no exercise 'nowhere.cu'"),
        ):
            with self.assertRaises(GradingError) as raised:
                exercises.select([word], found)
            self.assertIn(said, str(raised.exception))

    def test_numbers_and_not_letters_order_them(self):
        grading = self.exercise.notes_file.parent
        for name in ("ex10_a", "ex2_z"):
            (grading / f"{name}.md").write_text(support.NOTES, encoding="utf-8")
        self.assertEqual([e.id for e in exercises.find(self.exercise.root)], ["ch01/ex1", "ch01/ex2", "ch01/ex10"])

    def test_files_that_are_no_text(self):
        file = self.exercise.learner
        for data, said in (
            (b"\xff\xfe", "f.cu:1: this is not UTF-8 text"),
            (b"a\n\0", "it contains a zero byte"),
            (b"a" * 2000000, "larger than 1 MiB"),
        ):
            file.write_bytes(data)
            with self.assertRaises(GradingError) as raised:
                exercises.read_text(file, "f.cu")
            self.assertIn(said, str(raised.exception))
        file.unlink()
        with self.assertRaisesRegex(GradingError, "f.cu is not there"):
            exercises.read_text(file, "f.cu")
        file.mkdir()
        with self.assertRaisesRegex(GradingError, "cannot be read"):
            exercises.read_text(file, "f.cu")


class Form(Small):
    def complaints(self):
        fresh = exercises.Exercise(self.exercise.root, self.exercise.folder, self.exercise.name)
        return "\n".join(form.check(fresh, pristine=True))

    def test_nothing_to_say(self):
        self.assertEqual(self.complaints(), "")

    def test_notes(self):
        for old, new, said in (
            ("## Hint 2\nBy two.\n", "", "there must be two hints, but there are 1"),
            ("README.md#twice", "README.md#thrice", "README.md has no heading #thrice"),
            ("README.md#twice", "NONE.md", "NONE.md is not there"),
            (support.NOTES[support.NOTES.index("## Wrong: one more") :], "", "at least two wrong answers"),
        ):
            self.write(old, new)
            self.assertIn(said, self.complaints())

    def test_the_file(self):
        for old, new, said in (
            ("Exercise 1.1", "Exercise 1.2", "must begin with '// Exercise 1.1: Twice as much'"),
            ("twice as much", "two", "must begin with '// Exercise 1.1: Twice as much'"),
            ("fill in the blank", "find the bug", "must end with '(fill in the blank)'"),
            ("// Task", "// Do", "must contain Task:, Given:, Required:, Read:, Check:, in this order"),
            ("// Given: A number x.\n", "", "must contain Task:, Given:, Required:"),
            ("// Required", "// Given", "must contain Task:, Given:, Required:"),
            ("// Read: ../README.md\n", "// Read: ../README.md   ", "must contain Task:, Given:, Required:"),
            ("check ch01/ex1", "check", "must contain '// Check: ./tutorial check ch01/ex1     Stuck? Add --hint'"),
            ("     Stuck?", " Stuck?", "must contain '// Check: ./tutorial check ch01/ex1     Stuck? Add --hint'"),
            ("about 1 line", "about 20 lines", "promises 20 lines, but the solution has 1"),
            ("// Task: Double every item.\n", "// Task: \n" + "// more\n" * 7, "the task takes 10 lines"),
            ("int twice", "\n" * 100 + "int twice", "too many to read in a minute"),
        ):
            self.exercise.solution.write_text(support.SOLUTION.replace(old, new), encoding="utf-8")
            self.assertIn(said, self.complaints())

    def test_a_file_that_is_not_the_stub(self):
        self.exercise.learner.write_text(support.SOLUTION, encoding="utf-8")
        self.assertIn("exercises/ex1_twice.cu is not the stub", self.complaints())

    def test_kinds_of_a_chapter(self):
        found = exercises.find(self.exercise.root)
        self.assertEqual(
            form.check_chapters(found, found), ["ch01_small: no exercise is of the kind fault, predict, faster"]
        )
        self.assertEqual(form.check_chapters([], found), [])


if __name__ == "__main__":
    unittest.main()
