"""`check --watch`: checks a file each time it is saved, and moves on when it is solved."""

from __future__ import annotations

import sys
import time

from ..files.exercise import Exercise
from . import show
from .checker import Checker, Result

_SECONDS = 0.3  # between two checks of the files


def watch(exercises: list[Exercise], checker: Checker) -> int:
    """Returns 0 when all are solved; KeyboardInterrupt ends it before."""
    saved = {e.id: _saved(e) for e in exercises}
    results = {r.exercise.id: r for r in checker.check(exercises)}
    at, message = _next(exercises, results), ""
    while at is not None:
        _screen(results[at.id], message, exercises, results)
        changed = _wait(exercises, saved)
        message = ""
        for exercise in changed:
            saved[exercise.id] = _saved(exercise)
        for result in checker.check(changed):
            results[result.exercise.id] = result
        # The one just saved comes first, even if another one precedes it.
        if results[changed[-1].id].solved:
            message = f"{changed[-1].id}  solved: {changed[-1].notes.title}"
            if results[changed[-1].id].bars:
                table = show.counted(results[changed[-1].id].bars, checker.bars_of_model(changed[-1]))
                message += f"\n{table}"
            at = _next(exercises, results)
        else:
            at = changed[-1]
    print(f"{message}\n" if message else "", end="")
    print(f"All {len(exercises)} are solved." if len(exercises) > 1 else f"{exercises[0].id} is solved.")
    return 0


def _saved(exercise: Exercise) -> tuple[int, int]:
    """Changes with every save; while an editor replaces the file, there is none for a moment."""
    try:
        status = exercise.learner.stat()
        return status.st_mtime_ns, status.st_size
    except OSError:
        return 0, -1


def _next(exercises: list[Exercise], results: dict[str, Result]) -> Exercise | None:
    return next((e for e in exercises if not results[e.id].solved), None)


def _wait(exercises: list[Exercise], saved: dict[str, tuple[int, int]]) -> list[Exercise]:
    """Returns the files that were saved, once there are any and they are complete."""
    while True:
        time.sleep(_SECONDS)
        changed = [e for e in exercises if _saved(e) not in (saved[e.id], (0, -1))]
        if changed:
            return changed


def _screen(result: Result, message: str, exercises: list[Exercise], results: dict[str, Result]) -> None:
    if sys.stdout.isatty():
        print("\033[2J\033[3J\033[H", end="")
    if message:
        print(f"{message}\n")
    print(show.line(result))
    print(show.details(result))
    print()
    print(show.place(result.exercise))
    solved = sum(r.solved for r in results.values())
    print(f"{solved} of {len(exercises)} solved. Checks again when a file is saved; Ctrl-C ends it.", flush=True)
