"""./tutorial test says what it has not tested."""

from __future__ import annotations

import contextlib
import io
import os
import unittest
from unittest import mock

from building.errors import WRONG
from tutorial.verbs import test


class LeftOut(unittest.TestCase):
    def printed(
        self, *words: str, skipped_targets: tuple[str, ...] = (), ctest: int = 0, turn: str = "all"
    ) -> tuple[int, str]:
        build = mock.Mock()
        build.prepare.return_value = build
        build.skipped_targets.return_value = list(skipped_targets)
        out = io.StringIO()
        with contextlib.ExitStack() as patches:
            patches.enter_context(mock.patch.dict(os.environ, {"TUTORIAL_TURN": turn} if turn else {}))
            if not turn:
                os.environ.pop("TUTORIAL_TURN", None)
            patches.enter_context(mock.patch.object(test, "Build", return_value=build))
            patches.enter_context(mock.patch.object(test.programs, "run", return_value=ctest))
            patches.enter_context(contextlib.redirect_stdout(out))
            code = test.main(["--cpu", *words])
            self.turn = os.environ.get("TUTORIAL_TURN")
        return code, out.getvalue()

    def test_is_printed_after_all_tests(self):
        code, out = self.printed(skipped_targets=("A: left out (no a)", "B: left out"))
        self.assertEqual(code, 0)
        self.assertTrue(out.endswith("\nNot tested here:\n  A: left out (no a)\n  B: left out\n"), out)
        self.assertEqual(self.printed(skipped_targets=("A: left out",), ctest=8)[0], WRONG)

    def test_is_not_printed_if_some_were_chosen_or_nothing_is_missing(self):
        for words in ([], ["ch01"], ["-R", "lab"], ["-E", "lab"], ["--rerun-failed"]):
            _, out = self.printed(*words, skipped_targets=("A: left out",) if words else ())
            self.assertNotIn("Not tested", out)

    def test_a_day_tests_a_part_of_what_is_slow_and_says_so(self):
        _, out = self.printed(skipped_targets=("A: left out",), turn="")
        self.assertRegex(out, r"\nNot tested here:\n  A: left out\n  .*TUTORIAL_TURN=all tests everything\n$")
        self.assertIsNone(self.turn)
        self.printed("ch01", turn="")
        self.assertEqual(self.turn, "all", "whoever names a chapter works on it")
        self.printed("ch01", turn="3")
        self.assertEqual(self.turn, "3")


if __name__ == "__main__":
    unittest.main()
