"""Students' folders: which ones exist, and which file of each is an exercise's.

The contents of such a folder are not trusted: links are not followed, only small text files are read, and
names may contain anything.
"""

from __future__ import annotations

import functools
import os
import re
import stat
from dataclasses import dataclass, replace
from pathlib import Path

from ..files import blank
from ..files.exercise import Exercise, find, read_text, short_name
from ..grading_error import GradingError
from . import layouts
from .layouts import Found

FORMS = """\
DIR is one student's folder, or a folder of such folders; of several DIRs each is a student's. A
student's folder holds a copy of the tutorial, or just chNN_…/exercises/exK_….cu, or chNN/exK….cu;
the warm-ups are in docs/first_kernel/exercises or in first/; there may be one folder around all of it, as
archives often have. Or DIR is what Moodle or Canvas gives as "all submissions", unpacked or as a zip
came: folders (Name_12345_assignsubmission_file_), files (name_12345_67890_ex2_sectors.cu) and zips, by
student. Loose files are identified by their names or by their first line; zips, also of a
whole repository or in another zip, and tars are read. Nothing but the exercises' blanks is
taken from it, and links are not followed."""

_CHAPTER = layouts.CHAPTER
_NESTED = "docs/first_kernel"  # in a copy of the tutorial


@dataclass(frozen=True)
class Student:
    name: str  # as shown: printable, and unique
    folder: Path | None  # that holds the chapters' folders; None: there is none
    files: tuple[tuple[str, tuple[Found, ...]], ...] | None = None  # by exercise, if they are loose files
    number: str = ""  # on the learning platform
    is_late: bool = False  # as the platform says
    trouble: str = ""  # what could not be read, in a line
    row: tuple[tuple[str, str], ...] = ()  # of the roster: columns and cells


def printable(name: str) -> str:
    """A file's name as text on one line, whatever bytes it has."""
    text = os.fsencode(name).decode("utf-8", "replace")
    return "".join(c if c.isprintable() else "\ufffd" for c in text)


def students(folders: list[Path], room: Path) -> tuple[list[Student], list[str]]:
    """The students of these folders by name, and the folders and files in which there is nothing to grade.

    If there are several folders, each is a student's; a single one may contain the students' folders. `room`: a folder
    for unpacked files. GradingError if there is no student at all.
    """
    found: list[Student] = []
    empty: list[str] = []
    left: list[str] = []
    for number, folder in enumerate(folders):
        own_room = room / str(number)
        if folder.is_file() and folder.suffix.lower() == ".zip":
            name = folder.stem
            folder = layouts.unpack_class(folder, own_room)
        elif folder.is_dir():
            name = folder.resolve().name  # "." is not a student's name
        else:
            raise GradingError(f"{printable(str(folder))} is not a folder")
        here = _chapters_of(folder, depth=0 if len(folders) == 1 else 1)
        if here == folder and len(folders) == 1 and (_holds_students(folder) or layouts.is_platforms(folder)):
            here = None  # a class in which a student is called ch03
        if here:
            found.append(Student(name, here))
            continue
        if len(folders) > 1 or _is_one_student(folder):
            whole = layouts.HandedIn(name, sources=[(folder, "")])
            inside = [_student(whole, own_room)]
        else:
            of_class, others = layouts.of_class(folder)
            inside = [_student(one, own_room / str(i)) for i, one in enumerate(of_class)]
            left += [printable(name) for name in others]
        if any(student.folder or student.files for student in inside):
            found += inside
        else:
            empty.append(printable(str(folders[number])))
    if not found:
        raise GradingError(
            f"{', '.join(empty)}: no exercises there: neither chNN… folders nor students' folders with these"
        )
    names: dict[str, int] = {}
    made = []
    for student in sorted(found, key=lambda one: (printable(one.name), one.number, str(one.folder))):
        shown = printable(student.name).strip() or "?"
        names[shown] = names.get(shown, 0) + 1
        made.append(replace(student, name=shown if names[shown] == 1 else f"{shown} ({names[shown]})"))
    return made, empty + left


def _is_one_student(folder: Path) -> bool:
    """Whether source files are in the folder itself, not under a platform's names."""
    return not layouts.is_platforms(folder) and any(name.endswith(".cu") for name in os.listdir(folder))


def _student(one: layouts.HandedIn, room: Path) -> Student:
    """The student who has handed this in."""
    try:
        return _looked_at(one, room)
    except Exception as error:  # whatever it is: grading continues
        words = f"what was handed in cannot be read: {layouts.one_line(error)}"
        return Student(one.name, None, None, one.number, one.is_late, words)


def _names_in(one: layouts.HandedIn) -> str:
    """The first files of what was handed in, to be named."""
    names: list[str] = []
    for path, name in one.sources:
        if path.is_dir():
            found = (os.path.relpath(os.path.join(at, file), path) for at, _, files in os.walk(path) for file in files)
            names += sorted(found)
        else:
            names.append(name)
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return ", ".join(printable(name)[:60] for name in names[:3]) + more


