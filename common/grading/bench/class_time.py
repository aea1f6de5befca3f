#!/usr/bin/env python3
"""How long `./tutorial grade` takes for one student more, where every answer is another one.

    class_time.py [--students 3] [--out docs/results/cpu/grading.txt]

Two classes are made of the solutions and graded anew: one of one student, and one of so many. Each student's holes end
in another number of empty statements, so that none is graded but once. What is done once for a class (building the
graders, running the solutions) is in both, and so in no difference of the two. What else the computer does counts: the
load before each run is written beside it.
"""

from __future__ import annotations

import argparse
import csv
import datetime
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "common"))

from grading.tool import exercise as exercises  # noqa: E402

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
            lines = [*official.before, *official.hole, ";" * number, *official.after]
            (place / f"{each.name}.cu").write_text("\n".join(lines) + "\n", encoding="utf-8")


def graded(chosen: list[exercises.Exercise], students: int) -> Run:
    """Grades a class; ends the program where an answer is not found right."""
    with tempfile.TemporaryDirectory() as name:
        folder, table = Path(name, "class"), Path(name, "grades.csv")
        write_class(folder, chosen, students)
        load, started = os.getloadavg()[0], time.monotonic()
        command = [str(ROOT / "tutorial"), "grade", str(folder), "--csv", str(table), "--anew"]
        done = subprocess.run([*command, "--exercise", *[each.id for each in chosen]], stdout=subprocess.DEVNULL)
        seconds = time.monotonic() - started
        with open(table, encoding="utf-8", newline="") as file:
            solved = [row["solved"] for row in csv.DictReader(file)]
        if done.returncode != 0 or solved != ["yes"] * (len(chosen) * students):
            raise SystemExit(f"exit code {done.returncode}, {solved.count('yes')} of {len(solved)} solved")
        return Run(students, seconds, load)


def table(runs: list[Run], count: int) -> str:
    """What was measured, and what follows from it."""
    first, last = runs[0], runs[-1]
    one_more = (last.seconds - first.seconds) / (last.students - first.students)
    minutes = (first.seconds + (_CLASS - first.students) * one_more) / 60
    lines = [
        f"{count} exercises, all solved, each answer another one; {os.cpu_count()} processors",
        "",
        "students  seconds  load before",
    ]
    lines += [f"{each.students:8}  {each.seconds:7.0f}  {each.load:11.1f}" for each in runs]
    lines += [
        "",
        f"a student more: {one_more:.0f} s; so a class of {_CLASS}: {minutes:.0f} min",
        f"measured on {datetime.date.today().isoformat()}",
    ]
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--students", type=int, default=3, choices=range(2, 100), metavar="N", help="2 to 99")
    parser.add_argument("--out", type=Path, help="also written here")
    arguments = parser.parse_args()
    # The warm-ups before the first chapter are no part of a course's exercises.
    chosen = [each for each in exercises.find() if each.chapter != "first"]
    words = table([graded(chosen, students) for students in (1, arguments.students)], len(chosen))
    print(words, end="")
    if arguments.out:
        arguments.out.write_text(words, encoding="utf-8")


if __name__ == "__main__":
    main()
