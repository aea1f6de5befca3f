"""Does an exercise have the form that README.md asks for: a short task, two hints, two wrong answers?"""

from __future__ import annotations

import itertools
import re
import sys
from pathlib import Path

from ..files import blank
from ..files.exercise import Exercise, read_text
from ..files.notes import KINDS
from ..grading_error import GradingError

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "docs" / "tools"))
import links

MAX_LINES = 90  # of a learner's file
MAX_TASK_LINES = 8
# What a header says, each in a paragraph of its own: what to do, what is there, what the answer must meet.
_LABELS = ("Task", "Given", "Required", "Read", "Check")


def check(exercise: Exercise, pristine: bool) -> list[str]:
    """One line for each thing that is wrong; with `pristine` also for the learner's file."""
    try:
        found = _notes(exercise) + _text(exercise)
        if pristine and read_text(exercise.learner, exercise.shown(exercise.learner)) != exercise.stub_text():
            found.append(
                f"{exercise.shown(exercise.learner)} is not the stub: "
                f"verify_exercises.py --write {exercise.id} writes it"
            )
        return found
    except GradingError as error:
        return [str(error)]


def check_chapters(chosen: list[Exercise], everything: list[Exercise]) -> list[str]:
    """Does every chapter chosen as a whole have an exercise of each kind, numbered from 1?"""
    found = []
    for folder in sorted({e.folder for e in chosen}):
        here = [e for e in everything if e.folder == folder]
        if any(e not in chosen for e in here):
            continue
        missing = [kind for kind in KINDS if all(e.notes.kind != kind for e in here)]
        if missing:
            found.append(f"{folder}: no exercise is of the kind {', '.join(missing)}")
        numbers = [e.id.split("/ex")[1] for e in here]
        if numbers != [str(i + 1) for i in range(len(here))]:
            found.append(f"{folder}: the exercises are numbered {', '.join(numbers)}")
    return found


def _notes(exercise: Exercise) -> list[str]:
    notes, shown = exercise.notes, exercise.shown(exercise.notes_file)
    found = []
    if len(notes.hints) != 2 or not all(notes.hints):
        found.append(f"{shown}: there must be two hints, but there are {len(notes.hints)}")
    if len(notes.wrong) < 2:
        found.append(f"{shown}: there must be at least two wrong answers, but there are {len(notes.wrong)}")
    name, _, anchor = notes.read.partition("#")
    file = exercise.root / exercise.folder / name
    if not file.is_file():
        found.append(f"{shown}: read: {name} is not there")
    elif anchor and anchor not in links.anchors(file.read_text(encoding="utf-8")):
        found.append(f"{shown}: read: {name} has no heading #{anchor}")
    return found


def _text(exercise: Exercise) -> list[str]:
    """The file that is handed out: its header, its length, its blank."""
    shown = exercise.shown(exercise.solution)
    parts = exercise.official
    found = []
    lines = blank.lines_of(exercise.stub_text())
    if len(lines) > MAX_LINES:
        found.append(f"{shown}: {len(lines)} lines are too many to read in a minute; at most {MAX_LINES}")
    header = list(itertools.takewhile(lambda line: line.startswith("//"), lines))
    chapter, number = exercise.id.split("/ex")
    first_words = f"Warm-up {number}: " if chapter == "first" else f"Exercise {int(chapter[2:])}.{number}: "
    title = f"// {first_words}{exercise.notes.title}"
    if not header or header[0].split("  ")[0].lower() != title.lower():
        found.append(f"{shown}:1: the first line must begin with '{title}'")
    elif not header[0].endswith(f"({KINDS[exercise.notes.kind]})"):
        found.append(f"{shown}:1: the first line must end with '({KINDS[exercise.notes.kind]})'")
    at = [(i, label) for i, line in enumerate(header) for label in _LABELS if line.startswith(f"// {label}: ")]
    if [label for _, label in at] != list(_LABELS):
        found.append(f"{shown}: the header must contain {', '.join(f'{label}:' for label in _LABELS)}, in this order")
    elif at[3][0] - at[0][0] > MAX_TASK_LINES:
        found.append(f"{shown}: the task takes {at[3][0] - at[0][0]} lines; at most {MAX_TASK_LINES}")
    check_line = f"// Check: ./tutorial check {exercise.id}     Stuck? Add --hint"
    if check_line not in header:
        found.append(f"{shown}: the header must contain '{check_line}'")
    promised = int(re.findall(r"about (\d+) line", parts.before[-1])[0])
    needed = sum(1 for line in parts.blank if line.strip() and not line.strip().startswith("//"))
    if not promised / 2 - 2 <= needed <= promised * 1.5 + 2:
        found.append(f"{shown}:{len(parts.before)}: the blank promises {promised} lines, but the solution has {needed}")
    return found
