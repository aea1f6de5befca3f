"""One attempt at an exercise: merged, compiled, linked, run; the result is a Verdict."""

from __future__ import annotations

import contextlib
import json
import math
import os
import re
import secrets
import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Callable, Iterator, Sequence

from building.build import processors

from ..files import blank, code_text
from ..files.exercise import Exercise
from ..files.notes import REASONS
from ..process import endings, limited_process, symbolize, two_processes
from ..rules import forbidden, symbols
from . import diagnostics
from .build import Backend
from .compile_link import CompileLink, NO_NAMES, NOT_LINKED, NOT_REWRITTEN, NOT_WATCHED

# The emulator ends a kernel that makes no progress and says where it is; long before our own limit.
KERNEL_SECONDS, _MAX_KERNEL_SECONDS = 2, 8
_KERNEL_LIMIT = "TUTORIAL_CPU_TIME_LIMIT"  # set here, never by the learner

_MAX_TEXT, _MAX_LINES = 20_000, 200  # of the text that is shown

# What may be wrong, by where the program was when its time was up.
_TOO_LONG = {
    "kernel": "Either a loop of the kernel does not end: does it change what its condition tests?\n"
    "Or its threads do far too much: does each of them do the work of all?",
    "host": "An endless loop on the host, or kernels that are launched again and again?",
    "": "An endless loop, or kernels that are launched again and again?",
}


@dataclass(frozen=True)
class Verdict:
    """The judge's verdict (common/grading/lib/verdict.hpp), or why there is none. `text` is for the learner."""

    reason: str  # a reason code; empty for a solved exercise
    text: str
    seconds: float = 0.0
    kind: str = ""  # lab, cpu or cuda
    graded: bool = True  # False: this kind cannot grade this exercise at all
    code: str = ""  # what exactly was found, if that is known: lab::Finding::code
    bars: list[dict] = field(default_factory=list)  # what was compared with a bar: grading::Bar
    digest: str = ""  # of all values that came back

    @property
    def solved(self) -> bool:
        return not self.reason


@dataclass(frozen=True)
class Means:
    """What an attempt is built and run with. Every command goes through `runner`."""

    runner: Callable[..., limited_process.Outcome] = limited_process.run
    limits: limited_process.Limits = limited_process.Limits()
    looks_at_code: bool = True  # False only in tests of what the sandbox withstands
    seed: int = 0  # of the inputs; 0: the usual ones, which everybody knows
    # Of the solution, which has run with the same seed in a program of its own: an answer with all values right has the
    # same digest, and a forged verdict does not. None: a verdict counts as it is.
    digest: str | None = None


def _kernel_seconds(limits: limited_process.Limits) -> int:
    """More on an overloaded machine: the emulator's clock also runs while other programs do."""
    most = min(_MAX_KERNEL_SECONDS, limits.cpu_seconds / 2) if limits.cpu_seconds else _MAX_KERNEL_SECONDS
    with contextlib.suppress(OSError):
        waiting = os.getloadavg()[0] / processors()
        return max(KERNEL_SECONDS, int(min(most, math.ceil(waiting) * KERNEL_SECONDS)))
    return KERNEL_SECONDS


def merged_text(exercise: Exercise, shown: blank.Parts, name: Path) -> blank.Merged:
    """The official file with the blank of `shown`, whose errors name `name`."""
    return blank.merge(exercise.official, shown.blank, shown, str(name), exercise.learner.parent, exercise.headers)


def run_attempt(
    exercise: Exercise,
    shown: blank.Parts,
    name: Path,
    backend: Backend,
    folder: Path,
    means: Means | None = None,
) -> Verdict:
    """Grades one attempt. `shown` is the learner's file, cut, and `name` its absolute path.

    Everything is written below `folder`.
    """
    started = time.monotonic()
    means = means or Means()
    verdict = build_attempt(exercise, shown, name, backend, folder, means)
    if verdict is None:
        program, asks = [str(folder / "attempt")], backend.judge(exercise.id)
        verdict = run_program(program, name, folder, means, asks=asks)
    return replace(verdict, seconds=time.monotonic() - started, kind=backend.kind)


