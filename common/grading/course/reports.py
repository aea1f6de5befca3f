"""What a teacher gets: a CSV file, JUnit's XML, and a summary."""

from __future__ import annotations

import contextlib
import csv
import html
import itertools
import os
import re
import xml.etree.ElementTree as xml
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Callable, Iterator, Sequence

from ..files.exercise import Exercise
from ..grading_error import GradingError, NotWritten
from . import similarity
from .classroom import Grade, NOT_BEGUN, NOT_GRADED
from .submission import Student

GRADEBOOK_HEADS = ("student", "points", "of")
_REMARKS = ("solved", "tried", "days late", "remark")  # then the exercises
_POINTS = "Tutorial points"  # the column of all points, in tables for a learning platform
# The columns by which Canvas knows its students, in the order of its own export.
_CANVAS = "student lastname firstname id sis_user_id sis_login_id integration_id root_account section".split()
_CANVAS = [title.replace("_", " ") for title in _CANVAS]
# Columns of Moodle's grading worksheet that are filled in, in English and German.
_GRADE, _COMMENTS = ("grade", "bewertung"), ("feedback comments", "feedback als kommentar")
_IDENTIFIER = ("identifier", "id")
_GRADED = ("last modified (grade)", "zuletzt ge\u00e4ndert (bewertung)")
_FEEDBACK = "Tutorial points: "  # how what we write to a student begins
FORMS = ("plain", "moodle", "canvas")  # of a gradebook
_FORMULA = "=+-@|%\uff1d\uff0b\uff0d\uff20"  # what a spreadsheet's formula may begin with
COLUMNS = ("student", "exercise", "kind", "level", "solved", "reason", "text", "seconds")
_SCORES = ("points", "days late")


def _order(grade: Grade) -> tuple:
    number = int(grade.exercise.id.split("/ex")[1])
    return (grade.student.name, str(grade.student.folder), grade.exercise.folder, number)


def _by_student(grades: list[Grade]) -> dict[Student, list[Grade]]:
    """The grades in order, of each student."""
    found: dict[Student, list[Grade]] = {}
    for grade in sorted(grades, key=_order):
        found.setdefault(grade.student, []).append(grade)
    return found


def _cell(text: str) -> str:
    """A spreadsheet must not take a student's text for a formula. A lone "-", which is Moodle's "never", is none."""
    plain = text.strip()
    return "'" + text if len(plain) > 1 and plain[0] in _FORMULA else text


def is_ours(path: Path) -> bool:
    """Whether an existing file was written by this tool, or is empty."""
    try:
        with open(path, "rb") as file:
            start = file.read(4000).partition(b"\n")[0] if path.suffix == ".csv" else file.read(400)
    except OSError:
        return False
    return (
        not start
        or start.startswith(",".join(GRADEBOOK_HEADS).encode())
        or start.startswith((",".join(COLUMNS).encode(), ",".join(similarity.COLUMNS).encode()))
        or _POINTS.encode() in start
        or b'<testsuites name="exercises"' in start
    )


@dataclass(frozen=True)
class Score:
    """What a grade is worth in a course."""

    points: float
    of: float
    days_late: int = 0


Scores = Callable[[Grade], Score]


