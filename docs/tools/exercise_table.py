"""Tables of the exercises, from their notes in chNN_name/grading/."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from errors import DocsError
from exercise_texts import chinese, chinese_text
from repository import ROOT, TRANSLATED, chapter

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "common"))
from grading.files import exercise as exercises
from grading.files.notes import KINDS
from grading.grading_error import GradingError

LEVELS = {1: "easy", 2: "medium", 3: "hard"}


def table(words: list[str], path: Path, root: Path = ROOT) -> str:
    """Markdown for `<!-- exercises CHAPTER -->` (ch03, first) or `<!-- exercises all -->` in the text `path`."""
    if len(words) != 1:
        raise DocsError("an exercises marker reads: exercises CHAPTER, or exercises all")
    everything = words[0] == "all"
    chosen = [e for e in exercises.find(root) if everything or words[0] in (e.chapter, e.folder)]
    if not chosen:
        if not everything:
            chapter(words[0], root)  # raises an error if there is none of that name
        raise DocsError(f"there are no exercises of {words[0]}")
    lines = ["| | exercise | kind | level | what you learn to do |", "| --- | --- | --- | --- | --- |"]
    for exercise in chosen:
        try:
            notes = exercise.notes
        except GradingError as error:
            raise DocsError(str(error)) from None
        title, teaches = notes.title, notes.teaches.rstrip(".")
        link = _between(path, exercise.learner)
        if path.name.endswith(TRANSLATED) and (found := chinese(exercise)):
            title, teaches = found
            link = f"{_between(path, chinese_text(exercise))}#{exercise.name}"
        name = exercise.id if everything else exercise.id.split("/")[1]
        # What the exercise teaches would give the bug away: only the teachers' list of all chapters shows it.
        if notes.kind == "fault" and not everything:
            teaches = "…"
        lines.append(f"| {name} | [{title}]({link}) | {KINDS[notes.kind]} | {LEVELS[notes.level]} | {teaches} |")
    return "\n".join(lines)


def _between(text: Path, file: Path) -> str:
    """How a text links to a file; empty if it is the text itself."""
    return "" if file == text else os.path.relpath(file, text.parent).replace(os.sep, "/")
