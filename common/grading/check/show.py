"""What the learner reads: results, progress, hints, solutions."""

from __future__ import annotations

import posixpath
import re
import shutil
import textwrap
from typing import Iterator

from ..files import blank
from ..files.exercise import Exercise
from ..files.notes import KINDS
from .checker import NOT_BEGUN, NOT_GRADED, Result, UNREADABLE

# What each reason is called; the text of the verdict says the rest.
REASONS = {
    "compile": "it does not compile",
    "forbidden": "something that is not allowed in a blank",
    "answer": "a wrong value",
    "prediction": "not the right number yet",
    "count": "the values are right, the counts are not",
    "time": "right, but too slow",
    "race": "a race",
    "out_of_bounds": "an access out of bounds",
    "misaligned": "an address that is not aligned",
    "read_only": "read-only loads of what the kernel writes",
    "escaped": "shared memory of another block",
    "uninitialised": "uninitialised memory is read",
    "host_pointer": "a kernel uses host memory",
    "device_pointer": "the host uses device memory",
    "unused": "unused shared memory",
    "leak": "device memory that is not freed",
    "backend": "a kernel that cannot continue, or a call that is not allowed",
    "cuda_error": "a CUDA error",
    "crash": "a crash",
    "time_limit": "it takes too long, or never ends",
    "memory_limit": "it uses too much memory",
    "no_verdict": "it ended before it was graded",
    "grader": "the exercise's grader is wrong",
}
# What exactly was found, if the verdict has a code (lab::Finding::code) that is more specific than its reason.
CODES = {
    "divergent_barrier": "a barrier that not all threads reach",
    "divergent_grid_barrier": "a grid barrier that not all blocks reach",
    "wrong_barrier": "a cuda::barrier that was not initialised, or at which too many arrive",
    "incomplete_collective": "a warp operation that not all of its lanes reach",
    "different_collectives": "lanes that wait for each other at different places",
    "wrong_lanes": "a warp operation with wrong lanes",
    "shuffle_from_outside": "a warp operation with wrong lanes",
    "not_cooperative": "a grid barrier without a cooperative launch",
    "deadlock": "threads that wait for each other",
    "no_progress": "a kernel that never ends",
    "endless_loop": "an endless loop",
    "trap": "a kernel that calls __trap()",
    "assertion": "an assertion that failed",
    "illegal_address": "an invalid address",
    "wild_pointer": "an invalid address",
    "freed_memory": "memory that is used after it was freed",
    "local_variable": "a local variable of another thread",
    "stack_overflow": "local variables that are too large",
    "division_by_zero": "a division by zero",
    "illegal_instruction": "an instruction that does not exist",
    "missing_return": "a function that ends without returning its value",
    "launch": "an invalid launch",
    "copy": "an invalid copy",
    "free": "memory freed incorrectly",
    "out_of_memory": "too little device memory",
    "not_ready": "a time that is read before it is known",
    "lost_output": "output of a kernel that is lost",
    "call": "a call of CUDA that returns an error",
    "unsupported": "something the emulator does not support",
}
_FULL_LINE = 66  # a longer line of a verdict may continue on the next one
_PLACES = {"lab": "", "cpu": "", "cuda": " (on the GPU)"}


def line(result: Result) -> str:
    """One line: ch03/ex2  solved  Neighbours read neighbours"""
    exercise = result.exercise
    tail = ""
    if result.status == UNREADABLE:
        tail = f": {result.text}"
    elif result.status == NOT_GRADED:
        tail = ": its numbers are counted by the lab, which is not available here"
    elif result.status == NOT_BEGUN and exercise.notes.kind == "fault":
        pass  # finding what is wrong is the exercise
    elif result.verdict is not None and not result.solved:
        tail = f": {reason(result.verdict.reason, result.verdict.code)}{_PLACES[result.verdict.kind]}"
    status = "not solved" if result.status == UNREADABLE else result.status
    return f"{exercise.id:<8}  {status:<10}  {exercise.notes.title}{tail}"


def _repair(result: Result) -> list[str]:
    """How a file that cannot be read becomes one that can."""
    if "marker" in result.text:
        before, after = result.exercise.official.before[-1], result.exercise.official.after[0]
        return [
            "Your code goes between two marker lines, each of which must appear exactly once:",
            before,
            "    ...",
            after,
        ]
    if "text" in result.text:
        return ["Save it as UTF-8, like the original file."]
    return []


def reason(its_reason: str, code: str) -> str:
    """What went wrong, in a few words: from the code if it says more than the reason."""
    return CODES.get(code, REASONS[its_reason])


def counted(mine: list[dict], model: list[dict]) -> str:
    """An answer's counts, next to the model answer's and the bar; empty if nothing was counted."""
    models = {bar["what"]: _number(bar["measured"]) for bar in model}
    table = [("counted", "yours", "model answer", "required")]
    for bar in mine:
        required = f"{bar['relation']} {_number(bar['allowed'])}".replace("exactly ", "")
        table.append((bar["what"], _number(bar["measured"]), models.get(bar["what"], "-"), required))
    widths = [max(len(row[column]) for row in table) for column in range(3)]
    lines = (
        f"    {what:<{widths[0]}}  {number:>{widths[1]}}  {of_model:>{widths[2]}}  {required}"
        for what, number, of_model, required in table
    )
    return "\n".join(lines) if mine else ""


