"""--play: the book's stage player on a run of your own, served to a browser on this machine."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from building import backend
from building.errors import USAGE, WRONG, Refused
from building.repository import ROOT

from . import own_program, own_request, programs, targets
from .arguments import split

PAGE = "play.html?chapter=own"
SMALL = "64"  # items, by default
LONGEST = 60  # seconds of an attempt


def explain(words: list[str]) -> int:
    """One stage of a chapter, or a program of the user's own."""
    words, port = _port(words)
    with _trace() as trace:
        if own_request.is_meant(words):
            ours = own_request.before_arguments(words)
            own_program.explain([*ours, "--faults", "--trace", str(trace), *words[len(ours) :]])
            name = Path(words[0]).stem
            folders = sorted({str(Path(word).resolve().parent) for word in words if word.endswith(".cu")})
            return _play(trace, name, folders, port)
        names, asked, options = split(words)
        chosen = targets.find_chapters(names)
        if len(chosen) != 1 or "--stage" not in options:
            raise Refused(
                USAGE, "--play shows one stage of one chapter: ./tutorial explain ch03 --stage shuffle --play"
            )
        if not any(word == "--n" or word.startswith("--n=") for word in options):
            options += ["--n", SMALL]
        chapter = chosen[0]
        lab = own_program.build_of_lab(asked, "--play")
        lab.make([chapter.goal("lab")])
        code = programs.run(chapter.program(lab, "lab"), "--faults", *options, "--trace", str(trace))
        if code not in (0, WRONG):
            return code
        name = options[options.index("--stage") + 1]
        return _play(trace, name, [str(chapter.folder), str(ROOT / "common" / "harness")], port)


def check(words: list[str]) -> int:
    """An attempt at an exercise: it is graded first, and then run once more on only a few items."""
    words, port = _port(words)
    names = [word for word in words if not word.startswith("-")]
    if len(names) != 1 or "/" not in names[0].rstrip("/"):
        raise Refused(USAGE, "--play shows one exercise: ./tutorial check ch03/ex2 --play")
    exercise = names[0].rstrip("/")
    code = subprocess.call([sys.executable, "-B", str(ROOT / "common" / "tutorial"), "check", *words, "--cpu"])
    if code not in (0, 1):
        return code
    build = backend.choose("cpu").folder
    program = build / "exercises" / exercise / "lab" / "attempt"
    if not program.is_file():
        raise Refused(WRONG, f"{exercise} has no program to show: it does not compile, or was never begun")
    graders = json.loads((build / "grading.json").read_text(encoding="utf-8"))
    judge = graders["kinds"]["lab"]["judges"][exercise]
    with _trace() as trace:
        # In an exercise that asks for numbers, kernels run only for the counts.
        for phase in ("answers", "counts"):
            _ask(judge, program, phase, trace)
            if trace.is_file() and '"launch"' in trace.read_text(encoding="utf-8"):
                break
        chapter = exercise.partition("/")[0]
        where = ROOT / "docs" / "first_kernel" if chapter == "first" else targets.find_chapters([chapter])[0].folder
        folders = [where / "exercises", where, where / "grading", ROOT / "common" / "harness"]
        return _play(trace, exercise.replace("/", "_"), [str(each) for each in folders], port, last=True)


def _ask(judge: str, program: Path, phase: str, trace: Path) -> None:
    """An attempt does what its judge asks for, as when it is graded, but with only a few items. The verdict is not
    used."""
    asked, to_program = os.pipe()
    answered, from_program = os.pipe()
    words = [judge, "--phase", phase, "--max-n", SMALL, "--learner", f"{answered}:{to_program}"]
    variables = {
        "TUTORIAL_TRACE": str(trace),
        "TUTORIAL_CPU_TIME_LIMIT": "5",
        "TUTORIAL_CPU_WORKERS": "1",
        "GRADING_FROM_JUDGE": str(asked),
        "GRADING_TO_JUDGE": str(from_program),
    }
    nowhere, environment = subprocess.DEVNULL, os.environ | variables
    attempt = subprocess.Popen(
        [str(program)], pass_fds=(asked, from_program), stdout=nowhere, stderr=nowhere, env=environment
    )
    judging = subprocess.Popen(words, pass_fds=(answered, to_program), stdout=nowhere, stderr=nowhere)
    for end in (asked, to_program, answered, from_program):
        os.close(end)
    for running in (attempt, judging):  # whichever ends first, the other must end, too
        try:
            running.wait(timeout=LONGEST)
        except subprocess.TimeoutExpired:
            running.kill()
            running.wait()


def _play(trace: Path, name: str, folders: list[str], port: int | None, last: bool = False) -> int:
    """`last`: only the last launch of the trace is shown."""
    from . import site  # a quarter of a start's time, for HTTP

    if not site.OUT.joinpath("play.html").is_file():
        print("The player is a page of the book, which is built first.", file=sys.stderr)
        site.build()
    site.prepare_node()
    command = ["node", str(site.SITE / "own.mjs"), str(trace), name, *(["--last"] if last else []), *folders]
    code = programs.run(*command)
    return code if code else site.serve(site.OUT, PAGE, port)


def _port(words: list[str]) -> tuple[list[str], int | None]:
    if "--port" not in words:
        return words, None
    at = words.index("--port")
    if at + 1 >= len(words) or not words[at + 1].isdigit():
        raise Refused(USAGE, "--port takes a number from 0 to 65535")
    return words[:at] + words[at + 2 :], int(words[at + 1])


@contextlib.contextmanager
def _trace():
    with tempfile.TemporaryDirectory(prefix="tutorial-play-") as folder:
        yield Path(folder) / "trace.jsonl"
