"""What `run` prints besides the program's output."""

from __future__ import annotations

import contextlib
import io
import unittest
from types import SimpleNamespace
from unittest import mock

from tutorial import targets
from tutorial.verbs import run

POINTER = "./tutorial run ch05 --n 2^16"


class Story(unittest.TestCase):
    def said(self, *words: str, is_gpu: bool = False) -> str:
        where = SimpleNamespace(why="", is_gpu=is_gpu)
        with contextlib.ExitStack() as patches:
            patches.enter_context(mock.patch.object(run.backend, "choose", return_value=where))
            patches.enter_context(mock.patch.object(run, "Build"))
            patches.enter_context(mock.patch.object(run.programs, "run", return_value=0))
            out = patches.enter_context(contextlib.redirect_stdout(io.StringIO()))
            self.assertEqual(run.main(list(words)), 0)
        return out.getvalue()

    def test_on_the_emulator_a_chapter_points_to_the_n_of_its_story(self):
        self.assertIn(POINTER, self.said("ch05"))
        self.assertNotIn("The stages differ", self.said("ch01"))

    def test_who_has_chosen_n_or_has_a_gpu_is_not_told(self):
        self.assertNotIn(POINTER, self.said("ch05", "--n", "2^12"))
        self.assertNotIn(POINTER, self.said("ch05", is_gpu=True))

    def test_only_the_search_for_faults_builds_all_of_the_lab(self):
        self.assertEqual(targets.kind_in_lab(["--n", "64", "--explain"]), "count")
        for words in (["--faults"], ["--trace", "x"], ["--trace=x", "--stage", "shared"]):
            self.assertEqual(targets.kind_in_lab(words), "lab")


if __name__ == "__main__":
    unittest.main()
