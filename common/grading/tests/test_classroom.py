"""From many students' verdicts to grades, without compiling anything."""

import tempfile
import unittest
from pathlib import Path
from typing import Any
from unittest import mock

import support  # puts the tool's folder on the path
from grading.check.attempt import Verdict
from grading.course import classroom
from grading.course.classroom import Verdicts
from grading.files import blank
from grading.process import limited_process


class VerdictsTest(unittest.TestCase):
    def setUp(self):
        self.path = support.scratch(self) / "verdicts.jsonl"

    def test_kept_and_found_again(self):
        verdicts = Verdicts(self.path)
        race = Verdict("race", "race within a block\nZoë", 1.5, "lab")
        verdicts.keep("a", race)
        verdicts.keep("b", Verdict("", "", 0.5, "lab", graded=False))
        again = Verdicts(self.path)
        self.assertEqual(again.get("a"), race)
        self.assertFalse(again.get("b").graded)
        self.assertIsNone(again.get("c"))
        again.forget()
        self.assertIsNone(again.get("a"))

    def test_what_may_end_otherwise_is_not_kept(self):
        verdicts = Verdicts(self.path)
        for reason in ("time_limit", "memory_limit", "crash", "no_verdict", "time", "grader"):
            verdicts.keep(reason, Verdict(reason, ""))
        self.assertFalse(self.path.exists())

    def test_half_a_line(self):
        Verdicts(self.path).keep("a", Verdict("race", ""))
        with open(self.path, "a", encoding="utf-8") as file:
            file.write('{"key": "b", "reas')
        self.assertEqual(Verdicts(self.path).get("a").reason, "race")


class Meaning(unittest.TestCase):
    """Which blanks are compiled once for several students."""

    def setUp(self):
        self.exercise = support.small_tutorial(self)

    def meaning(self, *lines: str) -> str:
        official = self.exercise.official
        return classroom._meaning(self.exercise, blank.Parts(official.before, list(lines), official.after))

    def test_comments_do_not_count(self):
        self.assertEqual(self.meaning("return 2 * x;"), self.meaning("return  2 * x;  // twice", "/* so */"))

    def test_an_unclosed_comment_is_compiled_by_itself(self):
        """It swallows the rest of the file: a classmate's right answer says nothing about it."""
        self.assertNotEqual(self.meaning("return 2 * x;"), self.meaning("return 2 * x; /* twice"))
        self.assertNotEqual(self.meaning("return 2 * x;"), self.meaning("return 2 * x; // twice \\"))


class GradeTest(unittest.TestCase):
    def verdict_of(self, *verdicts: Verdict) -> Verdict:
        """What a student gets if these are the backends' verdicts, in order."""
        with tempfile.TemporaryDirectory() as folder:
            backends: list[Any] = [mock.Mock(kind=kind) for kind in ("lab", "cuda")[: len(verdicts)]]
            runners = {(backend.kind, "ch01/ex1"): limited_process.run for backend in backends}
            room = classroom.Classroom(backends, runners, limited_process.Limits(), Path(folder), mock.Mock(), 1)
            with mock.patch.object(room, "_on", side_effect=verdicts):
                return room._verdict("key", mock.Mock(), mock.Mock())

    def test_solved_where_all_say_so(self):
        self.assertTrue(self.verdict_of(Verdict("", "", 1.0, "lab")).solved)
        both = self.verdict_of(Verdict("", "", 1.0, "lab"), Verdict("", "", 2.0, "cuda"))
        self.assertEqual((both.solved, both.seconds, both.kind), (True, 3.0, "cuda"))

    def test_the_first_that_fails(self):
        first = self.verdict_of(Verdict("race", "r", 1.0, "lab"), Verdict("", "", 1.0, "cuda"))
        self.assertEqual((first.reason, first.kind), ("race", "lab"))
        second = self.verdict_of(Verdict("", "", 1.0, "lab"), Verdict("time", "t", 1.0, "cuda"))
        self.assertEqual((second.reason, second.kind), ("time", "cuda"))

    def test_what_nobody_looked_at_is_not_solved(self):
        nothing = Verdict("", "", graded=False)
        self.assertEqual(self.verdict_of(nothing).reason, "not_graded")
        self.assertEqual(self.verdict_of(nothing, nothing).reason, "not_graded")
        self.assertTrue(self.verdict_of(Verdict("", ""), nothing).solved)
        self.assertTrue(self.verdict_of(nothing, Verdict("", "")).solved)

    def test_what_cannot_be_graded_says_why(self):
        failed = self.verdict_of(OSError("no space"))
        self.assertEqual(failed.reason, "grader")
        self.assertIn("no space", failed.text)


if __name__ == "__main__":
    unittest.main()
