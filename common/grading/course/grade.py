"""./tutorial grade: grades many students' folders.

  ./tutorial grade DIR… --csv FILE   FILE gets a line for each student and exercise
    --junit FILE            the same as JUnit XML
    --gradebook FILE        a CSV file with a line per student: points, solved, days late, then the exercises' points
    --for moodle|canvas     the gradebook in the format that this platform imports; the roster is its export
    --roster FILE           a CSV file with the students' names: everyone in it gets a line
    --course FILE           a CSV file with the worth of exercises: exercise,points,due,late,partial
    --handed-in FILE        a CSV file with times: student,handed in; for the deadlines of --course
    --alike FILE            a CSV file with answers that are equal or similar, except for names and spacing
    --feedback FOLDER       a text file for each student: points, and what the check says about each exercise
    --exercise ch03/ex2 …   only these, or those of a chapter (ch03); may be repeated
    --jobs N                grade N at a time; default: the number of processors
    --time-limit S          processor time of one program, in seconds; 20
    --memory-limit M        memory of one program, in MiB; 2048
    --again                 grade again what an earlier call has graded
    --no-isolation          without a sandbox: only for code that you trust

{forms}

What students wrote is compiled and run in a sandbox (bubblewrap): no network, no other files, limits
for time, memory, processes and output. After Ctrl-C, FILE holds what was graded, and the next call
continues from there. Exit code: 0 if all were graded, 1 if something could not be, 2 for a wrong option,
3 if there is no sandbox or a file cannot be written, 130 after Ctrl-C.
"""

from __future__ import annotations

import argparse
import datetime
import io
import itertools
import os
import secrets
import shutil
import signal
import sys
import tempfile
import time
from pathlib import Path

from building.build import processors

from ..check import build
from ..files import exercise as exercises
from ..grading_error import GradingError, NotWritten
from ..process import limited_process
from . import course, reports, roster, similarity, submission
from .classroom import Classroom, Grade, Runners, Verdicts
from .sandbox import Sandbox

# Other programs run too: this many times the processor time may pass, and always this many seconds.
_WALL, _LEAST_SECONDS = 4, 20.0
_PROCESSES = 64


_WRITTEN, _READ = ("csv", "junit", "gradebook", "alike"), ("roster", "course", "handed_in")


class _Parser(argparse.ArgumentParser):
    def error(self, message: str):
        raise GradingError(f"{message}; see ./tutorial grade --help")


def _number(least: float, most: float, kind=int):
    def parse(text: str):
        try:
            value = kind(text)
        except ValueError:
            value = None
        if value is None or not least <= value <= most:
            raise argparse.ArgumentTypeError(f"'{text}': it must be a number from {least:g} to {most:g}")
        return value

    return parse


def _arguments(words: list[str]) -> argparse.Namespace:
    parser = _Parser(prog="./tutorial grade", usage=argparse.SUPPRESS, allow_abbrev=False, add_help=False)
    parser.add_argument("folders", nargs="*", type=Path)
    parser.add_argument("--csv", type=Path)
    parser.add_argument("--junit", type=Path)
    parser.add_argument("--gradebook", type=Path)
    parser.add_argument("--for", dest="form", choices=reports.FORMS, default="plain")
    parser.add_argument("--roster", type=Path)
    parser.add_argument("--course", type=Path)
    parser.add_argument("--handed-in", type=Path)
    parser.add_argument("--alike", type=Path)
    parser.add_argument("--feedback", type=Path)
    parser.add_argument("--exercise", nargs="+", action="extend", default=[])
    parser.add_argument("--jobs", type=_number(1, 64), default=processors())
    parser.add_argument("--time-limit", type=_number(1, 3600, float), default=20.0)
    parser.add_argument("--memory-limit", type=_number(256, 1 << 20), default=2048)
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--no-isolation", action="store_true")
    parser.add_argument("-h", "--help", action="store_true")
    parser.add_argument(
        "--any-code", action="store_true"
    )  # for tests of the sandbox: what a blank contains is not checked
    # For tests: a folder that is built already.
    parser.add_argument("--build", type=Path, default=exercises.ROOT / "build" / "cpu")
    return parser.parse_intermixed_args(words)


