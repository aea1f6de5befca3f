"""Runs what was built, and turns its exit code into words."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from pathlib import Path

MEANINGS = {
    0: "ok",
    1: "FAILED, a wrong result or a CUDA error (exit code 1)",
    2: "FAILED, a wrong option (exit code 2)",
    3: "FAILED, no usable GPU or too little memory (exit code 3)",
}
_SECONDS_TO_END = 1.0


class Exit(int):
    """An exit code as a shell shows it: 0 to 255. After a signal it is 128 and the signal's number."""

    signal: int = 0  # the signal that ended it; 0: it ended by itself

    @classmethod
    def of(cls, returncode: int) -> Exit:
        """From what subprocess returns: a signal is a negative number."""
        made = cls(returncode & 0xFF if returncode >= 0 else 128 - returncode)
        made.signal = max(0, -returncode)
        return made


def run(
    program: Path | str,
    *arguments: str,
    environment: dict[str, str] | None = None,
    log: Path | None = None,
    folder: Path | None = None,
    reads_input: bool = True,
) -> Exit:
    """Returns its exit code. `environment` is added to ours. A SIGTERM that we get is passed on to the program.

    `log`: where its output goes, instead of to ours; it then reads no input. `folder`: where it runs.
    """
    sys.stdout.flush()
    children: list[subprocess.Popen] = []
    asked: list[int] = []  # SIGTERMs so far; one may come before the program has begun

    def end(number: int, _) -> None:
        asked.append(number)
        for child in children:
            child.terminate()

    before = signal.signal(signal.SIGTERM, end)
    # The program may run before Popen() returns: an interrupt in between would leave it alone.
    interrupts: list[int] = []
    interrupted = signal.signal(signal.SIGINT, lambda number, _: interrupts.append(number))
    try:
        with contextlib.ExitStack() as files:
            output = files.enter_context(open(log, "wb")) if log else None
            child = files.enter_context(
                subprocess.Popen(
                    [str(program), *arguments],
                    env=os.environ | (environment or {}),
                    cwd=folder,
                    stdin=subprocess.DEVNULL if log or not reads_input else None,
                    stdout=output,
                    stderr=output,
                )
            )
            children.append(child)
            if asked:
                child.terminate()
            try:
                signal.signal(signal.SIGINT, interrupted)
                if interrupts:
                    raise KeyboardInterrupt
                code = child.wait()
            except KeyboardInterrupt:  # on a terminal the program also got it, and ends by itself
                with contextlib.suppress(subprocess.TimeoutExpired):
                    child.wait(timeout=_SECONDS_TO_END)
                if child.poll() is None:
                    child.send_signal(signal.SIGINT)
                child.wait()
                raise
    finally:
        signal.signal(signal.SIGTERM, before)
        signal.signal(signal.SIGINT, interrupted)
    return Exit.of(code)


def meaning(code: int) -> str:
    return MEANINGS.get(code, f"FAILED (exit code {code})")
