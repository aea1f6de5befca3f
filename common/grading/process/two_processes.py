"""Runs a learner's program and the judge that questions it, side by side.

The judge has inputs, expected values and limits, and gives the verdict. The learner's program gets the inputs of
one call after the other, and answers with bytes. It could forge only these.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Callable

from . import limited_process

_LATER = 60.0  # seconds: the judge ends when the learner's program has ended
_VERDICTS = (0, 1)  # the judge's exit codes after a verdict
_LEARNER_ENDED = 3


@dataclass(frozen=True)
class Asked:
    """How both of them ended."""

    outcome: limited_process.Outcome  # of the learner's program; `verdict`: what it said itself
    told: limited_process.Outcome  # the same; `verdict`: what the judge said
    trouble: str  # what was wrong with the judge itself, in one line; empty: nothing
    code: int | None  # the judge's exit code


def run(
    judge: list[str],
    nonce: str,
    program: list[str],
    programs_nonce: str,
    folder: Path,
    runner: Callable[..., limited_process.Outcome],
    limits: limited_process.Limits,
    environment: dict[str, str],
) -> Asked:
    """Starts both, and waits for both. The learner's `program` goes through `runner`, the judge does not."""
    asked, to_program = os.pipe()
    answered, from_program = os.pipe()
    judges = limited_process.Ends(answered, to_program)
    programs = limited_process.Ends(asked, from_program)
    words = [*judge, "--learner", f"{answered}:{to_program}"]
    waits = limited_process.Limits(seconds=limits.seconds + _LATER)
    variables = dict(environment, GRADING_FROM_JUDGE=str(asked), GRADING_TO_JUDGE=str(from_program))
    with ThreadPoolExecutor(1) as beside:
        judging = beside.submit(limited_process.run, words, folder, waits, {}, nonce, judges)
        try:
            outcome = runner(program, folder, limits, variables, programs_nonce, ends=programs)
        finally:
            programs.close()  # then the judge ends as well
        said = judging.result()
    trouble = ""
    if said.code not in (*_VERDICTS, _LEARNER_ENDED):
        trouble = said.output.strip().partition("\n")[0] or said.stopped or f"signal {said.signal}"
    return Asked(outcome, replace(outcome, verdict=said.verdict), trouble, said.code)