def _looked_at(one: layouts.HandedIn, room: Path) -> Student:
    if len(one.sources) == 1 and not one.sources[0][0].is_file():
        at = _chapters_of(one.sources[0][0], depth=1)
        if at:
            return Student(one.name, at, None, one.number, one.is_late)
    files, trouble = layouts.files_of(one, _exercise_names(), room)
    if not files and not trouble:
        there = _names_in(one)
        needed = (
            "folders whose names begin with a dot are not read" if "/." in f"/{there}" else "the .cu files are needed"
        )
        what = f"no exercise was found in what was handed in ({there}): {needed}"
        trouble = what if there else "nothing is in it"
    by_exercise = tuple((exercise, tuple(paths)) for exercise, paths in sorted(files.items()))
    return Student(one.name, None, by_exercise, one.number, one.is_late, trouble)


@functools.lru_cache(maxsize=1)
def _exercise_names() -> dict[str, str]:
    """The exercises by the names of their files, as far as these tell them apart."""
    every = [(exercise.name, exercise.id) for exercise in find()]
    names = [name for name, _ in every]
    return {name if names.count(name) == 1 else f"{name} in {id_}": id_ for name, id_ in every}


def _holds_students(folder: Path) -> bool:
    """Whether there are, next to the chapters' folders, others that contain chapters."""
    return any(not _CHAPTER.match(name) and _chapters_of(folder / name, depth=1) for name in _folders_in(folder))


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


def choose(student: Student, exercise: Exercise) -> tuple[Found | None, list[str]]:
    """The student's file for the exercise, and the names of others that differ from it.

    In a tree, it is the one named as it was handed out; GradingError if nothing tells which of several files it is.
    """
    begun = _begun(_candidates(student, exercise), exercise)
    if not begun:
        return None, []
    exact = [each for each in begun if each.path.name == f"{exercise.name}.cu"] if student.files is None else []
    chosen = exact[0] if len(exact) == 1 else begun[0]
    others = [each for each in begun if _content(each) != _content(chosen)]
    if others and len(exact) != 1:
        shown = ", ".join(printable(each.shown) for each in [chosen, *others][:3])
        raise GradingError(f"there are several files for {exercise.id}: {shown}")
    return chosen, [printable(each.shown) for each in others]


def _candidates(student: Student, exercise: Exercise) -> list[Found]:
    """All files of the student that may be the exercise's."""
    if student.files is not None:
        return sorted(dict(student.files).get(exercise.id, ()), key=lambda file: file.shown)
    if student.folder is None:
        return []
    chapter, number = exercise.id.split("/")
    names = [name for name in _folders_in(student.folder) if _CHAPTER.match(name)]
    if _is_nested(student.folder):
        names.append(_NESTED)
    paths: list[Path] = []
    for name in names:
        if short_name(name) == chapter:
            for folder in (student.folder / name / "exercises", student.folder / name):
                paths += _files(folder, number)
    return [Found(path, str(path.relative_to(student.folder))) for path in paths]


def _begun(candidates: list[Found], exercise: Exercise) -> list[Found]:
    """These files; without the unchanged ones if any of them has been changed."""
    stub = [line.strip() for line in exercise.notes.blank if line.strip()]
    changed = []
    for each in candidates:
        try:
            lines = blank.cut(_text_of(each.path, each.shown), each.shown).blank
        except GradingError:
            lines = []  # what is said about it
        if [line.strip() for line in lines if line.strip()] != stub:
            changed.append(each)
    return changed or candidates


def _text_of(path: Path, shown: str) -> str:
    """The text of a file; UTF-16, which some editors write, is decoded."""
    return read_text(path, shown, decodes_utf16=True)


def _content(candidate: Found) -> str:
    try:
        return _text_of(candidate.path, candidate.shown)
    except GradingError as error:
        return str(error)


def _is_nested(folder: Path) -> bool:
    """Whether the warm-ups are where the tutorial has them, not reached by a link."""
    return _is(folder / "docs", stat.S_ISDIR) and _is(folder / _NESTED, stat.S_ISDIR)


def _files(folder: Path, number: str) -> list[Path]:
    """The folder's files that may be exercise `number`: ex2.cu, ex2_coalesced.cu."""
    if not _is(folder, stat.S_ISDIR):
        return []
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return []
    stem = re.compile(rf"{number}(_.*)?", re.DOTALL | re.IGNORECASE)
    return [folder / name for name in names if stem.fullmatch(layouts.stem_of(name))]


def _is(path: Path, kind) -> bool:
    try:
        return kind(os.lstat(path).st_mode)
    except (OSError, ValueError):
        return False


def parts_of(path: Path, shown: str) -> blank.Parts:
    """The file, cut at its blank; GradingError, one line, if that is impossible."""
    shown = printable(shown)
    if _is(path, stat.S_ISLNK):
        raise GradingError(f"{shown} is a symbolic link, which is not followed")
    if not _is(path, stat.S_ISREG):
        raise GradingError(f"{shown} is not a file")
    return blank.cut(_text_of(path, shown), shown)
