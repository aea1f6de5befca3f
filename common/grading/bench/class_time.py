#!/usr/bin/env python3
"""How long `./tutorial grade` takes for each additional student, if every answer is different.

    class_time.py [--students 3] [--rounds 3] [--out docs/results/cpu/grading.txt]

Two classes are made of the solutions and graded from scratch, alternately: one with one student, and one with that
many. Each student's blanks end in a different number of empty statements, so that each is graded. Work that is done
once per class (running the solutions) is in both times, so it is not in their difference. The very first run, which may
still build the graders, is not counted. Other work on the computer matters: each row shows the load before the run.
"""

from __future__ import annotations

import argparse
import csv
import datetime
import os
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "common"))

from grading.files import exercise as exercises  # noqa: E402

_CLASS = 40  # students


@dataclass(frozen=True)
class Run:
    students: int
    seconds: float
    load: float


def write_class(folder: Path, chosen: list[exercises.Exercise], students: int) -> None:
    for number in range(1, students + 1):
        for each in chosen:
            official = each.official
            place = folder / f"student{number:02}" / each.folder / "exercises"
            place.mkdir(parents=True, exist_ok=True)
            lines = [*official.before, *official.blank, ";" * number, *official.after]
            (place / f"{each.name}.cu").write_text("\n".join(lines) + "\n", encoding="utf-8")


def graded(chosen: list[exercises.Exercise], students: int) -> Run:
    """Grades a class; ends the program if an answer is judged wrong."""
    with tempfile.TemporaryDirectory() as name:
        folder, table = Path(name, "class"), Path(name, "grades.csv")
        write_class(folder, chosen, students)
        load, started = os.getloadavg()[0], time.monotonic()
        command = [str(ROOT / "tutorial"), "grade", str(folder), "--csv", str(table), "--again"]
        done = subprocess.run([*command, "--exercise", *[each.id for each in chosen]], stdout=subprocess.DEVNULL)
        seconds = time.monotonic() - started
        with open(table, encoding="utf-8", newline="") as file:
            solved = [row["solved"] for row in csv.DictReader(file)]
        if done.returncode != 0 or solved != ["yes"] * (len(chosen) * students):
            raise SystemExit(f"exit code {done.returncode}, {solved.count('yes')} of {len(solved)} solved")
        return Run(students, seconds, load)


def table(runs: list[Run], count: int) -> str:
    """The measurements, one line each, and what follows from the medians; ends the program if nothing follows."""
    first, last = (
        statistics.median(each.seconds for each in runs if each.students == students)
        for students in (runs[0].students, runs[1].students)
    )
    one_more = (last - first) / (runs[1].students - runs[0].students)
    if one_more <= 0:
        raise SystemExit(
            f"{runs[1].students} students took {last:.0f} s, and {runs[0].students} took {first:.0f} s: measure again"
        )
    minutes = (first + (_CLASS - runs[0].students) * one_more) / 60
    lines = [
        f"{count} exercises, all solved, every answer different; {os.cpu_count()} processors",
        "",
        "students  seconds  load average before",
    ]
    lines += [f"{each.students:8}  {each.seconds:7.0f}  {each.load:19.1f}" for each in runs]
    lines += [
        "",
        f"each additional student: {one_more:.0f} s (medians); so a class of {_CLASS}: {minutes:.0f} min",
        f"measured on {datetime.date.today().isoformat()}",
    ]
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--students", type=int, default=3, choices=range(2, 100), metavar="N", help="2 to 99")
    parser.add_argument("--rounds", type=int, default=3, choices=range(1, 100), metavar="N", help="1 to 99")
    parser.add_argument("--out", type=Path, help="also written here")
    arguments = parser.parse_args()
    # The warm-ups before the first chapter are not part of a course's exercises.
    chosen = [each for each in exercises.find() if each.chapter != "first"]
    graded(chosen, 1)
    runs = [graded(chosen, students) for _ in range(arguments.rounds) for students in (1, arguments.students)]
    words = table(runs, len(chosen))
    print(words, end="")
    if arguments.out:
        arguments.out.write_text(words, encoding="utf-8")


if __name__ == "__main__":
    main()
