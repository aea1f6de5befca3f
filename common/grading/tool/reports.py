"""What a teacher gets: a CSV file, JUnit's XML, and a summary."""

from __future__ import annotations

import csv
import os
import stat
import xml.etree.ElementTree as xml
from collections import Counter
from pathlib import Path

from .classroom import MISSING, NOT_BEGUN, NOT_GRADED, Grade
from .exercise import Exercise
from .grading_error import GradingError
from .submission import Student

COLUMNS = ("student", "exercise", "kind", "level", "solved", "reason", "text", "seconds")


def _order(grade: Grade) -> tuple:
    number = int(grade.exercise.id.split("/ex")[1])
    return (grade.student.name, str(grade.student.folder), grade.exercise.folder, number)


def _cell(text: str) -> str:
    """A spreadsheet must not take a student's text for a formula."""
    return "'" + text if text[:1] in ("=", "+", "-", "@", "\t") else text


def _row(grade: Grade) -> list[str]:
    notes, verdict = grade.exercise.notes, grade.verdict
    return [_cell(grade.student.name), grade.exercise.id, notes.kind, str(notes.level),
            "yes" if verdict.solved else "no", verdict.reason, _cell(grade.line), f"{verdict.seconds:.1f}"]  # fmt: skip


class Csv:
    """Holds every grade as soon as there is one, and at the end all of them in order."""

    def __init__(self, path: Path):
        self._path = path
        try:
            self._file = open(path, "w", encoding="utf-8", newline="")
        except OSError as error:
            raise GradingError(f"{path} cannot be written: {error.strerror}") from None
        csv.writer(self._file, lineterminator="\n").writerow(COLUMNS)
        self._file.flush()

    def add(self, grade: Grade) -> None:
        csv.writer(self._file, lineterminator="\n").writerow(_row(grade))
        self._file.flush()

    def finish(self, grades: list[Grade]) -> None:
        self._file.close()
        if not stat.S_ISREG(os.stat(self._path).st_mode):
            return  # a pipe: what was written is gone
        temporary = self._path.with_name(f"{self._path.name}.{os.getpid()}")
        with open(temporary, "w", encoding="utf-8", newline="") as file:
            rows = csv.writer(file, lineterminator="\n")
            rows.writerow(COLUMNS)
            rows.writerows(_row(grade) for grade in sorted(grades, key=_order))
        os.replace(temporary, self._path)


def _xml_text(text: str) -> str:
    """XML has no way to write most control characters."""
    return "".join(c if c in "\t\n" or 0x20 <= ord(c) < 0xD800 or 0xE000 <= ord(c) < 0xFFFE or ord(c) > 0xFFFF
                   else "\ufffd" for c in text)  # fmt: skip


def write_junit(path: Path, grades: list[Grade]) -> None:
    """A test suite for each student, a test case for each exercise."""
    root = xml.Element("testsuites", name="exercises")
    suites: dict[Student, list[Grade]] = {}
    for grade in sorted(grades, key=_order):
        suites.setdefault(grade.student, []).append(grade)
    for student, own in suites.items():
        counts = Counter(_junit_kind(grade) for grade in own)
        suite = xml.SubElement(root, "testsuite", name=_xml_text(student.name), tests=str(len(own)),
                               failures=str(counts["failure"]), errors=str(counts["error"]),
                               skipped=str(counts["skipped"]),
                               time=f"{sum(g.verdict.seconds for g in own):.1f}")  # fmt: skip
        for grade in own:
            case = xml.SubElement(suite, "testcase", classname=grade.exercise.folder, name=grade.exercise.name,
                                  time=f"{grade.verdict.seconds:.1f}")  # fmt: skip
            kind = _junit_kind(grade)
            if kind:
                told = xml.SubElement(case, kind, message=_xml_text(grade.line))
                if kind != "skipped":
                    told.set("type", grade.verdict.reason)
                    told.text = _xml_text(grade.verdict.text)
    xml.ElementTree(root).write(path, encoding="utf-8", xml_declaration=True)


def _junit_kind(grade: Grade) -> str:
    """The element below a test case; none for one that is solved."""
    if grade.verdict.solved:
        return ""
    if grade.verdict.reason == "grader":
        return "error"
    return "skipped" if grade.verdict.reason in (NOT_BEGUN, MISSING, NOT_GRADED) else "failure"


def summary(grades: list[Grade], exercises: list[Exercise]) -> str:
    """Two tables: by exercise, with what went wrong most often, and by student."""
    rows = [("exercise", "kind", "tried", "solved", "fails most often with")]
    for exercise in exercises:
        own = [grade.verdict for grade in grades if grade.exercise.id == exercise.id and grade.was_tried]
        failures = Counter(verdict.reason for verdict in own if not verdict.solved)
        # The commonest; of several equally common ones the first by name, so that it is always the same.
        often = min(failures.items(), key=lambda pair: (-pair[1], pair[0]), default=None)
        rows.append((exercise.id, exercise.notes.kind, str(len(own)), str(sum(v.solved for v in own)),
                     f"{often[0]} ({often[1]})" if often else ""))  # fmt: skip
    by_student: dict[Student, list[Grade]] = {}
    for grade in sorted(grades, key=_order):
        by_student.setdefault(grade.student, []).append(grade)
    students = [("student", "tried", "solved")]
    for student, own in by_student.items():
        students.append((student.name, str(sum(g.was_tried for g in own)),
                         f"{sum(g.verdict.solved for g in own)} of {len(own)}"))  # fmt: skip
    return _table(rows) + "\n\n" + _table(students)


def _table(rows: list[tuple[str, ...]]) -> str:
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows)
