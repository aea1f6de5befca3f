"""What an editor's tasks run for the file that is open."""

from __future__ import annotations

import json
import re
import unittest
from pathlib import Path

from tutorial import editor

ROOT = editor.ROOT


class Editor(unittest.TestCase):
    def words(self, verb: str, file: str) -> list[list[str]]:
        return [[word.replace(str(ROOT) + "/", "") for word in c] for c in editor.commands(verb, ROOT / file)]

    def test_a_chapter_an_exercise_and_a_program_of_ones_own(self) -> None:
        self.assertEqual(self.words("run", "ch01_bubble/main.cu"), [["tutorial", "run", "ch01"]])
        self.assertEqual(self.words("faults", "ch01_bubble/main.cu"), [["tutorial", "explain", "--faults", "ch01"]])
        self.assertEqual(self.words("explain", "my.cu"), [["tutorial", "explain", "my.cu"]])
        for exercise in ("ch02_reduce_baseline/exercises/ex3_x.cu", "docs/first_kernel/exercises/ex10_shape.cu"):
            name = "ch02/ex3" if exercise.startswith("ch02") else "first/ex10"
            self.assertEqual(self.words("check", exercise), [["tutorial", "check", name]])
        build = self.words("debug", "ch01_bubble/main.cu")[-1]
        self.assertEqual(build, ["cmake", "--build", "build/debug", "--target", "ch01_bubble_cpu"])

    def test_what_is_nothing_of_the_kind_is_refused(self) -> None:
        for verb, file in (
            ("check", "ch01_bubble/main.cu"),
            ("run", "ch01_bubble/exercises/ex1_one_block.cu"),
            ("run", "README.md"),
            ("debug", "my.cu"),
        ):
            with self.assertRaises(editor.NotOfThatKind):
                editor.commands(verb, ROOT / file)

    def test_the_tasks_call_verbs_that_there_are_and_the_debugger_finds_its_task(self) -> None:
        def read(name: str) -> dict:
            text = (ROOT / ".vscode" / name).read_text(encoding="utf-8")
            return json.loads(re.sub(r"^\s*//.*$", "", text, flags=re.MULTILINE))

        tasks = read("tasks.json")["tasks"]
        for task in tasks:
            script = task["args"][0] if task["command"] == "python3" else task["command"]
            self.assertTrue((ROOT / script).is_file(), script)
            if script.endswith("editor.py"):
                file = ROOT / (
                    "ch01_bubble/exercises/ex1_one_block.cu" if task["args"][1] == "check" else "ch01_bubble/main.cu"
                )
                self.assertTrue(editor.commands(task["args"][1], Path(file)))
        labels = {task["label"] for task in tasks}
        for configuration in read("launch.json")["configurations"]:
            self.assertIn(configuration["preLaunchTask"], labels)


if __name__ == "__main__":
    unittest.main()
