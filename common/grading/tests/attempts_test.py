"""Grades the attempts of attempts.py and attempts/*.md as ./tutorial check does: each must be judged as it says.

    attempts_test.py --build BUILD              an eighth of them each day, and what has changed; or all (TUTORIAL_TURN)
    attempts_test.py --build BUILD --all WORD   those whose exercise or title has the word
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

import attempts
import paths  # puts the tool's folder on the path
from building.turn import changed_files, todays_part
from grading.check import attempt, build
from grading.files import blank
from grading.files import exercise as exercises


def file_of(one: attempts.Attempt, exercise: exercises.Exercise) -> str:
    """The whole file, as a learner would hand it in."""
    official = exercise.official
    at = 1 + max(number for number, line in enumerate(official.before) if line.startswith("#include"))
    above = one.above.split("\n") if one.above else []
    lines = one.blank.strip("\n").split("\n")
    return "\n".join([*official.before[:at], *above, *official.before[at:], *lines, *official.after]) + "\n"


def complaint(one: attempts.Attempt, backend: build.Backend, folder: Path) -> str:
    """What is wrong with the verdict; empty if nothing is."""
    exercise = next(each for each in exercises.find() if each.id == one.exercise)
    folder.mkdir()
    name = folder / f"{exercise.name}.cu"
    name.write_text(file_of(one, exercise), encoding="utf-8")
    parts = blank.cut(name.read_text(encoding="utf-8"), name.name)
    means = attempt.Means(seed=one.seed)
    verdict = attempt.run_attempt(exercise, parts, name, backend, folder / "run", means)
    if verdict.reason == one.reason and one.says in verdict.text:
        return ""
    wanted = f"'{one.reason or 'solved'}' and '{one.says}'"
    return f"{one.exercise}, {one.title}: wanted {wanted}, got '{verdict.reason or 'solved'}'\n{verdict.text}"


def without_styles(every: list[exercises.Exercise]) -> list[str]:
    """Exercises whose bars, if any, were not tried with two honest styles and an attempt that misses them."""
    found = []
    for exercise in every:
        mine = [one for one in attempts.STYLES if one.exercise == exercise.id]
        rights = sum(1 for one in mine if not one.reason)
        if exercise.notes.kind != "predict" and (rights < 2 or rights == len(mine)):
            found.append(
                f"{exercise.id}: {rights} right styles and {len(mine) - rights} wrong answers in attempts/*.md"
            )
    return found


def todays(every: list[attempts.Attempt]) -> list[attempts.Attempt]:
    """An eighth of them, and those that the last commits have changed, or whose exercise they have changed."""
    part, changed = todays_part(every, 8), set(changed_files())
    by_id = {exercise.id: exercise for exercise in exercises.find()}

    def read_from(one: attempts.Attempt) -> set[str]:
        exercise, tests = by_id[one.exercise], "common/grading/tests/attempts"
        own = f"{tests}/{one.exercise.split('/')[0]}.md" if one in attempts.STYLES else f"{tests}.py"
        return {own, exercise.shown(exercise.solution), exercise.shown(exercise.grader)}

    return [one for one in every if one in part or changed & read_from(one)]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("--all", metavar="WORD")
    arguments = parser.parse_args()
    made = build.load(arguments.build.resolve()).precompile()
    every = [*attempts.CHEATS, *attempts.RIGHT]
    wrong = without_styles(exercises.find())
    if arguments.all is None:
        every = todays(every)
    else:
        every = [one for one in every if arguments.all in f"{one.exercise} {one.title}"]
    with tempfile.TemporaryDirectory(prefix="attempts") as folder:
        done = [complaint(one, made.backends["lab"], Path(folder, str(number))) for number, one in enumerate(every)]
        wrong += filter(None, done)
    for words in wrong:
        print(words + "\n")
    print(f"{len(every)} attempts: {len(wrong)} not graded as they must be")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