def build_attempt(
    exercise: Exercise,
    shown: blank.Parts,
    name: Path,
    backend: Backend,
    folder: Path,
    means: Means,
) -> Verdict | None:
    """Makes the program folder/attempt; a Verdict if that fails, else None."""
    runner, limits, looks_at_code = means.runner, means.limits, means.looks_at_code
    merged = merged_text(exercise, shown, name)
    if looks_at_code:
        reason, complaint = forbidden.examine(exercise, merged, name.name)
        if reason:
            return Verdict(reason, complaint)
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / "attempt"
    if program.exists():
        program.unlink()
    source = folder / "attempt.cu"
    source.write_text(merged.text, encoding="utf-8")
    compiling = replace(limits, seconds=max(60.0, limits.seconds))
    steps = CompileLink(exercise, backend, folder)
    done = runner(steps.command(source), folder, compiling)
    if done.code == NOT_REWRITTEN:
        return _not_compiled(done, diagnostics.of_rewriter(done.output, source, name), compiling)
    if done.code not in (0, NO_NAMES, NOT_WATCHED, NOT_LINKED):
        said = diagnostics.of_braces(shown.blank, exercise.official.blank) + diagnostics.of_compiler(done.output, name)
        return _not_compiled(done, said, compiling)
    if steps.lists_names:
        names = steps.names() if done.code != NO_NAMES else None
        if names is None:
            return Verdict("forbidden", f"the symbols that the code defines cannot be listed: {done.output[:200]}")
        around = "\n".join([*exercise.official.before, *exercise.official.after])
        keeps = re.search(r"\bstatic\b", code_text.without_words(around)) is not None
        complaint = symbols.complaint(names, looks_at_code, backend.is_cuda, keeps, backend.is_clang)
        if complaint:
            return Verdict("forbidden", complaint)
    if done.code == NOT_WATCHED:
        return Verdict("grader", "copies of the C++ library cannot be watched: " + done.output[:200])
    if done.code == NOT_LINKED:
        return _not_compiled(done, diagnostics.of_linker(done.output), compiling)
    return None


def _not_compiled(done: limited_process.Outcome, text: str, limits: limited_process.Limits) -> Verdict:
    if done.stopped == "time_limit":
        text = f"the compiler did not finish within {limits.cpu_seconds or limits.seconds:g} s"
    elif done.stopped == "memory_limit":
        text = f"the compiler took more than {limits.memory >> 20} MiB of memory"
    return Verdict("compile", text)


def run_program(
    program: list[str], name: Path, folder: Path, means: Means, more: Sequence[str] = (), asks: str = ""
) -> Verdict:
    """What the judge says about a program. `name` is the learner's file; `more`, further arguments.

    `asks`: the program that questions the learner's and judges its answers; without it, the learner's program does
    both.
    """
    runner, limits = means.runner, means.limits
    arguments = [*more, *(["--seed", str(means.seed)] if means.seed else [])]
    nonce = secrets.token_hex(16)
    environment = {
        "TUTORIAL_CPU_TIME_LIMIT": str(_kernel_seconds(limits)),
        "TUTORIAL_CPU_WORKERS": "1",
        "GRADING_LATE_MS": str(int(limits.seconds * 900)),  # then it says where it is
        "GRADING_LATE_CPU_MS": str(int(limits.cpu_seconds * 900)),
    }
    places = nonce
    if asks:
        places = secrets.token_hex(16)
        asked = two_processes.run([asks, *arguments], nonce, program, places, folder, runner, limits, environment)
        if asked.trouble:
            return Verdict("grader", f"its judge failed: {asked.trouble}")
        done, told = asked.outcome, asked.told
    else:
        done = told = runner([*program, *arguments], folder, limits, environment, nonce)
    verdict = verdict_of(told, nonce, limits)
    if verdict.reason == "time_limit":
        guess = _TOO_LONG.get(_note(done, places, "where"), _TOO_LONG[""])
        line = symbolize.learners_line(program[-1], _note(done, places, "places"), name, folder, runner)
        return replace(verdict, text="\n".join(text for text in (verdict.text, line, guess) if text))
    if verdict.solved and means.digest not in (None, verdict.digest):
        return Verdict("no_verdict", "its verdict contradicts the values that it has computed, so it is rejected")
    return verdict


def _note(done: limited_process.Outcome, nonce: str, key: str) -> str:
    """The last thing that the grader's program said under this key."""
    found = ""
    for note in _notes(done, nonce):
        if isinstance(note.get(key), str):
            found = _clean(note[key])
    return found


def _notes(done: limited_process.Outcome, nonce: str) -> Iterator[dict]:
    """What the grader's program said: only what carries the nonce counts."""
    for line in done.verdict.split("\n"):  # splitlines() would also end a line at U+2028, which a text may contain
        try:
            note = json.loads(line)
        except (ValueError, RecursionError):  # not JSON, or nested too deeply
            continue
        if isinstance(note, dict) and note.get("nonce") == nonce:
            yield note


def verdict_of(done: limited_process.Outcome, nonce: str, limits: limited_process.Limits) -> Verdict:
    """What one run of a grader says."""
    said = None
    for note in _notes(done, nonce):
        if note.get("reason") == "" or note.get("reason") in REASONS:
            said = note
    if said is None:
        return Verdict(*endings.without_verdict(done, _note(done, nonce, "at"), limits))
    if said["reason"]:
        lines = _clean(said.get("text", "")).splitlines()[:_MAX_LINES]
        text = "\n".join(line for line in lines if _KERNEL_LIMIT not in line)
        return Verdict(said["reason"], text + endings.printed(done.output), code=_clean(said.get("code", "")))
    if done.stopped or done.code != 0:
        return Verdict(*endings.behind_verdict(done, limits))
    graded, digest = said.get("status") != "not_graded", _clean(said.get("digest", ""))
    return Verdict("", "", graded=graded, bars=said.get("bars", []), digest=digest)


def _clean(text: object) -> str:
    """Text that can be written anywhere: no lone surrogates, and of limited length."""
    return str(text)[:_MAX_TEXT].encode("utf-8", "replace").decode("utf-8")
