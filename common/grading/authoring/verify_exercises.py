"""Proves the exercises: every stub fails, every solution passes, every wrong answer fails for its reason.

    verify_exercises.py                       all
    verify_exercises.py ch03 ch04/ex2 -v      some; -v shows the message for each attempt
    verify_exercises.py --in-turn             of the attempts that must fail an eighth each day, and what has changed
    verify_exercises.py --form                only the form: header, task, hints, links; nothing is compiled
    verify_exercises.py --pristine            also check that exercises/*.cu are the stubs as handed out
    verify_exercises.py --bars                write the table of all bars, common/grading/bars.md
    verify_exercises.py --write               write exercises/*.cu from the solutions and the notes
    verify_exercises.py --kind cuda           on a GPU: solutions must pass; other results are only shown
    verify_exercises.py --kind cuda --step compile, and later --step run: if the GPU is elsewhere
    verify_exercises.py --kind cuda --solutions --step run --under "compute-sanitizer --error-exitcode 9" --max-n 1025

A learner's file is the solution with the notes' blank in it, so that stub and solution cannot differ
outside the blank. What learners have made of their own files does not matter here.
"""

from __future__ import annotations

import argparse
import contextlib
import shlex
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

from building.build import processors
from building.turn import changed_files, todays_part

from ..check import attempt, build
from ..files import blank
from ..files import exercise as exercises
from ..grading_error import GradingError
from ..process import limited_process
from . import bars, form

MAX_SECONDS = 5  # CPU time that an attempt should take, including compilation; more is only reported


@dataclass(frozen=True)
class How:
    """How attempts are tested."""

    step: str  # compile, run or both
    under: list[str]  # what runs the program, such as compute-sanitizer
    max_n: int  # the largest of the grader's sizes; 0: all of them
    verbose: bool


class Case:
    """One attempt, and its required result."""

    def __init__(self, exercise: exercises.Exercise, label: str, title: str, lines: list[str], fails: str, says: str):
        self.exercise, self.label, self.title = exercise, label, title
        self.lines, self.fails, self.says = lines, fails, says

    def run(self, backend: build.Backend, folder: Path, how: How) -> attempt.Verdict:
        official = self.exercise.official
        shown = blank.Parts(official.before, self.lines, official.after)
        folder = folder / self.exercise.id / self.label
        folder.mkdir(parents=True, exist_ok=True)
        # A copy with the attempt's own lines: a message about a line quotes it from there.
        name = folder / f"{self.exercise.name}.cu"
        name.write_text("\n".join([*shown.before, *shown.blank, *shown.after]) + "\n", encoding="utf-8")
        if self.label in ("stub", "solution"):
            warn = ["-Xcompiler=-Werror"] if backend.kind == "cuda" else ["-Werror"]
            backend = replace(backend, options=[*backend.options, *warn])
        verdict, spent = None, 0.0

        def run(command, *arguments, **named) -> limited_process.Outcome:
            nonlocal spent
            done = limited_process.run(command, *arguments, **named)
            spent += done.cpu_seconds
            return done

        means = attempt.Means(run)
        if how.step != "run":
            verdict = attempt.build_attempt(self.exercise, shown, name, backend, folder, means)
        if verdict is None and how.step == "compile":
            verdict = attempt.Verdict("", "")
        if verdict is None:
            program = [*how.under, str(folder / "attempt")]
            # Under a sanitizer times mean nothing.
            more = ["--phase", "answers"] if how.under else []
            more += ["--max-n", str(how.max_n)] if how.max_n else []
            verdict = attempt.run_program(program, name, folder, means, more, backend.judge(self.exercise.id))
        # CPU time: the same however many attempts run at once.
        return replace(verdict, seconds=spent)

    def complaint(self, verdict: attempt.Verdict) -> str:
        """What is wrong with the result; empty if nothing is."""
        if verdict.reason != self.fails:
            wanted = f"must fail with '{self.fails}'" if self.fails else "must pass"
            return f"{wanted}, and {'fails with ' + repr(verdict.reason) if verdict.reason else 'passes'}"
        if self.says and self.says not in verdict.text:
            return f"must say '{self.says}'"
        return ""


def cases(exercise: exercises.Exercise) -> list[Case]:
    """The solution, and the attempts that must fail."""
    made = [Case(exercise, "solution", "the solution", exercise.official.blank, "", "")]
    made.append(Case(exercise, "stub", "the stub", exercise.notes.blank, exercise.notes.stub_fails, ""))
    for number, wrong in enumerate(exercise.notes.wrong, 1):
        made.append(Case(exercise, f"wrong{number}", f"'{wrong.title}'", wrong.blank, wrong.fails, wrong.says))
    return made


def todays(every: list[Case], parts: int) -> list[Case]:
    """So large a part of them each day, and those of the exercises that the last commits have changed."""
    part, changed = todays_part(every, parts), set(changed_files())

    def read_by(e: exercises.Exercise) -> set[str]:
        return {e.shown(e.solution), e.shown(e.grader), e.shown(e.notes_file)}

    return [case for case in every if case in part or changed & read_by(case.exercise)]


@contextlib.contextmanager
def stopped_by_ctrl_c():
    """Ends attempts that are still running when their caller ends."""
    try:
        yield
    except KeyboardInterrupt:
        limited_process.stop_all()
        raise


