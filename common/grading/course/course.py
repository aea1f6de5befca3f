"""A course's own rules: points, deadlines, what a late answer is worth, and one that is right but misses a bar.

    exercise,points,due,late,partial
    ch01,1,2026-03-01,10% a day,50
    ch03/ex7,3,2026-03-15 18:00,not accepted,
    *,0,,,

A row is for an exercise, for the others of a chapter, or (*) for all others. Only the column `exercise` is required.
points: 1 if empty. due: a day (its end) or a time. late: "N% a day" (taken off for each day that has begun), "not
accepted", or nothing: accepted as if on time. partial: percent of the points if all values are right and only a count
or a time misses its bar.
"""

from __future__ import annotations

import csv
import datetime
import math
import re
from dataclasses import dataclass
from pathlib import Path

from ..check.attempt import Verdict
from ..files.exercise import Exercise
from ..grading_error import GradingError

COLUMNS = ("exercise", "points", "due", "late", "partial")
_MAX_BYTES = 4 << 20
_MAX_ROWS = 100_000
RIGHT_BUT_COSTLY = ("count", "time")  # reasons that follow all values being right


@dataclass(frozen=True)
class Rule:
    """What one exercise is worth."""

    points: float = 1.0
    due: datetime.datetime | None = None
    percent_a_day: float = 0.0  # taken off for each day; 100: not accepted
    partial: float = 0.0  # of 1

    def days_late(self, handed_in: datetime.datetime | None, says_late: bool) -> int:
        """Days that have begun since the deadline. One if the platform says only that it is late, not when it was
        handed in."""
        if self.due is None:
            return 0
        if handed_in is None:
            return 1 if says_late else 0
        return max(0, math.ceil((handed_in - self.due).total_seconds() / 86_400))

    def score(self, verdict: Verdict, days_late: int) -> float:
        """The points for this verdict."""
        part = 1.0 if verdict.solved else self.partial if verdict.reason in RIGHT_BUT_COSTLY else 0.0
        kept = max(0.0, 1.0 - self.percent_a_day * days_late / 100)
        return round(self.points * part * kept, 2)


@dataclass(frozen=True)
class Course:
    """The rules by exercise, chapter or *; without a file each exercise is worth one point."""

    rules: dict[str, Rule] | None = None

    def rule(self, exercise: Exercise) -> Rule | None:
        """None: it is not part of the course."""
        if self.rules is None:
            return Rule()
        for name in (exercise.id, exercise.chapter, "*"):
            if name in self.rules:
                return self.rules[name]
        return None

    def chosen(self, exercises: list[Exercise]) -> list[Exercise]:
        """The exercises that are part of it."""
        return [exercise for exercise in exercises if self.rule(exercise) is not None]


