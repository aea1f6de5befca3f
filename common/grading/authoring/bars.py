"""The table of all bars, common/grading/bars.md: what each task asks for, what enforces it, and which styles
were tried.

`verify --bars` writes it from the solutions' files, the graders' bars, the notes and tests/attempts.py; `verify`
compares. It shows a maintainer whether each word of a task has a bar, and whether each bar on traffic has a floor.
"""

from __future__ import annotations

import importlib.util
import re
import sys
from types import ModuleType

from ..files.exercise import Exercise, ROOT

FILE = ROOT / "common" / "grading" / "bars.md"
_HEAD = """# Every bar of every exercise

Written by `python3 common/grading verify --bars`; edit the graders, the notes, `tests/attempts.py`
or `tests/attempts/` instead. Each bar is what the grader holds the solution to, in the last of its
runs; what the solution takes, as g++'s lab counts it, is next to it: the rest is the margin for answers
in other styles. *At least* is a floor: what is needed must be loaded and stored, by enough
threads. *The array* is the one that holds the task's items. Besides the bars every answer's values
are compared, in three orders of threads, with no fault found. All that is listed under the bars was
tried, and is tried again by the test `grading_attempts`.
"""


def _attempts() -> ModuleType:
    path = ROOT / "common" / "grading" / "tests" / "attempts.py"
    spec = importlib.util.spec_from_file_location("attempts", path)
    if spec is None or spec.loader is None:
        raise FileNotFoundError(path)
    module = importlib.util.module_from_spec(spec)
    sys.modules["attempts"] = module
    spec.loader.exec_module(module)
    return module


def _number(value: float) -> str:
    return f"{value:,.0f}" if value == int(value) else f"{value:,.2f}"


def _task(exercise: Exercise) -> str:
    """The task's words, as the file's header has them."""
    header = "\n".join(line[2:].strip() for line in exercise.official.before if line.startswith("//"))
    found = re.search(r"Task: (.*?)\n*(?:Read:|Check:)", header, re.DOTALL)
    return " ".join(found.group(1).split()) if found else ""


def section(exercise: Exercise, bars: list[dict]) -> str:
    """What the table says about one exercise. `bars` comes from the solution's verdict."""
    tried = _attempts()
    right = [one.title for one in tried.RIGHT if one.exercise == exercise.id]
    wrong = [one.title for one in exercise.notes.wrong if one.fails == "count"]
    wrong += [one.title for one in tried.CHEATS if one.exercise == exercise.id and one.reason == "count"]
    lines = [f"## {exercise.id}: {exercise.notes.title}", "", _task(exercise), ""]
    if bars:
        lines += ["| bar | required | the solution |", "| --- | --- | ---: |"]
        lines += [
            f"| {bar['what']} | {bar['relation']} {_number(bar['allowed'])} | {_number(bar['measured'])} |"
            for bar in bars
        ]
        lines.append("")
    lines.append(f"Passes: {'; '.join(['the solution', *right])}.")
    if wrong:
        lines.append(f"Misses a bar: {'; '.join(wrong)}.")
    return "\n".join(lines) + "\n"


def write(sections: list[str]) -> None:
    FILE.write_text("\n".join([_HEAD, *sections]), encoding="utf-8")


def is_current(one: str) -> bool:
    """Whether the table says this about an exercise; the solution's number differs from compiler to compiler."""

    def without_solution(text: str) -> str:
        return re.sub(r"(?m)^(\|.*\|) [^|]*\|$", r"\1", text)

    return FILE.is_file() and without_solution(one) in without_solution(FILE.read_text(encoding="utf-8"))