def _check_files(arguments: argparse.Namespace) -> None:
    if not arguments.folders:
        raise GradingError("no folder of students is named; see ./tutorial grade --help")
    if arguments.csv is None:
        raise GradingError("--csv FILE is missing: where the grades go")
    if arguments.form != "plain" and (arguments.gradebook is None or arguments.roster is None):
        form = arguments.form
        raise GradingError(f"--for {form} needs --gradebook, and --roster with the file that {form} exports")
    if arguments.handed_in is not None and arguments.course is None:
        raise GradingError("--handed-in needs --course, which names the deadlines")
    if arguments.feedback is not None and arguments.feedback.exists() and not arguments.feedback.is_dir():
        raise GradingError(f"{arguments.feedback} is a file: --feedback names a folder")
    written = [path for path in (getattr(arguments, name) for name in _WRITTEN) if path is not None]
    read = [path for path in (getattr(arguments, name) for name in _READ) if path is not None]
    for path in written:
        if path.is_dir():
            raise GradingError(f"{path} is a folder, not a file")
        if not path.parent.is_dir():
            raise GradingError(f"{path} cannot be written: there is no folder {path.parent}")
        if not os.access(path if path.exists() else path.parent, os.W_OK):
            raise NotWritten(f"{path} cannot be written: permission denied")
    for one, other in itertools.combinations([*written, *read], 2):
        if _same_file(one, other):
            raise GradingError(f"two options name the same file: {one}")
    for path in written:
        if path.is_file() and not reports.is_ours(path):
            raise GradingError(f"{path} exists and is not a table of grades: it is not overwritten")


def _same_file(one: Path, other: Path) -> bool:
    try:
        return one.samefile(other)
    except OSError:
        return one.resolve() == other.resolve()


def _check_apart(arguments: argparse.Namespace, students: list[submission.Student]) -> None:
    """None of the output files is a student's."""
    for path in (getattr(arguments, name) for name in _WRITTEN):
        if path is None:
            continue
        for student in students:
            if student.folder is not None and student.folder.resolve() in path.resolve().parents:
                raise GradingError(f"{path} is in the folder of the student {student.name}: choose another place")


def readable(made: build.Build, kind: str, exercise: exercises.Exercise) -> tuple[Path, ...]:
    """What compilers and programs need from this computer besides the system, for an attempt at this exercise.

    No solution is included.
    """
    backend = made.backends[kind]
    paths = {backend.source / "common", Path(sys.prefix), Path(sys.base_prefix), made.headers()}
    paths.update(Path(header) for header in exercise.headers)
    paths.add(Path(backend.compiler).resolve().parents[1])
    # What the compiler loads: the lab's plugin.
    paths.update(
        Path(word.partition("=")[2]) for word in backend.options if word.startswith(("-fplugin=", "-fpass-plugin="))
    )
    paths.update(path.parent for path in backend.link_inputs(exercise.id))
    return tuple(sorted(path for path in paths if path.exists()))


class _Progress:
    """A line on the terminal: how many are done, the time taken, and an estimate of the time left."""

    def __init__(self, of: int):
        self._of, self._done, self._graded, self._started = of, 0, 0, time.monotonic()

    def add(self, last: Grade, waiting: int) -> None:
        """`waiting`: how many attempts are yet to be made."""
        self._done += 1
        self._graded += last.verdict.seconds > 0
        if not sys.stderr.isatty():
            return
        spent = time.monotonic() - self._started
        made = max(1, self._graded)
        left = f", about {_minutes(spent / made * waiting)} left" if self._graded > 3 and waiting else ""
        words = f"{self._done} of {self._of} in {_minutes(spent)}{left}: {last.student.name}, {last.exercise.id}"
        end = "" if self._done < self._of else "\r\033[K"
        print(f"\r\033[K{words[:110]}", end=end, file=sys.stderr, flush=True)


def _minutes(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:.0f} min"


