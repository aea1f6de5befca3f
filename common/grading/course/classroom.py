"""Grades the files of many students: each blank once, several at a time, whatever any of them does."""

from __future__ import annotations

import contextlib
import hashlib
import json
import shutil
import threading
from collections import Counter
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Callable, Iterator

from ..check import attempt
from ..check.attempt import Verdict
from ..check.build import Backend
from ..check.state import verdict_key
from ..files import blank, code_text
from ..files.exercise import Exercise
from ..grading_error import GradingError
from ..process import limited_process
from . import compiled, similarity, submission
from .submission import Student

NOT_BEGUN, MISSING, UNREADABLE, NOT_GRADED = "not_begun", "missing", "unreadable", "not_graded"
Runners = dict[tuple[str, str], Callable[..., limited_process.Outcome]]
_MAX_WIDTH = 1000  # of a line in a table
# These may end differently next time.
_NOT_KEPT = ("time", "time_limit", "memory_limit", "crash", "no_verdict", "grader")


@dataclass(frozen=True)
class Grade:
    """What one student gets for one exercise. `verdict.reason` may also be one of those above."""

    student: Student
    exercise: Exercise
    verdict: Verdict
    changed: int | None = None  # a line outside the blank that is not as it was handed out
    beside: tuple[str, ...] = ()  # other files for this exercise, which differ and do not count

    @property
    def was_attempted(self) -> bool:
        return self.verdict.reason not in (NOT_BEGUN, MISSING, NOT_GRADED) and not self.is_of_student

    @property
    def is_of_student(self) -> bool:
        """Whether the whole submission could not be read, not just this exercise's file."""
        return self.verdict.reason == UNREADABLE and self.verdict.text == self.student.trouble

    @property
    def line(self) -> str:
        """The first line of the text."""
        words = self.verdict.text.split("\n")[0][:_MAX_WIDTH]
        if not words and self.changed:
            words = f"line {self.changed}, outside the blank, was changed: ignored"
        beside = self.words_of_others()
        # It may quote what a student wrote: control characters must not reach a terminal.
        line = "; ".join(part for part in (words, beside) if part)
        return "".join(c if c.isprintable() else " " for c in line)

    def words_of_others(self) -> str:
        """Says that there are other files for this exercise; empty if there are none."""
        if not self.beside:
            return ""
        return f"not graded, because it is another file for this exercise: {', '.join(self.beside[:3])}"


class Verdicts:
    """The verdicts of earlier runs: a file that only grows, so that an interrupted run is not lost."""

    def __init__(self, path: Path):
        self._path = path
        self._known: dict[str, Verdict] = {}
        self._lock = threading.Lock()
        try:
            lines = path.read_text(encoding="utf-8").splitlines()
        except OSError:
            lines = []
        for line in lines:
            try:
                entry = json.loads(line)
                key = entry.pop("key")
                self._known[key] = Verdict(**entry)
            except (ValueError, KeyError, TypeError, AttributeError):
                continue  # half a line, or another version's

    def forget(self) -> None:
        self._known.clear()

    def get(self, key: str) -> Verdict | None:
        return self._known.get(key)

    def keep(self, key: str, verdict: Verdict) -> None:
        if verdict.reason in _NOT_KEPT or limited_process.stopping.is_set():
            return
        with self._lock:
            self._known[key] = verdict
            with open(self._path, "a", encoding="utf-8") as file:
                file.write(json.dumps({"key": key, **asdict(verdict)}) + "\n")


