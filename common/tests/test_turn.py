"""Tests of common/building/turn.py."""

from __future__ import annotations

import os
import sys
import unittest
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from building.turn import todays_part  # noqa: E402


class InTurn(unittest.TestCase):
    def parts(self, count: int, parts: int) -> list[list[int]]:
        found = []
        for turn in range(7, 7 + parts):
            with mock.patch.dict(os.environ, TUTORIAL_TURN=str(turn)):
                found.append(todays_part(range(count), parts))
        return found

    def test_so_many_turns_hold_each_item_once(self) -> None:
        for count, parts in ((0, 3), (1, 1), (2, 3), (10, 3), (57, 4)):
            with self.subTest(count=count, parts=parts):
                self.assertEqual(sorted(sum(self.parts(count, parts), [])), list(range(count)))

    def test_all(self) -> None:
        with mock.patch.dict(os.environ, TUTORIAL_TURN="all"):
            self.assertEqual(todays_part("abcd", 3), ["a", "b", "c", "d"])

    def test_without_a_name_the_day_decides(self) -> None:
        found = []
        for day in range(3):
            with mock.patch.dict(os.environ), mock.patch("time.time", lambda seconds=day * 24 * 3600: seconds):
                os.environ.pop("TUTORIAL_TURN", None)
                found += todays_part("abc", 3)
        self.assertEqual(found, ["a", "b", "c"])