def _require_sandbox(made: build.Build, kinds: list[str], chosen: list[exercises.Exercise], folder: Path) -> None:
    """Refused if there is none, before anything is built."""
    probe = folder / "probe"
    probe.mkdir()
    for kind in kinds:
        box = Sandbox(readable(made, kind, chosen[0]), gpu=kind == "cuda")
        trouble = box.trouble(probe, [made.backends[kind].compiler, "--version"])
        if trouble:
            raise _NoSandbox(f"there is no sandbox: {trouble}. For code that you trust: --no-isolation")


def built(
    made: build.Build, kinds: list[str], chosen: list[exercises.Exercise], jobs: int, isolated: bool
) -> tuple[build.Build, Runners]:
    """Builds the graders; returns for each kind and exercise what its commands are run with."""
    made.make([exercise.id for exercise in chosen], kinds, jobs)
    made = made.precompile()
    if not isolated:
        return made, {(kind, exercise.id): limited_process.run for kind in kinds for exercise in chosen}
    # Only now: a sandbox mounts what is there.
    return made, {
        (kind, exercise.id): Sandbox(readable(made, kind, exercise), gpu=kind == "cuda").run
        for kind in kinds
        for exercise in chosen
    }


class _NoSandbox(GradingError):
    pass


def _drop_left(folder: Path) -> None:
    """Removes what killed runs have left in `folder`: folders named after processes that no longer exist."""
    for path in folder.glob("[0-9]*"):
        if path.name.isdigit() and not Path("/proc", path.name).exists() and Path("/proc/self").exists():
            shutil.rmtree(path, ignore_errors=True)


def _grade(
    arguments: argparse.Namespace,
    students: list,
    chosen: list,
    rules: course.Course,
    times: dict[tuple[str, str], datetime.datetime],
    prepare: build.Prepare | None,
) -> int:
    scores = _scores(rules, times)
    build_folder, no_gpu = prepare() if prepare else (arguments.build, False)
    made = build.load(build_folder.resolve())
    kinds, not_looked_at = made.kinds(no_gpu)
    if not_looked_at:
        print(not_looked_at, file=sys.stderr)
    folder = made.folder / "grade" / str(os.getpid())
    _drop_left(folder.parent)
    folder.mkdir(parents=True)
    grades: list[Grade] = []
    try:
        if not arguments.no_isolation:
            _require_sandbox(made, kinds, chosen, folder)
        made, runners = built(made, kinds, chosen, arguments.jobs, not arguments.no_isolation)
        limits = limited_process.Limits(
            seconds=max(_LEAST_SECONDS, _WALL * arguments.time_limit),
            cpu_seconds=arguments.time_limit,
            memory=arguments.memory_limit << 20,
            processes=_PROCESSES,
        )
        verdicts = Verdicts(folder.parent / "verdicts.jsonl")
        if arguments.again:
            verdicts.forget()
        # A new seed for each call, so that nobody can know the inputs in advance.
        room = Classroom(
            [made.backends[kind] for kind in kinds],
            runners,
            limits,
            folder,
            verdicts,
            arguments.jobs,
            seed=secrets.randbelow(1 << 30) + 1,
            looks_at_code=not arguments.any_code,
        )
        table = reports.Csv(arguments.csv, scores)
        progress = _Progress(len(students) * len(chosen))
        try:
            for grade in room.grade(students, chosen):
                grades.append(grade)
                table.add(grade)
                progress.add(grade, room.waiting)
        finally:
            table.finish(grades)
            if arguments.junit:
                reports.write_junit(arguments.junit, grades)
            if arguments.gradebook:
                reports.write_gradebook(arguments.gradebook, grades, chosen, students, scores, arguments.form)
            if arguments.feedback:
                reports.write_feedback(arguments.feedback, grades, scores)
            if arguments.alike:
                official = {exercise.id: exercise.official.blank for exercise in chosen}
                # Right predictions are all equal.
                told = [exercise for exercise in chosen if exercise.notes.kind != "predict"]
                blanks = {e.id: {name: parts.blank for name, parts in room.tried.get(e.id, {}).items()} for e in told}
                reports.write_alike(arguments.alike, similarity.find(blanks, official, room.statements(told)))
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    try:
        print(reports.summary(grades, chosen), flush=True)
    except OSError as error:
        raise NotWritten(f"the summary cannot be written to the output: {error.strerror}") from None
    unread = [student for student in students if student.trouble]
    if unread:
        print("\nNot everything could be read from:")
        for student in unread:
            print(f"  {student.name}: {student.trouble}")
    of_times = without_times(rules, times, grades)
    if of_times:
        print(f"\n{of_times}")
    ungraded = sum(grade.verdict.reason == "grader" for grade in grades)
    if ungraded:
        print(f"\n{ungraded} could not be graded: see the lines with the reason 'grader'.")
    return 1 if ungraded or unread else 0