class Classroom:
    """`runners`: for each kind and exercise, what its commands are run with; `folder`: where attempts are made."""

    def __init__(
        self,
        backends: list[Backend],
        runners: Runners,
        limits: limited_process.Limits,
        folder: Path,
        verdicts: Verdicts,
        jobs: int,
        seed: int = 0,
        looks_at_code: bool = True,
    ):
        self._backends, self._runners, self._limits = backends, runners, limits
        self._folder, self._verdicts, self._jobs = folder, verdicts, jobs
        self._seed, self._looks_at_code = seed, looks_at_code
        self._references: dict[tuple[str, str], str] = {}
        self._reference_locks: dict[tuple[str, str], threading.Lock] = {}
        self._lock = threading.Lock()
        self.tried: dict[str, dict[str, blank.Parts]] = {}  # by exercise and student
        self.waiting = 0  # attempts yet to be made
        # Programs that share a GPU would measure wrong times.
        self._gpu: contextlib.AbstractContextManager = threading.Lock()

    def grade(self, students: list[Student], exercises: list[Exercise]) -> Iterator[Grade]:
        """The grades, each as soon as it is known, in no particular order."""
        waiting: dict[str, list[Grade]] = {}  # by key; the verdicts are still missing
        parts: dict[str, tuple[Exercise, blank.Parts]] = {}
        for student in students:
            told = ""  # the exercise whose grade says which of the student's files could not be read
            for exercise in exercises:
                looked = look(student, exercise)
                if isinstance(looked, Grade):
                    if looked.is_of_student and told:
                        looked = replace(
                            looked, verdict=Verdict(MISSING, f"there is no file that could be read: see {told}")
                        )
                    elif looked.is_of_student:
                        told = exercise.id
                    yield looked
                    continue
                found, beside = looked
                self.tried.setdefault(exercise.id, {})[student.name] = found
                key = _key(exercise, found)
                parts.setdefault(key, (exercise, found))
                changed = blank.changed_line(found, exercise.official)
                waiting.setdefault(key, []).append(Grade(student, exercise, Verdict("grader", ""), changed, beside))
        alike: dict[str, list[str]] = {}  # keys of blanks that differ only in comments and spacing
        for key, (exercise, found) in parts.items():
            alike.setdefault(_meaning(exercise, found), []).append(key)
        self.waiting = len(alike)
        with ThreadPoolExecutor(self._jobs) as pool:
            futures: dict[Future, None] = dict.fromkeys(
                pool.submit(self._verdicts_of, {key: parts[key] for key in keys}) for keys in alike.values()
            )
            try:
                for future in as_completed(futures):
                    self.waiting -= 1
                    for key, verdict in future.result().items():
                        for each in waiting[key]:
                            yield replace(each, verdict=verdict)
            except BaseException:  # Ctrl-C: running attempts are ended, and waiting ones dropped
                pool.shutdown(wait=False, cancel_futures=True)
                limited_process.stop_all()
                raise

    def statements(self, exercises: list[Exercise]) -> dict[str, dict[str, list[compiled.Statement]]]:
        """What a compiler has made of the blanks, by exercise and student; for equal blanks, only one student's.

        The blank's original text is removed. Empty if no compiler here can write that.
        """
        backend = next((each for each in self._backends if compiled.is_possible(each)), None)
        if backend is None:
            return {}
        wanted: list[tuple[Exercise, str, blank.Parts]] = []
        for exercise in exercises:
            tried = self.tried.get(exercise.id, {})
            answers = similarity.different({student: parts.blank for student, parts in tried.items()})
            if len(answers) > 1:
                wanted.append((exercise, "", replace(exercise.official, blank=exercise.notes.blank)))
                wanted += [(exercise, students[0], tried[students[0]]) for students in answers.values()]
        with ThreadPoolExecutor(self._jobs) as pool:
            futures = [pool.submit(self._statements, *each, backend) for each in wanted]
            made = [future.result() for future in futures]
        found: dict[str, dict[str, list[compiled.Statement]]] = {}
        for (exercise, student, _), statements in zip(wanted, made):
            found.setdefault(exercise.id, {})[student] = statements
        return {exercise: _without(by_student.pop(""), by_student) for exercise, by_student in found.items()}

    def _statements(
        self, exercise: Exercise, student: str, parts: blank.Parts, backend: Backend
    ) -> list[compiled.Statement]:
        folder = self._folder / f"compiled-{hashlib.sha256(f'{exercise.id} {student}'.encode()).hexdigest()[:16]}"
        folder.mkdir()
        try:
            return compiled.of_blank(
                exercise, parts, backend, folder, self._runners[backend.kind, exercise.id], self._limits
            )
        except (GradingError, OSError):
            return []  # treated like one that does not compile
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def _verdicts_of(self, alike: dict[str, tuple[Exercise, blank.Parts]]) -> dict[str, Verdict]:
        """The verdicts of blanks that are the same program: the first one's, if it is solved.

        The report of a failure names lines of the student's own file, so these run one by one.
        """
        made: dict[str, Verdict] = {}
        for key, (exercise, looked) in alike.items():
            first = next(iter(made.values()), None)
            made[key] = first if first is not None and first.solved else self._verdict(key, exercise, looked)
        return made

    def _verdict(self, key: str, exercise: Exercise, parts: blank.Parts) -> Verdict:
        """The verdict of the first backend that finds something wrong, or of the last one."""
        verdict = Verdict("grader", "it was not graded")
        seconds, was_graded = 0.0, False
        for backend in self._backends:
            folder = self._folder / key / backend.kind
            try:
                verdict = self._on(backend, exercise, parts, folder)
            except Exception as error:  # whatever it is: grading continues
                return Verdict("grader", _trouble(error))
            finally:
                shutil.rmtree(self._folder / key, ignore_errors=True)
            seconds += verdict.seconds
            was_graded = was_graded or verdict.graded
            if not verdict.solved:
                break
        if verdict.solved and not was_graded:
            return Verdict(NOT_GRADED, "it cannot be graded here: that needs the emulator with the lab, or a GPU")
        return replace(verdict, seconds=seconds, graded=True)

    def _on(self, backend: Backend, exercise: Exercise, parts: blank.Parts, folder: Path) -> Verdict:
        limits = f"{self._limits.cpu_seconds:g} {self._limits.memory}{'' if self._looks_at_code else ' any code'}"
        key = f"{verdict_key(exercise, parts, backend)} {limits}"
        known = self._verdicts.get(key)
        if known is not None:
            return known
        digest = self._reference(backend, exercise) if self._seed else None
        verdict = self._run(exercise, parts, backend, folder, digest)
        self._verdicts.keep(key, verdict)
        return verdict

    def _run(
        self, exercise: Exercise, parts: blank.Parts, backend: Backend, folder: Path, digest: str | None
    ) -> Verdict:
        folder.mkdir(parents=True)
        # The lab and the compiler quote lines of this copy: the student's folder stays out of reach.
        name = folder / f"{exercise.name}.cu"
        name.write_text("\n".join([*parts.before, *parts.blank, *parts.after]) + "\n", encoding="utf-8")
        with self._gpu if backend.kind == "cuda" else contextlib.nullcontext():
            means = attempt.Means(
                self._runners[backend.kind, exercise.id],
                self._limits,
                self._looks_at_code,
                self._seed,
                digest,
            )
            return attempt.run_attempt(exercise, parts, name, backend, folder, means)

    def _reference(self, backend: Backend, exercise: Exercise) -> str:
        """The digest of the solution, which runs once per exercise with the same seed."""
        which = (exercise.id, backend.kind)
        with self._lock:
            lock = self._reference_locks.setdefault(which, threading.Lock())
        with lock:
            if which not in self._references:
                folder = self._folder / f"reference-{exercise.id.replace('/', '-')}" / backend.kind
                try:
                    verdict = self._run(exercise, exercise.official, backend, folder, None)
                finally:
                    shutil.rmtree(folder, ignore_errors=True)
                if not verdict.solved:
                    said = verdict.text.partition("\n")[0]
                    raise GradingError(f"the solution of {exercise.id} itself fails here: {verdict.reason}: {said}")
                self._references[which] = verdict.digest
            return self._references[which]