def number(value: float) -> str:
    """Without trailing zeros."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def _row(grade: Grade, scores: Scores) -> list[str]:
    notes, verdict = grade.exercise.notes, grade.verdict
    return [
        _cell(grade.student.name),
        grade.exercise.id,
        notes.kind,
        str(notes.level),
        "yes" if verdict.solved else "no",
        verdict.reason,
        _cell(grade.line),
        f"{verdict.seconds:.1f}",
        number(scores(grade).points),
        str(scores(grade).days_late),
    ]


class Csv:
    """Receives every grade as soon as it is known; at the end all of them are put in order."""

    def __init__(self, path: Path, scores: Scores):
        self._path, self._scores = path, scores
        try:
            self._file = open(path, "w", encoding="utf-8", errors="replace", newline="")
        except OSError as error:
            raise NotWritten(f"{path} cannot be written: {error.strerror}") from None
        self._write([*COLUMNS, *_SCORES])

    def add(self, grade: Grade) -> None:
        self._write(_row(grade, self._scores))

    def _write(self, row: Sequence[str]) -> None:
        try:
            csv.writer(self._file, lineterminator="\n").writerow(row)
            self._file.flush()
        except OSError as error:
            raise NotWritten(f"{self._path} cannot be written: {error.strerror}") from None

    def finish(self, grades: list[Grade]) -> None:
        """Puts the rows in order; the rows written so far are replaced only by all of them."""
        with contextlib.suppress(OSError):
            self._file.close()  # the loss of its last rows was already reported
        if self._path.is_file():  # what was written to a pipe cannot be replaced
            rows = [_row(grade, self._scores) for grade in sorted(grades, key=_order)]
            _replace(self._path, [[*COLUMNS, *_SCORES], *rows])


def write_gradebook(
    path: Path, grades: list[Grade], exercises: list[Exercise], students: list[Student], scores: Scores, form: str
) -> None:
    """A row for each student: all points, then those of each exercise. `form`: one of FORMS.

    moodle: the roster's columns as they came (a grading worksheet's Grade and Feedback comments are filled in), then
    ours.
    canvas: the columns by which Canvas knows its students, the possible points, then ours.
    """
    grades_of = _by_student(grades)
    scores_of = {who: {grade.exercise.id: scores(grade) for grade in own} for who, own in grades_of.items()}
    most = dict.fromkeys((exercise.id for exercise in exercises), 0.0)
    for own in scores_of.values():
        most.update((exercise, score.of) for exercise, score in own.items())
    titles = next(([title for title, _ in student.row] for student in students if student.row), ["Full name"])
    if form == "canvas":
        titles = [title for title in titles if title.lower() in _CANVAS] or ["Student"]
    heads = [*GRADEBOOK_HEADS, *_REMARKS] if form == "plain" else [*titles, _POINTS]
    table = [[*heads, *(exercise.id for exercise in exercises)]]
    if form == "canvas":
        possible = [number(sum(most.values())), *(number(most[exercise.id]) for exercise in exercises)]
        table.append(["    Points Possible", *[""] * (len(titles) - 1), *possible])
    for student in students:
        own = scores_of.get(student, {})
        points = [number(own[exercise.id].points) if exercise.id in own else "" for exercise in exercises]
        total = number(sum(score.points for score in own.values()))
        if form == "plain":
            every = grades_of.get(student, [])
            solved, tried = sum(g.verdict.solved for g in every), sum(g.was_attempted for g in every)
            late = max((score.days_late for score in own.values()), default=0)
            remarks = [str(solved), str(tried), str(late), _cell(student.trouble)]
            table.append([_cell(student.name), total, number(sum(most.values())), *remarks, *points])
            continue
        cells = dict(student.row) if student.row else {titles[0]: student.name}
        for title in titles if form == "moodle" else []:
            if title.lower() in _GRADE:
                cells[title] = total
            elif title.lower() in _COMMENTS:
                # Keeps a teacher's own words before ours. Moodle reads the text as HTML.
                kept = cells.get(title, "").partition(_FEEDBACK)[0]
                kept += "<br>" if kept and not kept.endswith(">") else ""
                said = feedback(grades_of.get(student, []), scores)
                cells[title] = kept + "<br>".join(html.escape(line, quote=False) for line in said)
        table.append([*(_cell(cells.get(title, "")) for title in titles), total, *points])
    _replace(path, table)


def require_roster_of(form: str, students: list[Student], shown: str) -> None:
    """GradingError if the platform would not accept the gradebook, because the roster is not one of its own tables."""
    titles = {title.lower() for student in students for title, _ in student.row}
    if form == "canvas" and not ({"id", "section"} <= titles and ("student" in titles or "lastname" in titles)):
        raise GradingError(
            f"{shown}: Canvas rejects a gradebook without the columns Student, ID and Section of its own export: "
            "export the gradebook there, and name it as --roster"
        )
    is_worksheet = "identifier" in titles or titles & set((*_COMMENTS, *_GRADED))
    if form == "moodle" and is_worksheet and not all(titles & set(n) for n in (_IDENTIFIER, _GRADE, _GRADED)):
        raise GradingError(
            f"{shown}: Moodle rejects a grading worksheet without the columns Identifier, Grade and "
            "Last modified (grade) "
            "(in German ID, Bewertung and Zuletzt ge\u00e4ndert (Bewertung)): "
            "download it from the assignment, with 'Offline grading worksheet' switched on"
        )


def write_alike(path: Path, found: list[similarity.Alike]) -> None:
    """Students whose answers are alike, one group per line, the most alike first."""
    table = [list(similarity.COLUMNS)]
    for one in found:
        table.append([one.exercise, one.words, _cell("; ".join(one.students))])
    _replace(path, table)


def feedback(own: list[Grade], scores: Scores) -> list[str]:
    """What a student is told: all points, then for each exercise the points and the whole report, in lines."""
    every = [(grade, scores(grade)) for grade in own]
    total, most = (
        (number(sum(values)) for values in zip(*((s.points, s.of) for _, s in every))) if every else ("0", "0")
    )
    lines = [f"{_FEEDBACK}{total} of {most}"]
    others: dict[str, list[str]] = {}
    if own and own[0].student.trouble:
        lines.append(f"Not everything could be read: {own[0].student.trouble}")
    for grade, score in every:
        verdict = grade.verdict
        if not grade.was_attempted and verdict.reason != NOT_GRADED:
            words = "Not begun" if verdict.reason == NOT_BEGUN else "Not handed in"
            others.setdefault(words, []).append(grade.exercise.id)
            continue
        state = "solved" if verdict.solved else verdict.reason.replace("_", " ")
        days = "day" if score.days_late == 1 else "days"
        late = f", {score.days_late} {days} late" if score.days_late else ""
        points = f"{number(score.points)} of {number(score.of)} points{late}"
        lines.append(f"{grade.exercise.id}  {grade.exercise.notes.title}: {state}; {points}")
        text = [*verdict.text.splitlines(), grade.words_of_others()] if verdict.text else [grade.line]
        # It may quote what a student wrote: nothing that a terminal would obey.
        lines += ["    " + "".join(c if c.isprintable() else " " for c in line) for line in text if line]
    return lines + [f"{words}: {', '.join(names)}" for words, names in others.items()]


def write_feedback(folder: Path, grades: list[Grade], scores: Scores) -> None:
    """For each student a text file in the folder."""
    taken: set[str] = set()
    for student, own in _by_student(grades).items():
        stem = re.sub(r"[^\w-]+", "_", student.name).strip("_")[:80] or "student"
        number_of = next(i for i in itertools.count(1) if f"{stem}_{i}".casefold() not in taken)
        taken.add(f"{stem}_{number_of}".casefold())
        path = folder / (f"{stem}.txt" if number_of == 1 else f"{stem}_{number_of}.txt")
        text = "\n".join([student.name, "", *feedback(own, scores)]) + "\n"
        try:
            folder.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8", errors="replace")
        except OSError as error:
            raise NotWritten(f"{path} cannot be written: {error.strerror}") from None


@contextlib.contextmanager
def _whole(path: Path) -> Iterator[Path]:
    """Where to write what becomes the file `path`: all of it, or nothing.

    A pipe or a device is written to; a link stays one.
    """
    target = Path(os.path.realpath(path))
    temporary = target.with_name(f"{target.name}.{os.getpid()}")
    is_file = not path.exists() or path.is_file()
    try:
        yield temporary if is_file else path
        if is_file:
            os.replace(temporary, target)
    except OSError as error:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise NotWritten(f"{path} cannot be written: {error.strerror}") from None


def _replace(path: Path, table: list[list[str]]) -> None:
    """Writes a CSV file."""
    with _whole(path) as place, open(place, "w", encoding="utf-8", errors="replace", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(table)


def _xml_text(text: str) -> str:
    """XML cannot represent most control characters."""
    return "".join(
        c if c in "\t\n" or 0x20 <= ord(c) < 0xD800 or 0xE000 <= ord(c) < 0xFFFE or ord(c) > 0xFFFF else "\ufffd"
        for c in text
    )


def write_junit(path: Path, grades: list[Grade]) -> None:
    """A test suite for each student, a test case for each exercise."""
    root = xml.Element("testsuites", name="exercises")
    for student, own in _by_student(grades).items():
        counts = Counter(_junit_kind(grade) for grade in own)
        suite = xml.SubElement(
            root,
            "testsuite",
            name=_xml_text(student.name),
            tests=str(len(own)),
            failures=str(counts["failure"]),
            errors=str(counts["error"]),
            skipped=str(counts["skipped"]),
            time=f"{sum(g.verdict.seconds for g in own):.1f}",
        )
        for grade in own:
            case = xml.SubElement(
                suite,
                "testcase",
                classname=grade.exercise.folder,
                name=grade.exercise.name,
                time=f"{grade.verdict.seconds:.1f}",
            )
            kind = _junit_kind(grade)
            if kind:
                told = xml.SubElement(case, kind, message=_xml_text(grade.line))
                if kind != "skipped":
                    told.set("type", grade.verdict.reason)
                    told.text = _xml_text(grade.verdict.text)
    with _whole(path) as place:
        xml.ElementTree(root).write(place, encoding="utf-8", xml_declaration=True)


def _junit_kind(grade: Grade) -> str:
    """The element below a test case; none for one that is solved."""
    if grade.verdict.solved:
        return ""
    if grade.verdict.reason == "grader":
        return "error"
    return "failure" if grade.was_attempted or grade.is_of_student else "skipped"


def summary(grades: list[Grade], exercises: list[Exercise]) -> str:
    """Two tables: by exercise, with what went wrong most often, and by student."""
    rows: list[tuple[str, ...]] = [("exercise", "kind", "tried", "solved", "fails most often with")]
    for exercise in exercises:
        verdicts = [grade.verdict for grade in grades if grade.exercise.id == exercise.id and grade.was_attempted]
        failures = Counter(verdict.reason for verdict in verdicts if not verdict.solved)
        # The most common; of several equally common ones the first by name, so that it is always the same.
        often = min(failures.items(), key=lambda pair: (-pair[1], pair[0]), default=None)
        rows.append(
            (
                exercise.id,
                exercise.notes.kind,
                str(len(verdicts)),
                str(sum(v.solved for v in verdicts)),
                f"{often[0]} ({often[1]})" if often else "",
            )
        )
    students: list[tuple[str, ...]] = [("student", "tried", "solved")]
    for student, own in _by_student(grades).items():
        students.append(
            (
                student.name,
                str(sum(g.was_attempted for g in own)),
                f"{sum(g.verdict.solved for g in own)} of {len(own)}",
            )
        )
    return _table(rows) + "\n\n" + _table(students)


def _table(rows: list[tuple[str, ...]]) -> str:
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows)
