"""./tutorial check: grades the exercises in docs/first_kernel/exercises/ and chNN/exercises/.

  ./tutorial check                    all of them
  ./tutorial check first              the warm-ups of docs/first_kernel.md
  ./tutorial check ch03               those of a chapter
  ./tutorial check ch03/ex2           one
  ./tutorial check ch03 --watch       again whenever you save a file, one exercise after the other
  ./tutorial check ch03/ex2 --hint    a hint; ask again for a second one
  ./tutorial check ch03/ex2 --solution   the solution, and why other answers fail
  ./tutorial check ch03/ex2 --play    watch your attempt run, step by step, in a browser
  ./tutorial check --reset ch03/ex2   restore the file as it was handed out; your version is kept as a copy

Without a name, --hint and --solution mean the next unsolved exercise. ./tutorial map shows which are
solved. Exit code: 0 if all that you named are solved, 1 if not, 2 for a wrong option.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from building.build import processors

from ..files import exercise as exercises
from ..files.exercise import Exercise
from ..grading_error import GradingError
from . import build, show, watch
from .checker import Checker, keep_aside, NOT_BEGUN, solved_before
from .state import State


class _Parser(argparse.ArgumentParser):
    def error(self, message: str):
        raise GradingError(f"{message}; see ./tutorial check --help")


def _arguments(words: list[str]) -> argparse.Namespace:
    parser = _Parser(
        prog="./tutorial check",
        usage=argparse.SUPPRESS,
        description=__doc__,
        allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        add_help=False,
    )
    parser.add_argument("what", nargs="*", help=argparse.SUPPRESS)
    verbs = parser.add_mutually_exclusive_group()
    for verb in ("watch", "hint", "solution", "reset"):
        verbs.add_argument(f"--{verb}", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("-h", "--help", action="store_true", help=argparse.SUPPRESS)
    # For tests: a folder that is built already.
    parser.add_argument("--build", type=Path, default=exercises.ROOT / "build" / "cpu", help=argparse.SUPPRESS)
    return parser.parse_intermixed_args(words)


def _next_unsolved(chosen: list[Exercise], state: State, after: Exercise | None = None) -> Exercise:
    """The first unsolved exercise, preferably one after `after`."""
    start = chosen.index(after) + 1 if after else 0
    return next((e for e in [*chosen[start:], *chosen[:start]] if not solved_before(e, state)), chosen[-1])


def _reset(chosen: list[Exercise], state: State) -> None:
    for exercise in chosen:
        file, stub = exercise.learner, exercise.stub_text()
        shown = exercise.shown(file)
        kept = ""
        if file.is_file() and file.read_bytes() == stub.encode():
            print(f"{shown} is unchanged.")
            continue
        if file.exists() or file.is_symlink():
            kept = f"; your version is kept as {exercise.shown(keep_aside(file))}"
        file.parent.mkdir(exist_ok=True)
        file.write_text(stub, encoding="utf-8")
        state.forget_hints(exercise)
        print(f"{shown} is restored{kept}.")


def _check(chosen: list[Exercise], everything: list[Exercise], checker: Checker, state: State) -> int:
    results = []
    for result in checker.check(chosen):
        results.append(result)
        print(show.line(result), flush=True)
        if len(chosen) == 1:
            print(show.details(result), end="\n" if not result.solved or result.changed else "")
            if result.bars:
                print(show.counted(result.bars, checker.bars_of_model(result.exercise)))
    unsolved = [r for r in results if not r.solved]
    # The first one that was tried and failed; all of them would be too much to read.
    failed = next((r for r in unsolved if r.status != NOT_BEGUN), None)
    if failed and len(chosen) > 1:
        print(f"\n{failed.exercise.id}:\n{show.details(failed)}")
    at = (failed or unsolved[0]).exercise if unsolved else _next_unsolved(everything, state, chosen[-1])
    if unsolved or not solved_before(at, state):
        print(f"\n{'Next' if at not in chosen or len(chosen) > 1 else 'File'}: {show.place(at, ' ' * 6)}")
        print(f"      ./tutorial check {at.id} --hint")
    solved = {r.exercise.id for r in results if r.solved}
    asked = {r.exercise.id for r in results}
    elsewhere = sum(solved_before(e, state) for e in everything if e.id not in asked)
    print(
        f"\n{len(solved) + elsewhere} of {len(everything)} solved"
        + (f", {len(solved)} of the {len(chosen)} here." if 1 < len(chosen) < len(everything) else ".")
    )
    if len(chosen) == len(everything) > 1:
        print("./tutorial map shows the learning path, with the pages that prepare you for each exercise.")
    return 1 if unsolved else 0


def main(words: list[str], prepare: build.Prepare | None = None) -> int:
    try:
        arguments = _arguments(words)
        if arguments.help:
            print(__doc__.strip())
            return 0
        everything = exercises.find()
        chosen = exercises.select(arguments.what, everything)
        if not chosen:
            raise GradingError("there are no exercises")
        if arguments.reset and not arguments.what:
            raise GradingError("--reset needs the name of an exercise or a chapter: ./tutorial check --reset ch03/ex2")
        state = State(exercises.ROOT / "build" / "exercises.json")
        if arguments.reset:
            _reset(chosen, state)
            return 0
        if arguments.hint:
            one = _next_unsolved(chosen, state)
            print(show.hints(one, state.next_hint(one, len(one.notes.hints))))
            return 0
        if arguments.solution:
            print(show.solution(_next_unsolved(chosen, state)))
            return 0
        folder, no_gpu = prepare() if prepare else (arguments.build, False)
        made = build.load(folder.resolve())
        kinds, not_looked_at = made.kinds(no_gpu)
        if not_looked_at:
            print(f"{not_looked_at}\n")
        checker = Checker(made, kinds, state, processors())
        if arguments.watch:
            return watch.watch(chosen, checker)
        return _check(chosen, everything, checker, state)
    except GradingError as error:
        print(f"tutorial: check: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:  # the reader has closed the pipe
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except KeyboardInterrupt:
        print()
        return 130
