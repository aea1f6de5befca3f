"""--play: what it refuses, in one line."""

from __future__ import annotations

import unittest
from pathlib import Path
from unittest import mock

from tutorial import own_program, play
from building.errors import USAGE, Refused


class Words(unittest.TestCase):
    def refused(self, call, *words):
        with self.assertRaises(Refused) as caught:
            call(list(words))
        self.assertEqual(caught.exception.code, USAGE)
        return str(caught.exception)

    def test_one_stage_of_one_chapter(self):
        self.assertIn("one stage of one chapter", self.refused(play.explain, "ch03"))
        self.assertIn("one stage of one chapter", self.refused(play.explain, "ch02", "ch03", "--stage", "shuffle"))
        self.assertIn("unknown chapter", self.refused(play.explain, "ch99", "--stage", "shuffle"))
        self.assertIn("leave out --gpu", self.refused(play.explain, "ch03", "--gpu", "--stage", "shuffle"))

    def test_one_exercise(self):
        self.assertIn("one exercise", self.refused(play.check))
        self.assertIn("one exercise", self.refused(play.check, "ch03"))
        self.assertIn("one exercise", self.refused(play.check, "ch03/ex1", "ch03/ex2"))

    def test_a_program_of_ones_own_writes_the_trace_that_is_played(self):
        played = []
        with mock.patch.object(play, "_play", lambda trace, *_: played.append(trace) or 0):
            with mock.patch.object(own_program, "explain", return_value=0) as explain:
                self.assertEqual(play.explain(["a.cu", "--", "--trace"]), 0)
        words = explain.call_args.args[0]
        self.assertEqual(words[words.index("--trace") + 1], str(played[0]))
        self.assertLess(words.index("--trace"), words.index("--"))
        self.assertEqual(Path(words[0]).name, "a.cu")

    def test_port(self):
        self.assertIn("--port takes a number", self.refused(play.explain, "ch03", "--port"))
        self.assertIn("--port takes a number", self.refused(play.check, "ch03/ex1", "--port", "x"))
        self.assertEqual(play._port(["ch03", "--port", "80", "--stage", "x"]), (["ch03", "--stage", "x"], 80))


if __name__ == "__main__":
    unittest.main()