def prove(
    todo: list[Case], backend: build.Backend, folder: Path, jobs: int, how: How
) -> tuple[int, list[tuple[exercises.Exercise, str]]]:
    """Runs all cases; returns how many ended wrongly, and each solution's part of the table of bars."""
    failed = 0
    sections = []
    with ThreadPoolExecutor(jobs) as pool, stopped_by_ctrl_c():
        for case, verdict in zip(todo, pool.map(lambda c: c.run(backend, folder, how), todo)):
            complaint = case.complaint(verdict)
            if case.label == "solution":
                sections.append((case.exercise, bars.section(case.exercise, verdict.bars)))
            # Without the lab, faults and counts are not checked: only the solution is certain to be judged right.
            if case.fails and (backend.kind != "lab" or how.step == "compile"):
                complaint = ""
            failed += bool(complaint)
            outcome = f"fails, {verdict.reason}" if verdict.reason else "passes"
            slow = f"; more than {MAX_SECONDS} s" if verdict.seconds > MAX_SECONDS else ""
            print(
                f"{case.exercise.id}  {case.title}: {outcome} ({verdict.seconds:.1f} s{slow})"
                + (f"  WRONG: it {complaint}" if complaint else ""),
                flush=True,
            )
            if how.verbose or complaint:
                print("".join(f"    | {line}\n" for line in verdict.text.splitlines()), end="", flush=True)
    return failed, sections


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="*", help="ch03 or ch03/ex2; all without one")
    parser.add_argument("--build", type=Path, default=exercises.ROOT / "build/cpu", help="CMake's build folder")
    parser.add_argument("--kind", choices=("lab", "cpu", "cuda"), help="the lab if there is one, otherwise a GPU")
    parser.add_argument("--jobs", type=int, default=processors(), help="attempts at a time")
    parser.add_argument("--built", action="store_true", help="the graders are built; do not call CMake")
    parser.add_argument("--pristine", action="store_true", help="exercises/*.cu must be the stubs")
    parser.add_argument("--write", action="store_true", help="write the stubs, and nothing else")
    parser.add_argument("--bars", action="store_true", help="write the table of bars, from all solutions")
    parser.add_argument("--form", action="store_true", help="only the form")
    parser.add_argument("--step", choices=("compile", "run", "both"), default="both")
    parser.add_argument("--solutions", action="store_true", help="only these")
    parser.add_argument(
        "--in-turn",
        action="store_true",
        help="only an eighth of the attempts that must fail each day, with --solutions a third of the solutions; and"
        " those of the exercises that the last ten commits changed",
    )
    parser.add_argument("--under", default="", metavar="COMMAND", help="what runs the programs")
    parser.add_argument("--max-n", type=int, default=0, metavar="N", help="leave larger sizes out")
    parser.add_argument("-v", "--verbose", action="store_true", help="show the message for each attempt")
    arguments = parser.parse_args()
    try:
        chosen = exercises.select([] if arguments.bars else arguments.what, exercises.find())
        if not chosen:
            raise GradingError("there are no exercises")
        if arguments.write:
            for exercise in chosen:
                exercise.learner.parent.mkdir(exist_ok=True)
                exercise.learner.write_text(exercise.stub_text(), encoding="utf-8")
                print(f"{exercise.shown(exercise.learner)}: written")
            return 0
        wrong = [line for e in chosen for line in form.check(e, arguments.pristine)]
        wrong += form.check_chapters(chosen, exercises.find())
        for line in wrong:
            print(line, file=sys.stderr)
        if arguments.form:
            print(f"{len(chosen)} exercises: {len(wrong)} errors of form")
            return 1 if wrong else 0
        started = time.monotonic()
        every = [case for e in chosen for case in cases(e)]
        solutions = [case for case in every if case.label == "solution"]
        if arguments.solutions or arguments.bars:
            todo = todays(solutions, 3) if arguments.in_turn else solutions
        else:
            others = [case for case in every if case not in solutions]
            todo = [*solutions, *(todays(others, 8) if arguments.in_turn else others)]
        made = build.load(arguments.build.resolve())
        kind = arguments.kind or next((k for k in ("lab", "cpu", "cuda") if k in made.backends), "")
        if kind not in made.backends:
            raise GradingError(f"{made.folder} is not made for '{kind}'; it is for: {', '.join(made.backends)}")
        if not arguments.built and arguments.step != "run":
            made.make(sorted({case.exercise.id for case in todo}), [kind], arguments.jobs)
        made = made.precompile()
        how = How(arguments.step, shlex.split(arguments.under), arguments.max_n, arguments.verbose)
        failed, sections = prove(todo, made.backends[kind], made.folder / "proofs" / kind, arguments.jobs, how)
        if arguments.bars:
            bars.write([text for _, text in sections])
        elif kind == "lab" and arguments.step == "both" and not how.under and not how.max_n:
            for exercise, text in sections:
                if not bars.is_current(text):
                    wrong.append(f"{exercise.id}: common/grading/bars.md is out of date: run verify --bars")
                    print(wrong[-1], file=sys.stderr)
        print(
            f"{len(todo)} attempts at {len(chosen)} exercises: {failed} wrong attempts, {len(wrong)} wrong files "
            f"({time.monotonic() - started:.0f} s)"
        )
        return 1 if failed or wrong else 0
    except GradingError as error:
        print(f"verify_exercises.py: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