def table(path: Path, shown: str) -> list[tuple[int, list[str]]]:
    """The nonempty rows of a CSV file, with their line numbers; GradingError if it is not a CSV file."""
    try:
        with open(path, "rb") as file:
            data = file.read(_MAX_BYTES + 1)
        if len(data) > _MAX_BYTES:
            raise GradingError(f"{shown} is larger than {_MAX_BYTES >> 20} MiB")
        if data.startswith((b"PK\x03\x04", b"\xd0\xcf\x11\xe0")):
            raise GradingError(f"{shown} is a spreadsheet: save it as 'CSV UTF-8', and name that file")
        # What a spreadsheet calls "Unicode text" is UTF-16.
        text = data.decode("utf-16" if data.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8-sig")
        if text.lower().startswith("sep="):  # tells a spreadsheet the separator
            text = "\n" + text.partition("\n")[2]
        reader = csv.reader(text.splitlines(keepends=True), delimiter=_delimiter(text.lstrip("\n")))
        rows = [(reader.line_num, [cell.strip() for cell in row]) for row in reader]
    except UnicodeDecodeError:
        raise GradingError(f"{shown} is not UTF-8 text: save it as 'CSV UTF-8'") from None
    except (OSError, csv.Error, ValueError) as error:
        raise GradingError(f"{shown} cannot be read: {getattr(error, 'strerror', error)}") from None
    if len(rows) > _MAX_ROWS:
        raise GradingError(f"{shown} has more than {_MAX_ROWS} rows")
    return [(line, row) for line, row in rows if any(row)]


def _delimiter(text: str) -> str:
    """Some spreadsheets write semicolons or tabs."""
    first = text.partition("\n")[0]
    return max(",;\t", key=first.count)


def read(path: Path, exercises: list[Exercise]) -> Course:
    """The course's rules; GradingError with a line for each thing that is wrong."""
    rows = table(path, path.name)
    if not rows:
        raise GradingError(f"{path.name} is empty: the first row must name the columns: {', '.join(COLUMNS)}")
    line, heads = rows[0][0], [head.lower() for head in rows[0][1]]
    wrong = [
        f"{path.name}:{line}: there is no column '{head}': allowed: {', '.join(COLUMNS)}"
        for head in heads
        if head not in COLUMNS
    ]
    wrong += [f"{path.name}:{line}: the column '{h}' appears twice" for h in COLUMNS if heads.count(h) > 1]
    if "exercise" not in heads:
        wrong.append(f"{path.name}:{line}: the column 'exercise' is missing")
    rules: dict[str, Rule] = {}
    known = {exercise.id for exercise in exercises} | {exercise.chapter for exercise in exercises} | {"*"}
    for line, row in rows[1:] if not wrong else []:
        cells = dict(zip(heads, row))
        name = cells.get("exercise", "")
        where = f"{path.name}:{line}"
        if len(row) > len(heads):
            wrong.append(f"{where}: there are {len(row)} cells for {len(heads)} columns")
        if name not in known:
            wrong.append(f"{where}: there is no exercise '{name}': allowed: ch03/ex1, ch03, first/ex1, first, *")
        elif name in rules:
            wrong.append(f"{where}: '{name}' already has a row")
        values, said = _rule(cells)
        wrong += [f"{where}: {words}" for words in said]
        rules.setdefault(name, values)
    if not wrong and not rules:
        wrong.append(f"{path.name}: there is no exercise in it")
    if wrong:
        raise GradingError("\n".join(wrong))
    return Course(rules)


def _rule(cells: dict[str, str]) -> tuple[Rule, list[str]]:
    """A row's rule, and what is wrong with it."""
    wrong = []
    points = _number(cells.get("points", "").replace(",", "."), 1.0, 1e6)  # some write a decimal comma
    if points is None:
        wrong.append(f"points: '{cells['points']}': a number from 0 to 1000000 is expected")
    partial = _number(cells.get("partial", "").rstrip("% "), 0.0, 100)
    if partial is None:
        wrong.append(f"partial: '{cells['partial']}': a percentage from 0 to 100 is expected")
    due, percent = None, 0.0
    if cells.get("due"):
        due = moment(cells["due"], end_of_day=True)
        if due is None:
            wrong.append(f"due: '{cells['due']}': a day or a time is expected, such as 2026-03-01 or 2026-03-01 18:00")
    late = cells.get("late", "").lower()
    a_day = re.fullmatch(r"(\d+(?:\.\d+)?) ?% ?(?:a|per) day", late)
    if late in ("not accepted", "no", "none"):
        percent = 100.0
    elif a_day and float(a_day[1]) <= 100:
        percent = float(a_day[1])
    elif late not in ("", "accepted"):
        wrong.append(f"late: '{cells['late']}': '10% a day', 'not accepted', 'accepted' or nothing is expected")
    if late not in ("", "accepted") and not cells.get("due"):
        wrong.append("late: it needs a day in 'due'")
    return Rule(points or 0.0, due, percent, (partial or 0.0) / 100), wrong


def _number(text: str, default: float, most: float) -> float | None:
    if not text:
        return default
    if not re.fullmatch(r"\d{1,9}(?:\.\d{1,9})?", text):
        return None
    return float(text) if float(text) <= most else None


def moment(text: str, end_of_day: bool = False) -> datetime.datetime | None:
    """A day or a time as ISO 8601 writes it, in this computer's time zone; None: it is neither."""
    words = text.strip().replace("Z", "+00:00") if text.strip().endswith("Z") else text.strip()
    if re.fullmatch(r"\d{4}-\d{2}-\d{2}", words):
        words += " 23:59:59" if end_of_day else " 00:00:00"
    if not re.fullmatch(r"\d{4}-\d{2}-\d{2}[ T]\d{2}:\d{2}(:\d{2}(\.\d+)?)?([+-]\d{2}:\d{2})?", words):
        return None
    try:
        found = datetime.datetime.fromisoformat(words)
        return found.astimezone().replace(tzinfo=None) if found.tzinfo else found
    except (ValueError, OverflowError):
        return None