def look(student: Student, exercise: Exercise) -> Grade | tuple[blank.Parts, tuple[str, ...]]:
    """The student's file, cut at its blank, and the names of others; a Grade if there is nothing to run."""
    try:
        chosen, others = submission.choose(student, exercise)
        if chosen is None and student.trouble:
            return Grade(student, exercise, Verdict(UNREADABLE, student.trouble))
        if chosen is None:
            return Grade(student, exercise, Verdict(MISSING, "there is no file"))
        parts = submission.parts_of(chosen.path, chosen.shown)
    except GradingError as error:
        return Grade(student, exercise, Verdict(UNREADABLE, str(error)))
    except Exception as error:  # whatever it is: grading continues
        return Grade(student, exercise, Verdict("grader", _trouble(error)))
    if blank.is_same(parts.blank, exercise.notes.blank):
        return Grade(
            student,
            exercise,
            Verdict(NOT_BEGUN, "the blank is unchanged"),
            blank.changed_line(parts, exercise.official),
            tuple(others),
        )
    return parts, tuple(others)


def _without(
    given: list[compiled.Statement], by_student: dict[str, list[compiled.Statement]]
) -> dict[str, list[compiled.Statement]]:
    """Each student's statements, without those that the exercise gives."""
    own: dict[str, list[compiled.Statement]] = {}
    for student, statements in by_student.items():
        left = Counter(given)
        own[student] = []
        for statement in statements:
            if left[statement] > 0:
                left[statement] -= 1
            else:
                own[student].append(statement)
    return own


def _trouble(error: Exception) -> str:
    """One line that says what went wrong with the grading, not with the student's work."""
    words = str(error) if isinstance(error, (GradingError, OSError)) else f"{type(error).__name__}: {error}"
    return "it could not be graded: " + " ".join(words.split())[:300]


def _meaning(exercise: Exercise, parts: blank.Parts) -> str:
    """The same key for blanks that the compiler turns into the same program."""
    written = "\n".join(blank.what_counts(parts, exercise.official))
    code = code_text.without_comments(written)
    if not code_text.without_comments(f"{written}\n;").endswith(";"):
        # A comment that the blank does not close swallows what follows: it is compiled by itself.
        return _key(exercise, parts)
    # A macro or directive ends with its line, and a string may contain blanks: only the ends of lines are stripped.
    lines = [
        " ".join(line.split()) if '"' not in line and "'" not in line else line.rstrip() for line in code.split("\n")
    ]
    text = "\n".join([exercise.id, *(line for line in lines if line)])
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:24]


def _key(exercise: Exercise, parts: blank.Parts) -> str:
    """The same key for all who have the same answer, line breaks included, because messages name lines."""
    counting = blank.what_counts(parts, exercise.official)
    text = "\n".join([exercise.id, str(parts.blank_line), *(line.rstrip() for line in counting)])
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:24]
