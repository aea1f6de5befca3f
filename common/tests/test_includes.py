"""Tests of includes.py: small trees, each with one breach."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import includes

# Allowed as it is: each room with everything that it may include.
GOOD = {
    "ch01_one/main.cu": '#include <cuda_runtime.h>\n#include <vector>\n#include "../common/harness/chapter.hpp"\n',
    "ch01_one/experiment.hpp": '#include "../common/harness/interface.hpp"\n',
    "ch01_one/grading/ex1.cu": '#include "../../common/grading/lib/grading.hpp"\n#include "../experiment.hpp"\n',
    "ch02_two/main.cu": '#include "../common/harness/chapter.hpp"\n',
    "common/harness/interface.hpp": "#pragma once\n",
    "common/harness/chapter.hpp": '#pragma once\n#include "interface.hpp"\n',
    "common/harness/chapter.cpp": '#include "chapter.hpp"\n#include "runner.hpp"\n',
    "common/harness/runner.hpp": '#include "interface.hpp"\n',
    "common/harness/backend.cpp": "#include <emulator/counters.hpp>\n",
    "common/emulator/include/cuda_runtime.h": '#include "emulator/kernel.hpp"\n',
    "common/emulator/include/emulator/kernel.hpp": "#pragma once\n",
    "common/emulator/include/emulator/counters.hpp": "#pragma once\n",
    "common/emulator/include/emulator/hooks.hpp": "#pragma once\n",
    "common/emulator/include/emulator/for_observers.hpp": '#pragma once\n#include "hooks.hpp"\n',
    "common/emulator/src/launch.cpp": '#include "emulator/hooks.hpp"\n#include "launch.hpp"\n',
    "common/emulator/src/launch.hpp": "#pragma once\n",
    "common/lab/include/lab/lab.hpp": "#pragma once\n",
    "common/lab/src/hooks.cpp": '#include "emulator/for_observers.hpp"\n#include "session.hpp"\n',
    "common/lab/src/session.hpp": '#include "lab/lab.hpp"\n',
    "common/lab/chapter/adapter.cpp": '#include "common/harness/interface.hpp"\n#include "lab/lab.hpp"\n',
    "common/grading/lib/grading.hpp": '#include "../../lab/include/lab/lab.hpp"\n',
    "common/building/build.py": "import os\nfrom . import lock\n",
    "common/grading/check/check.py": "from building.build import Build\nfrom ..files import blank\n",
    "common/grading/course/grade.py": "from ..check import check\nfrom ..grading_error import GradingError\n",
    "common/tutorial/verbs/check.py": "from .. import grading\n\n\ndef main():\n    from grading.check import check\n",
    "common/grading/tests/test_check.py": "from tutorial import cli\n",
}


class Includes(unittest.TestCase):
    def breaches(self, **more: str) -> list[str]:
        """What is wrong with GOOD after `more` is written over it."""
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            for path, text in {**GOOD, **more}.items():
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_text(text, encoding="utf-8")
            return includes.check(root)

    def one(self, path: str, text: str, *words: str) -> None:
        """`text` in place of `path` is one breach, in its last line, reported in these words."""
        found = self.breaches(**{path: text})
        self.assertEqual(len(found), 1, found)
        self.assertTrue(found[0].startswith(f"{path}:{len(text.splitlines())}: "), found[0])
        for word in words:
            self.assertIn(word, found[0])

    def test_good_tree(self) -> None:
        self.assertEqual(self.breaches(), [])

    def test_chapter_includes_emulator(self) -> None:
        self.one("ch01_one/main.cu", "// text\n#include <emulator/counters.hpp>\n", "a chapter includes")

    def test_chapter_includes_lab(self) -> None:
        self.one("ch01_one/main.cu", "#include <lab/lab.hpp>\n", "the lab's header", "a chapter includes")

    def test_chapter_includes_another_chapter(self) -> None:
        self.one("ch02_two/main.cu", '#include "../ch01_one/experiment.hpp"\n', "a chapter includes its own files")

    def test_chapter_includes_grading(self) -> None:
        self.one("ch01_one/main.cu", '#include "../common/grading/lib/grading.hpp"\n', "the grading library")

    def test_first_kernel_includes_harness(self) -> None:
        self.one(
            "docs/first_kernel/main.cu", '#include "../../common/harness/chapter.hpp"\n', "nothing of this repository"
        )

    def test_grader_includes_another_chapter(self) -> None:
        self.one("ch01_one/grading/ex1.cu", '#include "../../ch02_two/main.cu"\n', "its own chapter")

    def test_harness_includes_chapter(self) -> None:
        self.one(
            "common/harness/runner.hpp", '#include "../../ch01_one/experiment.hpp"\n', "includes nothing of chapters"
        )

    def test_harness_includes_lab(self) -> None:
        self.one("common/harness/runner.hpp", '#  include "../lab/include/lab/lab.hpp"\n', "the lab or grading")

    def test_harness_includes_emulator(self) -> None:
        self.one("common/harness/runner.hpp", "#include <emulator/counters.hpp>\n", "includes nothing of chapters")

    def test_backend_includes_more_of_the_emulator(self) -> None:
        self.one("common/harness/backend.cpp", "#include <emulator/hooks.hpp>\n", "its counts and settings only")

    def test_emulator_includes_harness(self) -> None:
        self.one(
            "common/emulator/src/launch.hpp",
            '#include "../../harness/interface.hpp"\n',
            "nothing of the harness or the lab",
        )

    def test_emulator_includes_lab(self) -> None:
        self.one(
            "common/emulator/include/cuda_runtime.h", "#include <lab/lab.hpp>\n", "nothing of the harness or the lab"
        )

    def test_lab_includes_harness_outside_its_adapter(self) -> None:
        text = '#include "common/harness/interface.hpp"\n'
        self.one("common/lab/src/session.hpp", text, "only common/lab/chapter/")

    def test_lab_includes_more_of_the_emulator(self) -> None:
        for header in ("emulator/hooks.hpp", "emulator/counters.hpp", "launch.hpp"):
            with self.subTest(header):
                text = f'#include "emulator/for_observers.hpp"\n#include "{header}"\n'
                self.one("common/lab/src/hooks.cpp", text, "emulator/for_observers.hpp only")

    def test_adapter_includes_emulator(self) -> None:
        self.one("common/lab/chapter/adapter.cpp", '#include "launch.hpp"\n', "the emulator")

    def test_grading_includes_more_of_the_lab(self) -> None:
        self.one(
            "common/grading/lib/grading.hpp", '#include "../../lab/src/session.hpp"\n', "includes lab/lab.hpp only"
        )

    def test_file_that_is_not_there(self) -> None:
        self.one("ch01_one/main.cu", '#include "gone.hpp"\n', '"gone.hpp"', "not a file of the repository")

    def test_comments_are_not_read(self) -> None:
        self.assertEqual(self.breaches(**{"ch01_one/main.cu": '// #include "../common/lab/include/lab/lab.hpp"\n'}), [])

    def test_grading_imports_the_front_door(self) -> None:
        for text in (
            "from tutorial import cli\n",
            "import tutorial.cli\n",
            "def late():\n    from tutorial import cli\n",
        ):
            self.one("common/grading/check/check.py", text, "imports tutorial.cli", "grading.check may import")

    def test_what_is_below_both_imports_one_of_them(self) -> None:
        self.one("common/building/build.py", "from grading.files import blank\n", "building may import none")

    def test_the_core_imports_what_depends_on_it(self) -> None:
        self.one("common/grading/check/check.py", "from ..course import grade\n", "grading.course", "may import")

    def test_new_folder_needs_a_rule(self) -> None:
        found = self.breaches(**{"common/attic/old.hpp": "#pragma once\n"})
        self.assertEqual(len(found), 1, found)
        self.assertIn("common/attic/old.hpp: belongs to no room", found[0])

    def test_circle_of_headers(self) -> None:
        found = self.breaches(**{"common/harness/interface.hpp": '#include "chapter.hpp"\n'})
        self.assertEqual(len(found), 1, found)
        self.assertRegex(
            found[0], r"closes a circle \(.*chapter -> interface.*\)|closes a circle \(.*interface -> chapter"
        )

    def test_circle_by_way_of_a_source(self) -> None:
        found = self.breaches(**{"common/harness/runner.cpp": '#include "chapter.hpp"\n'})
        self.assertEqual(len(found), 1, found)
        self.assertIn("closes a circle", found[0])


class Program(unittest.TestCase):
    def run_on(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([sys.executable, includes.__file__, *arguments], capture_output=True, text=True)

    def test_this_repository(self) -> None:
        done = self.run_on()
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertRegex(done.stdout, r"^\d{3,} files include what they may\.$")

    def test_nothing_to_read_is_an_error(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            done = self.run_on(folder)
        self.assertEqual(done.returncode, 2)
        self.assertIn("there are no C++ or CUDA files", done.stderr)

    def test_breach_is_exit_code_1(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "ch01_one").mkdir()
            (Path(folder) / "ch01_one/main.cu").write_text('#include "gone.hpp"\n', encoding="utf-8")
            done = self.run_on(folder)
        self.assertEqual(done.returncode, 1)
        self.assertIn("ch01_one/main.cu:1:", done.stdout)


if __name__ == "__main__":
    unittest.main()
