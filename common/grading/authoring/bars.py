"""The table of all bars, common/grading/bars.md: what each task asks for, and what enforces it.

`verify --bars` writes it from the solutions' files, the graders' bars and the notes; `verify` compares. It shows a
maintainer whether each word of a task has a bar, and whether each bar on traffic has a floor.
"""

from __future__ import annotations

import re

from ..files.exercise import Exercise, ROOT

FILE = ROOT / "common" / "grading" / "bars.md"
_HEAD = """# Every bar of every exercise

Written by `python3 common/grading verify --bars`; edit the graders or the notes instead. Each bar
is what the grader holds the solution to, in the last of its runs; what the solution takes, as g++'s
lab counts it, is next to it: the rest is the margin for answers in other styles, which are in
`tests/attempts/`. *At least* is a floor: what is needed must be loaded and stored, by enough
threads. *The array* is the one that holds the task's items. Besides the bars every answer's values
are compared, in three orders of threads, with no fault found.
"""


def _number(value: float) -> str:
    return f"{value:,.0f}" if value == int(value) else f"{value:,.2f}"


def _task(exercise: Exercise) -> str:
    """The task's words, as the file's header has them."""
    header = "\n".join(line[2:].strip() for line in exercise.official.before if line.startswith("//"))
    found = re.search(r"Task: (.*?)\n*(?:Read:|Check:)", header, re.DOTALL)
    return " ".join(found.group(1).split()) if found else ""


def section(exercise: Exercise, bars: list[dict]) -> str:
    """What the table says about one exercise. `bars` comes from the solution's verdict."""
    lines = [f"## `{exercise.id}`: {exercise.notes.title}", "", _task(exercise)]
    if bars:
        lines += ["", "| bar | required | the solution |", "| --- | --- | ---: |"]
        lines += [
            f"| {bar['what']} | {bar['relation']} {_number(bar['allowed'])} | {_number(bar['measured'])} |"
            for bar in bars
        ]
    return "\n".join(lines) + "\n"


def write(sections: list[str]) -> None:
    FILE.write_text("\n".join([_HEAD, *sections]), encoding="utf-8")


def is_current(one: str) -> bool:
    """Whether the table says this about an exercise; the solution's number differs from compiler to compiler."""

    def without_solution(text: str) -> str:
        return re.sub(r"(?m)^(\|.*\|) [^|]*\|$", r"\1", text)

    return FILE.is_file() and without_solution(one) in without_solution(FILE.read_text(encoding="utf-8"))
