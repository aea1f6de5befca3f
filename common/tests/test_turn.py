"""Tests of common/building/turn.py."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from building import turn  # noqa: E402
from building.turn import todays_part  # noqa: E402


class InTurn(unittest.TestCase):
    def parts(self, count: int, parts: int) -> list[list[int]]:
        found = []
        for number in range(7, 7 + parts):
            with mock.patch.dict(os.environ, TUTORIAL_TURN=str(number)):
                found.append(todays_part(range(count), parts))
        return found

    def test_so_many_turns_hold_each_item_once(self) -> None:
        for count, parts in ((0, 3), (1, 1), (2, 3), (10, 3), (57, 4)):
            with self.subTest(count=count, parts=parts):
                self.assertEqual(sorted(sum(self.parts(count, parts), [])), list(range(count)))

    def test_all(self) -> None:
        with mock.patch.dict(os.environ, TUTORIAL_TURN="all"):
            self.assertEqual(todays_part("abcd", 3), ["a", "b", "c", "d"])

    def test_all_after_a_change_to_what_they_are_about(self) -> None:
        with mock.patch.dict(os.environ, TUTORIAL_TURN="0"), mock.patch.object(
            turn, "changed_files", lambda: ["a/b.py"]
        ):
            for subjects, number in (("a", 4), ("a/b.py", 4), ("a/b", 2), ("b.py", 2)):
                with self.subTest(subjects=subjects):
                    self.assertEqual(len(todays_part("abcd", 2, [subjects])), number)

    def test_without_a_name_the_day_decides(self) -> None:
        found = []
        for day in range(3):
            with mock.patch.dict(os.environ), mock.patch("time.time", lambda seconds=day * 24 * 3600: seconds):
                os.environ.pop("TUTORIAL_TURN", None)
                found += todays_part("abc", 3)
        self.assertEqual(found, ["a", "b", "c"])


@unittest.skipUnless(shutil.which("git"), "there is no git")
class Changed(unittest.TestCase):
    """In a repository of its own: what the last ten commits, or those of a branch, have changed."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        self.git("init", "--quiet")
        self.git("symbolic-ref", "HEAD", "refs/heads/main")
        patched = mock.patch.dict(os.environ)
        patched.start()
        self.addCleanup(patched.stop)
        os.environ.pop("GITHUB_BASE_REF", None)

    def git(self, *words: str) -> None:
        names = ["-c", "user.name=A", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false"]
        subprocess.run(["git", "-C", str(self.root), *names, *words], check=True)

    def commit(self, name: str) -> None:
        (self.root / name).write_text(name)
        self.git("add", name)
        self.git("commit", "--quiet", "-m", name)

    def test_on_main_those_of_the_last_ten_commits(self) -> None:
        for number in range(12):
            self.commit(f"{number:02}")
        self.assertEqual(turn.changed_files(self.root), [f"{number:02}" for number in range(2, 12)])

    def test_on_a_branch_its_own_and_what_is_not_committed(self) -> None:
        self.commit("of main")
        self.git("checkout", "--quiet", "-b", "mine")
        self.commit("of the branch")
        (self.root / "of main").write_text("edited")
        (self.root / "new").write_text("")
        self.assertEqual(turn.changed_files(self.root), ["new", "of main", "of the branch"])

    def test_what_is_deleted_is_not_named(self) -> None:
        for name in ("a", "b"):
            self.commit(name)
        self.git("checkout", "--quiet", "-b", "mine")
        self.git("rm", "--quiet", "b")
        self.git("commit", "--quiet", "-m", "without b")
        self.assertEqual(turn.changed_files(self.root), [])

    def test_outside_a_repository_nobody_knows(self) -> None:
        with mock.patch.dict(os.environ, GIT_CEILING_DIRECTORIES=str(self.root.parent)):
            (self.root / ".git").rename(self.root / "no repository")
            self.assertEqual(turn.changed_files(self.root), [])


class OtherLanguages(unittest.TestCase):
    def said(self, *words: str, lines: str = "", code: int = 0) -> str:
        done = subprocess.run(
            [sys.executable, turn.__file__, *words],
            input=lines,
            capture_output=True,
            text=True,
            env={**os.environ, "TUTORIAL_TURN": "4"},
            check=False,
        )
        self.assertEqual(done.returncode, code)
        return done.stdout

    def test_the_turn_and_what_has_changed(self) -> None:
        said = json.loads(self.said())
        self.assertEqual(said["turn"], "4")
        self.assertEqual(self.said("changed").splitlines(), said["changed"])

    def test_a_part_of_lines(self) -> None:
        self.assertEqual(self.said("part", "3", lines="a\nb\nc\nd\n"), "b\n")
        self.assertEqual(self.said("part", "3", lines=""), "")

    def test_other_words_are_refused(self) -> None:
        for words in (["parts"], ["part"], ["part", "0"], ["part", "x"]):
            self.said(*words, code=2)