def without_times(rules: course.Course, times: dict[tuple[str, str], datetime.datetime], grades: list[Grade]) -> str:
    """A line about students whose work has a deadline and no known time; or nothing."""
    with_deadline = [g for g in grades if g.was_attempted and (rules.rule(g.exercise) or course.Rule()).due]
    unknown = {
        g.student.name
        for g in with_deadline
        if not g.student.is_late and not {(g.student.name, g.exercise.id), (g.student.name, "")} & set(times)
    }
    if not unknown:
        return ""
    of = len({g.student.name for g in with_deadline})
    named = f" ({'; '.join(sorted(unknown))})" if len(unknown) <= 3 else ""
    return (
        f"There are deadlines, but for {len(unknown)} of {of} students{named} it is not known when they handed in: "
        "they count as handed in on time. --handed-in FILE supplies times; so does Moodle's grading worksheet "
        "as --roster."
    )


def _scores(rules: course.Course, times: dict[tuple[str, str], datetime.datetime]) -> reports.Scores:
    """What each grade is worth by the course's rules."""

    def score(grade: Grade) -> reports.Score:
        rule = rules.rule(grade.exercise) or course.Rule()
        name = grade.student.name
        handed_in = times.get((name, grade.exercise.id), times.get((name, "")))
        late = rule.days_late(handed_in, grade.student.is_late) if grade.was_attempted else 0
        return reports.Score(rule.score(grade.verdict, late), rule.points, late)

    return score


def _say_and_leave_output(words: str) -> None:
    """Reports the error on stderr, and drops the rest of an output that cannot be written."""
    print(words, file=sys.stderr)
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def main(words: list[str], prepare: build.Prepare | None = None) -> int:
    # A terminal that is closed is like a Ctrl-C.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # students' names may contain anything
    os.umask(0o022)  # the sandbox's user must be able to read what is mounted for it
    try:
        arguments = _arguments(words)
        if arguments.help:
            print(__doc__.format(forms=submission.FORMS).strip())
            return 0
        chosen = exercises.select(arguments.exercise, exercises.find())
        if not chosen:
            raise GradingError("there are no exercises")
        _check_files(arguments)
        rules = course.Course() if arguments.course is None else course.read(arguments.course, exercises.find())
        chosen = rules.chosen(chosen)
        if not chosen:
            raise GradingError(f"{arguments.course} names none of these exercises")
        with tempfile.TemporaryDirectory(prefix="tutorial-grade-") as room:
            students, empty = submission.students(arguments.folders, Path(room))
            if arguments.roster is not None:
                students = roster.with_roster(students, arguments.roster)
                reports.require_roster_of(arguments.form, students, str(arguments.roster))
            times = roster.times_of_worksheet(students)
            if arguments.handed_in is not None:
                times.update(roster.handed_in(arguments.handed_in, students))
            _check_apart(arguments, students)
            if empty:
                print(f"Left out, because there are no exercises in it: {', '.join(empty)}", file=sys.stderr)
            return _grade(arguments, students, chosen, rules, times, prepare)
    except _NoSandbox as error:
        print(f"tutorial: grade: {error}", file=sys.stderr)
        return 3
    except NotWritten as error:
        _say_and_leave_output(f"tutorial: grade: {error}")
        return 3
    except GradingError as error:
        for line in str(error).splitlines():
            print(f"tutorial: grade: {line}", file=sys.stderr)
        return 2
    except OSError as error:
        _say_and_leave_output(f"tutorial: grade: {error.filename or 'the output'}: {error.strerror or error}")
        return 3
    except KeyboardInterrupt:
        print(
            "\nInterrupted: the CSV file has the grades so far; the same command continues from there.", file=sys.stderr
        )
        return 130
