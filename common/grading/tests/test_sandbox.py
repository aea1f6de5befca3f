"""What a sandbox shows of this computer to a command."""

import unittest
from pathlib import Path

import support
from grading.check.build import Backend, Build
from grading.course import grade, sandbox
from grading.process.limited_process import Limits


def words_of(readable: list[str], folder: str) -> list[str]:
    box = sandbox.Sandbox(tuple(Path(path) for path in readable))
    return box._wrapped(["true"], Path(folder), Limits(), {}, False, None)


def after(words: list[str], option: str) -> list[str]:
    return [words[i + 1] for i, word in enumerate(words) if word == option]


class MountsTest(unittest.TestCase):
    def test_what_is_inside_another_one_is_no_mount_of_its_own(self):
        words = words_of(["/home/a/common/lab/x.so", "/home/a/common", "/usr/lib/gcc", "/usr", "/home/ab"], "/home/b/c")
        given = [path for path in after(words, "--ro-bind") if path.startswith("/home")]
        self.assertEqual(given, ["/home/a/common", "/home/ab"])
        self.assertEqual(after(words, "--ro-bind").count("/usr"), 1)

    def test_folders_above_come_first(self):
        words = words_of(["/home/a/common"], "/home/b/c")
        made = after(words, "--dir")
        self.assertEqual([path for path in made if path.startswith("/home")], ["/home", "/home/a", "/home/b"])
        self.assertLess(words.index("/home/b"), words.index("/home/a/common"))

    def test_the_own_folder_alone_is_writable(self):
        self.assertEqual(after(words_of(["/home/a/common"], "/home/b/c"), "--bind"), ["/home/b/c"])


class ReadableTest(unittest.TestCase):
    def test_an_exercise_reads_its_own_chapter_and_no_solution(self):
        exercise = support.small_tutorial(self)
        own = exercise.learner.parents[1]
        other = exercise.root / "ch02_other"
        for chapter in (own, other):
            chapter.mkdir(exist_ok=True)
            (chapter / "shapes.hpp").write_text("")
        (exercise.root / "common").mkdir(exist_ok=True)
        objects = exercise.root / "build" / "objects"
        objects.mkdir(parents=True)
        (objects / "grader.o").write_text("")
        backend = Backend(
            "lab", exercise.root, "/usr/bin/g++", [], [], [], {exercise.id: ["target", str(objects / "grader.o")]}
        )
        made = Build(exercise.root / "build", False, {"lab": backend})
        found = grade.readable(made, "lab", exercise)
        self.assertIn(own / "shapes.hpp", found)
        self.assertIn(objects, found)
        for path in found:
            self.assertNotIn(path, exercise.solution.parents, "what holds the solution")
            self.assertNotIn(other, [path, *path.parents])

    def test_what_a_first_build_makes_is_seen(self):
        """The compiler loads the lab's plugin, which is not there before the first build."""
        exercise = support.small_tutorial(self)
        plugin = exercise.root / "build" / "plugin.so"
        plugin.parent.mkdir()

        class FirstBuild(Build):
            def make(self, exercise_ids, kinds, jobs):
                plugin.write_text("")

        graders = {exercise.id: ["target"]}
        backend = Backend("cpu", exercise.root, "/usr/bin/g++", [f"-fplugin={plugin}"], [], [], graders)
        made = FirstBuild(plugin.parent, False, {"cpu": backend})
        _, runners = grade.built(made, ["cpu"], [exercise], 1, isolated=True)
        self.assertIn(plugin, runners["cpu", exercise.id].__self__.readable)


if __name__ == "__main__":
    unittest.main()
