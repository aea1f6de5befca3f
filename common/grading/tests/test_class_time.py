"""What is printed about the time that grading takes, and the classes with which it is measured."""

import tempfile
import unittest
from pathlib import Path

import support
from grading.bench import class_time
from grading.files import blank


class ClassTimeTest(unittest.TestCase):
    def test_what_is_done_once_for_a_class_is_in_no_student(self):
        run = class_time.Run
        runs = [
            run(1, 70.0, 0.5),
            run(3, 130.0, 2.25),
            run(1, 90.0, 0.5),
            run(3, 128.0, 1.0),
            run(1, 69.0, 0),
            run(3, 140.0, 0),
        ]
        words = class_time.table(runs, 46)
        self.assertIn("\n       3      130                  2.2\n", words)
        self.assertIn("each additional student: 30 s (medians); so a class of 40: 21 min\n", words)

    def test_more_students_in_less_time_is_no_result(self):
        with self.assertRaisesRegex(SystemExit, "3 students took 60 s, and 1 took 70 s"):
            class_time.table([class_time.Run(1, 70.0, 0.5), class_time.Run(3, 60.0, 2.25)], 46)

    def test_every_answer_is_another_one_and_compiles_to_the_solution(self):
        exercise = support.small_tutorial(self)
        with tempfile.TemporaryDirectory() as name:
            class_time.write_class(Path(name), [exercise], 3)
            files = sorted(Path(name).glob(f"student*/{exercise.folder}/exercises/{exercise.name}.cu"))
            blanks = [tuple(blank.cut(path.read_text(encoding="utf-8"), str(path)).blank) for path in files]
        self.assertEqual(len(set(blanks)), 3)
        self.assertEqual({each[:-1] for each in blanks}, {tuple(exercise.official.blank)})
        self.assertEqual({each[-1].strip(";") for each in blanks}, {""})


if __name__ == "__main__":
    unittest.main()
