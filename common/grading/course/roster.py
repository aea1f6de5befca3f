"""Who is in the class: the platform's own table, held against the names of what was handed in.

A roster is a CSV file with a student in each row: one that the teacher has written, Moodle's grading worksheet
or Canvas's exported gradebook. Its columns are kept, for the table that goes back.
"""

from __future__ import annotations

import datetime
import re
import unicodedata
from dataclasses import replace
from pathlib import Path

from ..grading_error import GradingError
from . import course
from .submission import printable, Student

# The column that names a student in our tables, the best first.
_SHOWN = ("student", "full name", "name", "username", "email", "email address", "id")
# Those that may tell whose a folder is.
_TELLING = (*_SHOWN, "identifier", "id number", "sis login id", "sis user id", "login")
_FIRST, _LAST = ("first name", "firstname", "given name"), ("surname", "last name", "lastname", "family name")
_TIMES = ("handed in", "handed_in", "submitted", "submitted_at", "time")


def key_of(text: str) -> str:
    """A name without what platforms leave out or change: case, accents, blanks and punctuation."""
    plain = unicodedata.normalize("NFKD", text)
    return "".join(c for c in plain.casefold() if c.isalnum() and not unicodedata.combining(c))


def with_roster(found: list[Student], path: Path) -> list[Student]:
    """The students of a roster, each once and in its order, and behind them those who are not in it."""
    shown = printable(str(path))
    rows = [row for _, row in course.table(path, shown)]
    heads = [cell.lower() for cell in rows[0]] if rows else []
    column = next((heads.index(head) for head in _SHOWN if head in heads), None)
    if column is None:  # no heads: the first column is the names
        heads, column = ["student"], 0
    else:
        titles, rows = rows[0], rows[1:]
    titles = titles if heads != ["student"] else ["student"]
    by_key: dict[str, list[int]] = {}
    listed: list[tuple[str, list[str]]] = []
    for row in rows:
        name = row[column] if len(row) > column else ""
        if not name or key_of(name) in ("pointspossible", "studenttest") or row in (other for _, other in listed):
            continue
        called = sum(row_[column] == name for _, row_ in listed)
        name = name if called == 0 else f"{name} ({called + 1})"  # two people may have one name
        for key in _keys(heads, row):
            by_key.setdefault(key, []).append(len(listed))
        listed.append((name, row))
    if not listed:
        raise GradingError(f"{shown} names no students: a CSV file with a name in each line is expected")
    whose: dict[int, Student] = {}
    left = []
    for student in found:
        place = _place(student, by_key, [name for name, _ in listed])
        if place is None or place in whose:
            left.append(student)
        else:
            whose[place] = student
    made = []
    for place, (name, row) in enumerate(listed):
        cells = tuple(zip(titles, row))
        readable = "".join(c if c.isprintable() else "\ufffd" for c in name)
        made.append(replace(whose.get(place, Student(readable, None)), name=readable, row=cells))
    taken = {student.name for student in made}
    return made + [
        replace(student, name=f"{student.name} (not in the roster)") if student.name in taken else student
        for student in left
    ]


def _keys(heads: list[str], row: list[str]) -> set[str]:
    """All that this student's folder may be called."""
    cells = {head: cell for head, cell in zip(heads, row) if cell}
    keys = set()
    for head in _TELLING:
        if head in cells:
            keys.add(key_of(cells[head]))
            if "@" in cells[head]:
                keys.add(key_of(cells[head].partition("@")[0]))
            participant = re.fullmatch(r"\D*(\d+)", cells[head]) if head in ("id", "identifier") else None
            if participant:
                keys.add(f"#{participant[1]}")
    first = next((cells[head] for head in _FIRST if head in cells), "")
    last = next((cells[head] for head in _LAST if head in cells), "")
    if first and last:
        keys |= {key_of(first + last), key_of(last + first)}
    if "," in cells.get("student", ""):  # "Berg, Anna"
        family, _, given = cells["student"].partition(",")
        keys.add(key_of(given + family))
    return keys - {""}


def _place(student: Student, by_key: dict[str, list[int]], names: list[str]) -> int | None:
    """The student's row; None where there is none, or where two could be."""
    if student.name in names:
        return names.index(student.name)
    for key in (f"#{student.number}" if student.number else "", key_of(student.name)):
        places = set(by_key.get(key, ()))
        if len(places) == 1:
            return places.pop()
    return None


def handed_in(path: Path, students: list[Student]) -> dict[tuple[str, str], datetime.datetime]:
    """When students have handed in, by name and exercise ('': all of them). GradingError: a line for each mistake.

    A CSV file with a column that names the student as a roster does, one of times (`handed in`), and, if there is
    more than one time for a student, `exercise`.
    """
    rows = course.table(path, path.name)
    heads = [cell.lower() for cell in rows[0][1]] if rows else []
    column = next((heads.index(head) for head in _SHOWN if head in heads), None)
    when = next((heads.index(head) for head in _TIMES if head in heads), None)
    if column is None or when is None:
        raise GradingError(f"{path.name}: it needs two columns: one of {', '.join(_SHOWN)}, and one of 'handed in'")
    exercise = heads.index("exercise") if "exercise" in heads else None
    by_key = {key_of(student.name): student for student in students}
    for student in students:
        for _, cell in student.row:
            if cell:
                by_key.setdefault(key_of(cell), student)
    times: dict[tuple[str, str], datetime.datetime] = {}
    wrong = []
    for line, row in rows[1:]:
        row = row + [""] * (len(heads) - len(row))
        whose = by_key.get(key_of(row[column]))
        time = course.moment(row[when]) if row[when] else None
        if row[when] and time is None:
            wrong.append(f"{path.name}:{line}: '{row[when]}': a time is expected, such as 2026-03-01 18:00")
        if whose is None:
            wrong.append(f"{path.name}:{line}: there is no student '{printable(row[column])}'")
        elif time is not None:
            times[(whose.name, row[exercise] if exercise is not None else "")] = time
    if wrong:
        raise GradingError("\n".join(wrong))
    return times
