"""When a build folder is configured again, and what is shown of a log."""

from __future__ import annotations

import io
import os
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from building import build
from building.backend import Backend
from building.errors import Refused
from building.repository import ROOT


class BuildFolder(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.build = build.Build(Backend("cpu", "", ""), out=io.StringIO())
        self.build.folder = Path(scratch.name) / "cpu"
        self.build.folder.mkdir()
        environment = mock.patch.dict(os.environ)
        environment.start()
        self.addCleanup(environment.stop)
        os.environ.pop("CXX", None)

    def write(self, **values: str) -> dict[str, str]:
        known = {
            "CMAKE_HOME_DIRECTORY": str(ROOT),
            "CMAKE_CACHEFILE_DIR": str(self.build.folder),
            "CMAKE_CXX_COMPILER": "/bin/sh",
            "CMAKE_GENERATOR": "Ninja",
            "TUTORIAL_LAB": "ON",
        }
        text = "".join(f"{name}:INTERNAL={value}\n" for name, value in {**known, **values}.items())
        (self.build.folder / "CMakeCache.txt").write_text(f"# comment\n//help\n{text}", encoding="utf-8")
        return self.build.cache()

    def test_a_new_folder_is_nothing_to_make_anew(self):
        self.assertEqual(self.build.cache(), {})
        self.assertEqual(self.build._why_anew({}), "")
        self.assertTrue(self.build._has_changed({}, "run"))

    def test_one_that_is_right_is_left_alone(self):
        cache = self.write()
        self.assertEqual(self.build._why_anew(cache), "")
        self.assertTrue(self.build._has_changed(cache, "run"), "CMake did not end")
        (self.build.folder / "build.ninja").touch()
        self.assertFalse(self.build._has_changed(cache, "run"))

    def test_a_moved_or_copied_tree(self):
        self.assertIn("moved", self.build._why_anew(self.write(CMAKE_HOME_DIRECTORY="/elsewhere")))
        self.assertIn("moved", self.build._why_anew(self.write(CMAKE_CACHEFILE_DIR="/elsewhere/build/cpu")))

    def test_another_compiler(self):
        self.assertIn("/gone/c++ no longer exists", self.build._why_anew(self.write(CMAKE_CXX_COMPILER="/gone/c++")))
        os.environ["CXX"] = "/bin/cat"
        self.assertIn("you asked for /bin/cat", self.build._why_anew(self.write()))
        os.environ["CXX"] = "sh"
        self.assertEqual(self.build._why_anew(self.write()), "")

    def test_what_was_left_out_is_looked_for_again_before_a_test(self):
        cache = self.write()
        (self.build.folder / "build.ninja").touch()
        for text, lines in (("", []), ("A: left out (no a)\nB: left out\n", ["A: left out (no a)", "B: left out"])):
            (self.build.folder / "skipped_targets.txt").write_text(text, encoding="utf-8")
            self.assertEqual(self.build.skipped_targets(), lines)
            self.assertEqual(self.build._has_changed(cache, "test"), bool(lines))
            self.assertFalse(self.build._has_changed(cache, "run"))

    def test_libdw_that_comes_later_is_seen(self):
        cache = self.write(TUTORIAL_LAB="OFF")
        (self.build.folder / "build.ninja").touch()
        for missing, verb, expected in (([], "run", True), (["libdw"], "run", False), (["libdw"], "explain", True)):
            with mock.patch("building.packages.missing_for_lab", return_value=missing):
                with mock.patch("building.packages.lab_is_possible", return_value=True):
                    self.assertEqual(self.build._has_changed(cache, verb), expected)

    def test_a_path_that_cannot_work_is_refused_in_one_line(self):
        for odd in ";", '"', "$", "\n":
            with mock.patch("building.build.ROOT", Path(f"/home/a{odd}b")):
                with self.assertRaises(Refused) as refused:
                    self.build.prepare("run")
                self.assertIn("in its path", str(refused.exception))
                self.assertNotIn("\n", str(refused.exception))


class Log(unittest.TestCase):
    def test_errors_come_with_what_follows(self):
        log = "\n".join(["fine"] * 50 + ["a.cu:3:1: error: no such thing", "  code", "  ^", "x", "y", "z"])
        text = build.errors_of(log)
        self.assertTrue(text.startswith("51:a.cu:3:1: error: no such thing\n52:  code"), text)
        self.assertNotIn("fine", text)
        self.assertNotIn("z", text)

    def test_without_one_the_end_is_shown(self):
        self.assertEqual(build.errors_of("\n".join(map(str, range(100)))), "\n".join(map(str, range(70, 100))))


if __name__ == "__main__":
    unittest.main()
