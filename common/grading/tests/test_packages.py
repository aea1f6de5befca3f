"""Which package of grading may import which: the core never imports what a class needs."""

import ast
import unittest
from pathlib import Path

import paths

GRADING = paths.COMMON / "grading"
# What each may import beside itself and grading_error.
ALLOWED = {
    "files": set(),
    "process": set(),
    "check": {"files", "process", "rules"},
    "rules": {"files"},
    "authoring": {"check", "files", "process", "rules"},
    "course": {"check", "files", "process", "rules"},
}


def imported(file: Path) -> set[str]:
    """The packages of grading that a file imports."""
    found = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom):
            names = [node.module or ""]
            if node.level == 2:
                names = [f"grading.{node.module}"] if node.module else [f"grading.{a.name}" for a in node.names]
        found |= {name.split(".")[1] for name in names if name.startswith("grading.")}
    return found - {"grading_error"}


class Packages(unittest.TestCase):
    def test_every_folder_of_python_has_a_rule(self):
        self.assertEqual({file.parent.name for file in GRADING.glob("*/__init__.py")}, set(ALLOWED))

    def test_nobody_imports_what_is_above(self):
        for package, others in ALLOWED.items():
            for file in sorted((GRADING / package).glob("*.py")):
                with self.subTest(file.relative_to(GRADING).as_posix()):
                    self.assertLessEqual(imported(file), others | {package})

    def test_imports_are_seen(self):
        self.assertIn("check", imported(GRADING / "course" / "grade.py"))
        self.assertIn("process", imported(GRADING / "check" / "attempt.py"))


if __name__ == "__main__":
    unittest.main()
