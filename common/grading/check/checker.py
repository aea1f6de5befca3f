"""Reads learners' files and grades those that need it."""

from __future__ import annotations

import contextlib
import shutil
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Iterator

from ..files import blank
from ..files.exercise import Exercise, read_text
from ..grading_error import GradingError
from ..process import limited_process
from . import attempt, build
from .attempt import Verdict
from .state import State, verdict_key

NOT_BEGUN = "not begun"
NOT_GRADED = "not graded"  # nothing here can grade it
UNREADABLE = "unreadable"
_MODEL = "model"  # a kind of its own: the model answer
_TOGETHER = 1  # a seed: with any, numbers are judged together, as in a class
NO_TRIES = (
    "Not checked: several numbers were tried, and none was right. They cannot be found by guessing:\n"
    "read the next hint (./tutorial check {} --hint), work them out on paper, and then check again."
)


@dataclass(frozen=True)
class Result:
    """What is known about one learner's file."""

    exercise: Exercise
    status: str  # solved, not solved, not begun, not graded or unreadable
    verdict: Verdict | None = None
    text: str = ""  # why it is unreadable
    changed: int | None = None  # a changed line outside the blank

    @property
    def solved(self) -> bool:
        return self.status == "solved"

    @property
    def bars(self) -> list[dict]:
        return self.verdict.bars if self.verdict is not None and self.solved else []


def look(exercise: Exercise) -> Result | blank.Parts:
    """The learner's file, cut at its blank; a Result if there is nothing to grade."""
    shown = exercise.shown(exercise.learner)
    try:
        parts = blank.cut(read_text(exercise.learner, shown), shown)
    except GradingError as error:
        return Result(exercise, UNREADABLE, text=str(error))
    # These begin with code that runs: the check's verdict on it, a fault or a count, is the starting point.
    if blank.is_same(parts.blank, exercise.notes.blank) and exercise.notes.kind not in ("fault", "faster"):
        return Result(exercise, NOT_BEGUN, changed=blank.changed_line(parts, exercise.official))
    return parts


class Checker:
    """Grades for the given kinds, in order; an exercise is solved if all of them say so."""

    def __init__(self, made: build.Build, kinds: list[str], state: State, jobs: int):
        self._made, self._kinds, self._state, self._jobs = made, kinds, state, jobs
        self._gpu: contextlib.AbstractContextManager = threading.Lock()
        self._ready: set[str] = set()  # exercises whose graders are built

    def check(self, exercises: list[Exercise]) -> Iterator[Result]:
        """The results, in order, each as soon as it is known."""
        looked = [(e, look(e)) for e in exercises]
        todo = [e for e, found in looked if isinstance(found, blank.Parts)]
        self._make(todo)
        with ThreadPoolExecutor(self._jobs) as pool:
            graded = {e: pool.submit(self._grade, e, found) for e, found in looked if isinstance(found, blank.Parts)}
            try:
                for exercise, found in looked:
                    yield found if isinstance(found, Result) else self._result(
                        exercise, found, graded[exercise].result()
                    )
            except KeyboardInterrupt:  # do not wait for attempts that are still running
                limited_process.stop_all()
                raise

    def bars_of_model(self, exercise: Exercise) -> list[dict]:
        """What the lab counts for the model answer (Verdict.bars); empty if nothing is counted here."""
        if "lab" not in self._kinds:
            return []
        backend = self._made.backends["lab"]
        key = verdict_key(exercise, exercise.official, backend)
        verdict = self._state.verdict(exercise, _MODEL, key)
        if verdict is None:
            folder = self._made.folder / "exercises" / exercise.id / _MODEL
            verdict = attempt.run_attempt(exercise, exercise.official, exercise.solution, backend, folder)
            shutil.rmtree(folder, ignore_errors=True)
            self._state.keep(exercise, key, replace(verdict, kind=_MODEL))
        return verdict.bars

    def _make(self, exercises: list[Exercise]) -> None:
        missing = [e.id for e in exercises if e.id not in self._ready]
        if missing:
            self._made.make(missing, self._kinds, self._jobs)
            self._made = self._made.precompile()
            self._ready.update(missing)

    def _grade(self, exercise: Exercise, parts: blank.Parts) -> list[tuple[str, Verdict]]:
        """Key and verdict for each kind, up to the first that fails."""
        if exercise.notes.kind == "predict" and not self._state.has_tries_left(exercise, parts.blank):
            return [("", Verdict("prediction", NO_TRIES.format(exercise.id), kind=self._kinds[0]))]
        together = exercise.notes.kind == "predict" and self._state.judges_together(exercise, parts.blank)
        means = attempt.Means(seed=_TOGETHER if together else 0)
        verdicts = []
        for kind in self._kinds:
            backend = self._made.backends[kind]
            key = verdict_key(exercise, parts, backend)
            verdict = self._state.verdict(exercise, kind, key)
            if verdict is None:
                folder = self._made.folder / "exercises" / exercise.id / kind
                # Attempts that share a GPU would spoil each other's times.
                with self._gpu if kind == "cuda" else contextlib.nullcontext():
                    verdict = attempt.run_attempt(exercise, parts, exercise.learner, backend, folder, means)
                shutil.rmtree(folder / "copies", ignore_errors=True)
            verdicts.append((key, verdict))
            if not verdict.solved:
                break
        return verdicts

    def _result(self, exercise: Exercise, parts: blank.Parts, verdicts: list[tuple[str, Verdict]]) -> Result:
        for key, verdict in verdicts:
            if verdict.reason == "prediction" and key:
                self._state.add_try(exercise, parts.blank)
            if key and verdict.reason not in ("time_limit", "memory_limit", "time"):  # these may differ next time
                self._state.keep(exercise, key, verdict)
        last = verdicts[-1][1]
        status = NOT_BEGUN if blank.is_same(parts.blank, exercise.notes.blank) else "not solved"
        if last.solved:
            status = "solved" if any(verdict.graded for _, verdict in verdicts) else NOT_GRADED
        self._state.set_solved(exercise, parts.blank, status == "solved")
        if last.solved:  # only the lab counts, and it may not be the last
            last = replace(last, bars=[bar for _, verdict in verdicts for bar in verdict.bars])
        return Result(exercise, status, last, changed=blank.changed_line(parts, exercise.official))


def solved_before(exercise: Exercise, state: State) -> bool:
    """Whether the learner's file was found right the last time it was checked."""
    found = look(exercise)
    return isinstance(found, blank.Parts) and state.was_solved(exercise, found.blank)


def keep_aside(path: Path) -> Path:
    """Renames a file to the first free name of FILE.1, FILE.2, …"""
    number = 1
    while path.with_name(f"{path.name}.{number}").exists():
        number += 1
    kept = path.with_name(f"{path.name}.{number}")
    path.rename(kept)
    return kept
