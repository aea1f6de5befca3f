"""What the exercises say to their readers: in English their notes and the heads of their files, in Chinese the sections
of exercises/README.zh-Hant.md, which are named like the files."""

from __future__ import annotations

import itertools
import re
import sys
from pathlib import Path

from repository import TRANSLATED

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "common"))
from grading.files.exercise import Exercise
from grading.grading_error import GradingError


def english(folder: Path) -> dict[str, str]:
    """Title, task, hints and what is learned, by the name of the file, of the exercises of a chapter's folder. An
    exercise that cannot be read is left out: its own check says why."""
    found = {}
    for path in sorted(folder.glob("grading/ex*.md")):
        exercise = Exercise(folder.parent, folder.name, path.stem)
        try:
            notes = exercise.notes
            found[path.stem] = "\n".join([notes.title, notes.teaches, *head(exercise), *notes.hints])
        except GradingError:
            continue
    return found


def head(exercise: Exercise) -> list[str]:
    """The comment at the top of its file, by lines. Raises GradingError if there is no file."""
    return list(itertools.takewhile(lambda line: line.startswith("//"), exercise.official.before))


def chinese_text(exercise: Exercise) -> Path:
    """The text that has its section in Chinese, if there is one."""
    return exercise.learner.with_name(f"README{TRANSLATED}")


def chinese(exercise: Exercise) -> tuple[str, str] | None:
    """Title and what is learned in Chinese; the latter is empty if it would name a fault. None without a section."""
    file = chinese_text(exercise)
    text = file.read_text(encoding="utf-8") if file.is_file() else ""
    section = re.search(rf'^## <a id="{exercise.name}"></a>[^：\n]*：(.*)\n((?:(?!## <a ).*\n)*)', text, re.M)
    if not section:
        return None
    learned = re.search(r"^\*\*學到\*\*：(.*)。$", section.group(2), re.M)
    return section.group(1), learned.group(1) if learned else ""