def _number(value: float) -> str:
    """Whole numbers as they are, others with two digits."""
    return f"{value:.0f}" if value == int(value) else f"{value:.2f}"


# Reasons for which there is a run to watch: the code was compiled and its kernels ran.
_CAN_BE_PLAYED = set(REASONS) - {"compile", "forbidden", "time", "prediction", "no_verdict", "grader"}


def details(result: Result) -> str:
    """Everything that helps with an unsolved exercise."""
    exercise = result.exercise
    lines = []
    if result.status == UNREADABLE:
        lines += _repair(result)
        lines.append(f"Or start again: ./tutorial check --reset {exercise.id} keeps a copy of yours.")
    elif result.status == NOT_BEGUN:
        lines.append("You have not changed the file yet: its task is in the comment at its top.")
        if result.verdict is not None:
            lines += ["For the code as it is, the check reports:", *result.verdict.text.splitlines()]
    elif result.verdict is not None and not result.solved:
        lines += result.verdict.text.splitlines()
    if result.verdict is not None and result.verdict.reason in _CAN_BE_PLAYED and result.verdict.kind == "lab":
        lines.append(f"Watch it run, step by step, in a browser: ./tutorial check {exercise.id} --play")
    if result.changed is not None:
        lines.append(blank.outside(result.exercise.official, result.changed))
    return "\n".join(_fitted(lines, shutil.get_terminal_size((0, 24)).columns))


def _fitted(lines: list[str], width: int) -> Iterator[str]:
    """Indented, with sentences wrapped to the terminal's width; lines of code stay whole. `width` 0: no terminal."""
    rest = ""
    for text in lines:
        text, rest = f"{rest} {text}".lstrip() if rest else text, ""
        is_code = re.match(r"\s*\d* \| ", text) is not None
        if is_code or width < 40 or len(text) + 4 <= width:
            yield f"    {text}" if text else ""
            continue
        indent = " " * (4 + len(text) - len(text.lstrip()))
        made = textwrap.wrap(text.strip(), width - len(indent), break_long_words=False, break_on_hyphens=False)
        # A sentence that continues on the next line of the text is joined with it.
        if len(text) > _FULL_LINE and not text.startswith(" ") and text[-1] not in ".:?!)":
            rest = made.pop() if len(made) > 1 else ""
        for line in made:
            yield indent + line
    if rest:
        yield f"    {rest}"


def place(exercise: Exercise, indent: str = "") -> str:
    """Where to work on it, and where to read: two lines, so that each fits in 80 columns."""
    file, mark, anchor = exercise.notes.read.partition("#")
    reading = posixpath.normpath(f"{exercise.folder}/{file}") + mark + anchor
    return f"{exercise.shown(exercise.learner)} ({KINDS[exercise.notes.kind]})\n{indent}read {reading}"


def hints(exercise: Exercise, count: int) -> str:
    given = [wrapped(f"Hint {i}: {text}") for i, text in enumerate(exercise.notes.hints[:count], 1)]
    rest = "" if count < len(exercise.notes.hints) else "\n\nThere is no further hint; --solution shows the solution."
    more = "\n\nAsk again for the second hint." if count < len(exercise.notes.hints) else ""
    return f"{exercise.id}  {exercise.notes.title}\n\n" + "\n\n".join(given) + more + rest


def solution(exercise: Exercise) -> str:
    lines = [f"{exercise.id}  {exercise.notes.title}: {exercise.shown(exercise.solution)}, its blank", ""]
    lines += [*exercise.official.blank, "", "What fails, and why:"]
    for wrong in exercise.notes.wrong:
        lines.append(wrapped(f"- {wrong.title} ({REASONS[wrong.fails]}): {wrong.why}", indent="  "))
    return "\n".join(lines)


def wrapped(text: str, indent: str = "") -> str:
    """Paragraphs as wide as the terminal, at most 100 columns; blocks of code stay as they are."""
    width = min(100, shutil.get_terminal_size((100, 24)).columns)
    fenced = False
    lines: list[str] = []
    paragraph: list[str] = []

    def flush() -> None:
        if paragraph:
            lines.extend(
                textwrap.wrap(
                    " ".join(paragraph), width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
                )
            )
            paragraph.clear()

    for line in text.splitlines():
        if line.startswith("```"):
            flush()
            fenced = not fenced
        elif fenced:
            lines.append(f"    {line}" if line else "")
        elif not line.strip():
            flush()
            lines.append("")
        elif re.match(r"[-*] |\d+\. ", line):
            flush()
            paragraph.append(line.strip())
        else:
            paragraph.append(line.strip())
    flush()
    return "\n".join(lines)
