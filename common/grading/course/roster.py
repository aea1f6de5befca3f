"""The students of a class: the platform's own table, matched with the names of the submissions.

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

# The columns that may name a student in our tables, the best first.
_SHOWN = (
    *("student", "full name", "vollst\u00e4ndiger name", "name", "username", "anmeldename", "email", "email address"),
    *("e-mail-adresse", "id"),
)
# Those that may say whose a folder is.
_TELLING = (*_SHOWN, "identifier", "id number", "matrikelnummer", "sis login id", "sis user id", "login")
_FIRST = ("first name", "firstname", "given name", "vorname")
_LAST = ("surname", "last name", "lastname", "family name", "nachname")
_SUBMITTED = ("last modified (submission)", "zuletzt ge\u00e4ndert (abgabe)")  # of Moodle's grading worksheet
_TIMES = ("handed in", "handed_in", "submitted", "submitted_at", "time")


def key_of(text: str) -> str:
    """A name without the things that platforms leave out or change: case, accents, blanks and punctuation."""
    plain = unicodedata.normalize("NFKD", text)
    return "".join(c for c in plain.casefold() if c.isalnum() and not unicodedata.combining(c))


def with_roster(found: list[Student], path: Path) -> list[Student]:
    """The students of a roster, each once and in its order, followed by those not in it."""
    shown = printable(str(path))
    rows = [row for _, row in course.table(path, shown)]
    heads = [cell.lower() for cell in rows[0]] if rows else []
    column = next((heads.index(head) for head in _SHOWN if head in heads), None)
    first, last = [next((i for i, head in enumerate(heads) if head in kind), None) for kind in (_FIRST, _LAST)]
    if column is None and first is not None and last is not None:
        heads, titles = ["student", *heads], ["student", *rows[0]]
        rows = [[" ".join(row[i] for i in (first, last) if i < len(row)).strip(), *row] for row in rows[1:]]
        column = 0
    elif column is None and len(heads) > 1:
        raise GradingError(
            f"{shown}: none of its columns ({', '.join(heads[:4])}) names the students: "
            f"one of them must be called {', '.join(_SHOWN[:-1])} or {_SHOWN[-1]}"
        )
    elif column is None:  # no headings: names, one per line
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
    """All names that this student's folder may have."""
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
    """The student's row; None if there is none, or if there could be two."""
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
    by_key: dict[str, set[str]] = {}
    for student in students:
        # "Anna Berg (2)" is a second Anna Berg.
        plain = re.sub(r" \(\d+\)$", "", student.name)
        for cell in (student.name, plain, student.number, *(cell for _, cell in student.row)):
            by_key.setdefault(key_of(cell), set()).add(student.name)
    times: dict[tuple[str, str], datetime.datetime] = {}
    lines: dict[tuple[str, str], int] = {}
    wrong = []
    for line, row in rows[1:]:
        row = row + [""] * (len(heads) - len(row))
        where = f"{path.name}:{line}"
        whose = sorted(by_key.get(key_of(row[column]), ()))
        time = course.moment(row[when]) or worksheet_moment(row[when])
        if row[when] not in ("", "-") and time is None:
            wrong.append(f"{where}: '{row[when]}': a time is expected, such as 2026-03-01 18:00")
        if not whose:
            wrong.append(f"{where}: there is no student '{printable(row[column])}'")
        elif len(whose) > 1:
            wrong.append(
                f"{where}: '{printable(row[column])}' may be {' or '.join(whose)}: name them by number or address"
            )
        elif time is not None:
            key = (whose[0], row[exercise] if exercise is not None else "")
            if key in times:
                wrong.append(f"{where}: '{printable(row[column])}' has a time in line {lines[key]} already")
            times[key], lines[key] = time, line
    if wrong:
        raise GradingError("\n".join(wrong))
    return times


def times_of_worksheet(students: list[Student]) -> dict[tuple[str, str], datetime.datetime]:
    """The times in the column "Last modified (submission)" of Moodle's grading worksheet, as handed_in() gives them."""
    times = {}
    for student in students:
        cells = {title.lower(): cell for title, cell in student.row}
        time = next((worksheet_moment(cells[title]) for title in _SUBMITTED if title in cells), None)
        if time is not None:
            times[(student.name, "")] = time
    return times


_MONTHS = (
    "january|januar|j\u00e4nner",
    "february|februar",
    "march|m\u00e4rz",
    "april",
    "may|mai",
    "june|juni",
    "july|juli",
    "august",
    "september",
    "october|oktober",
    "november",
    "december|dezember",
)
_DAY = r"\w+, (?:(?P<day>\d{1,2})\.? (?P<month>[^\W\d]+)|(?P<month_>[^\W\d]+) (?P<day_>\d{1,2}),) (?P<year>\d{4})"
_TIME = r"(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::\d{2})?(?: (?P<half>[AP]M))?"


def worksheet_moment(text: str) -> datetime.datetime | None:
    """A time as Moodle writes it in English or German ("Tuesday, 3 March 2026, 6:05 PM"); None: it is not a time."""
    found = re.fullmatch(f"{_DAY}, {_TIME}", text.strip().replace("\u202f", " "), re.IGNORECASE)
    if not found:
        return None
    word = (found["month"] or found["month_"]).lower()
    month = next((i for i, names in enumerate(_MONTHS, 1) if word in names.split("|")), 0)
    hour = int(found["hour"])
    if found["half"]:
        hour = hour % 12 + (12 if found["half"].upper() == "PM" else 0)
    try:
        return datetime.datetime(
            int(found["year"]), month, int(found["day"] or found["day_"]), hour, int(found["minute"])
        )
    except ValueError:
        return None
