"""Students' folders: which there are, and which file of each is an exercise's.

What lies in such a folder is a stranger's: links are not followed, nothing but small text files is
read, and names may hold anything.
"""

from __future__ import annotations

import csv
import os
import re
import stat
from dataclasses import dataclass
from pathlib import Path

from . import hole
from .exercise import Exercise, read_text, short_name
from .grading_error import GradingError

FORMS = """\
DIR is one student's folder, or a folder of such folders; of several DIRs each is a student's. A
student's folder holds a copy of the tutorial, or just chNN_…/exercises/exK_….cu, or chNN/exK….cu;
the warm-ups are in docs/first_kernel/exercises or in first/; there may be one folder round all of it, as
archives often have. Nothing but the exercises' holes is taken
from it, and links are not followed."""

_CHAPTER = re.compile(r"^(ch\d\d|first)(_\w+)?$")
_NESTED = "docs/first_kernel"  # in a copy of the tutorial


_ROSTER_HEADS = ("student", "name", "username", "email", "id")
_MOST_ROSTER = 4 << 20  # bytes


@dataclass(frozen=True)
class Student:
    name: str  # as shown: printable, and nobody else's
    folder: Path | None  # that holds the chapters' folders; None: nothing was handed in


def printable(name: str) -> str:
    """A file's name as text on one line, whatever bytes it has."""
    text = os.fsencode(name).decode("utf-8", "replace")
    return "".join(c if c.isprintable() else "\ufffd" for c in text)


def students(folders: list[Path]) -> tuple[list[Student], list[str]]:
    """The students of these folders by name, and the folders in which there is nothing to grade.

    Of several folders each is a student's; a single one may hold the students' folders. GradingError
    where there is no student at all.
    """
    found: list[tuple[str, Path]] = []
    empty: list[str] = []
    for folder in folders:
        if not folder.is_dir():
            raise GradingError(f"{printable(str(folder))} is no folder")
        here = _chapters_of(folder, depth=0 if len(folders) == 1 else 1)
        if here == folder and len(folders) == 1 and _holds_students(folder):
            here = None  # a class in which somebody is called ch03
        if here:
            found.append((folder.resolve().name, here))  # "." is no student's name
            continue
        inside = [(name, _chapters_of(folder / name, depth=1)) for name in _folders_in(folder)]
        found += [(name, at) for name, at in inside if at]
        if any(at for _, at in inside):
            empty += [printable(name) for name, at in inside if not at and not name.startswith(".")]
        else:
            empty.append(printable(str(folder)))
    if not found:
        raise GradingError(
            f"{', '.join(empty)}: no exercises there, neither chNN… folders nor folders of students with these"
        )
    names: dict[str, int] = {}
    made = []
    for name, at in sorted(found, key=lambda pair: (printable(pair[0]), str(pair[1]))):
        shown = printable(name) or "?"
        names[shown] = names.get(shown, 0) + 1
        made.append(Student(shown if names[shown] == 1 else f"{shown} ({names[shown]})", at))
    return made, empty


def _holds_students(folder: Path) -> bool:
    """Whether there are folders beside those of chapters that have chapters in them."""
    return any(not _CHAPTER.match(name) and _chapters_of(folder / name, depth=1) for name in _folders_in(folder))


def with_roster(found: list[Student], roster: Path) -> list[Student]:
    """The students of a roster, each once and in its order, and behind them those who are not in it.

    The roster is a CSV file; the names of the students' folders stand in the column that is called
    student, name, username, email or id, or else in the first.
    """
    try:
        with open(roster, encoding="utf-8-sig", errors="replace", newline="") as file:
            rows = [
                row for row in csv.reader(file.read(_MOST_ROSTER).splitlines()) if any(cell.strip() for cell in row)
            ]
    except (OSError, csv.Error) as error:
        raise GradingError(f"{printable(str(roster))} cannot be read: {getattr(error, 'strerror', error)}") from None
    heads = [cell.strip().lower() for cell in rows[0]] if rows else []
    column = next((heads.index(head) for head in _ROSTER_HEADS if head in heads), None)
    names = [row[column or 0].strip() for row in rows[column is not None :] if len(row) > (column or 0)]
    by_name = {student.name: student for student in found}
    listed = [name for name in dict.fromkeys(names) if name]
    if not listed:
        raise GradingError(
            f"{printable(str(roster))} names no students: a CSV file with a name in each line is asked for"
        )
    made = [
        (by_name.pop(name) if name in by_name else None)
        or Student("".join(c if c.isprintable() else "\ufffd" for c in name), None)
        for name in listed
    ]
    return made + [student for student in found if student.name in by_name]


def _folders_in(folder: Path) -> list[str]:
    try:
        with os.scandir(folder) as entries:
            return sorted(entry.name for entry in entries if entry.is_dir(follow_symlinks=False))
    except OSError as error:
        raise GradingError(f"{printable(str(folder))} cannot be read: {error.strerror}") from None


def _chapters_of(folder: Path, depth: int) -> Path | None:
    """`folder`, or the one folder in it, if it has chapters in it."""
    try:
        names = _folders_in(folder)
    except GradingError:
        return None
    if any(_CHAPTER.match(name) for name in names) or _is_nested(folder):
        return folder
    visible = [name for name in names if not name.startswith((".", "__MACOSX"))]
    return _chapters_of(folder / visible[0], depth - 1) if depth > 0 and len(visible) == 1 else None


def file_of(student: Student, exercise: Exercise) -> Path | None:
    """The student's file for the exercise, or None; GradingError where there are several."""
    if student.folder is None:
        return None
    chapter, number = exercise.id.split("/")
    candidates = []
    names = [name for name in _folders_in(student.folder) if _CHAPTER.match(name)]
    if _is_nested(student.folder):
        names.append(_NESTED)
    for name in names:
        if short_name(name) != chapter:
            continue
        for folder in (student.folder / name / "exercises", student.folder / name):
            candidates += _files(folder, number)
    exact = [path for path in candidates if path.name == f"{exercise.name}.cu"]
    chosen = exact or candidates
    if len(chosen) > 1:
        shown = ", ".join(printable(str(path.relative_to(student.folder))) for path in chosen[:3])
        raise GradingError(f"there are several files for {exercise.id}: {shown}")
    return chosen[0] if chosen else None


def _is_nested(folder: Path) -> bool:
    """Whether the warm-ups lie where the tutorial has them, and not behind a link."""
    return _is(folder / "docs", stat.S_ISDIR) and _is(folder / _NESTED, stat.S_ISDIR)


def _files(folder: Path, number: str) -> list[Path]:
    """The folder's files that may be exercise `number`: ex2.cu, ex2_coalesced.cu."""
    if not _is(folder, stat.S_ISDIR):
        return []
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return []
    return [folder / name for name in names if re.fullmatch(rf"{number}(_.*)?\.cu", name, re.DOTALL)]


def _is(path: Path, kind) -> bool:
    try:
        return kind(os.lstat(path).st_mode)
    except (OSError, ValueError):
        return False


def parts_of(path: Path, student: Student) -> hole.Parts:
    """The file, cut at its hole; GradingError, one line, where that cannot be."""
    assert student.folder is not None  # the file is in it
    shown = printable(str(path.relative_to(student.folder)))
    if _is(path, stat.S_ISLNK):
        raise GradingError(f"{shown} is a symbolic link, which is not followed")
    if not _is(path, stat.S_ISREG):
        raise GradingError(f"{shown} is no file")
    return hole.cut(read_text(path, shown), shown)
