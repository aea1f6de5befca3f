"""Two ./tutorial at a time: one builds, the other waits and shows how long."""

from __future__ import annotations

import contextlib
import fcntl
import os
import sys
import time
from pathlib import Path
from typing import Iterator, TextIO

from .progress import ProgressLine, of_ninja_or_make
from .repository import shown

POLL_SECONDS = 0.2
EVERY_SECONDS = 30.0  # a line of a log; a terminal shows the seconds


@contextlib.contextmanager
def held(folder: Path, out: TextIO | None = None) -> Iterator[None]:
    """While it is held, no other process changes this build folder."""
    file = folder.with_suffix(".lock")
    while True:
        file.parent.mkdir(parents=True, exist_ok=True)
        with open(file, "w", encoding="ascii") as lock:
            _wait(lock, folder, out or sys.stdout)
            if not _is_still(lock, file):
                continue  # ./tutorial clean removed it while we waited
            yield
            return


def _wait(lock: TextIO, folder: Path, out: TextIO) -> None:
    """Waits until no other process holds the lock, and shows the time and the other process's progress."""
    line = ProgressLine("Waiting", None, out)
    said = 0.0
    while True:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            break
        except BlockingIOError:
            pass
        seconds = time.monotonic() - line.started
        if not said:
            print(f"Another ./tutorial is building in {shown(folder)}; waiting for it …", file=out, flush=True)
            said = seconds or 1e-9
        line.detail = _how_far(folder)
        if line.terminal:
            line.tick()
        elif seconds - said >= EVERY_SECONDS:
            detail = f": {line.detail}" if line.detail else ""
            print(f"Still waiting after {seconds:.0f} s{detail}", file=out, flush=True)
            said = seconds
        time.sleep(POLL_SECONDS)
    line.end()


def _how_far(folder: Path) -> str:
    """The last progress in the other process's log: "12 of 80 files, now common/harness/report.cpp"."""
    try:
        with open(folder / "build.log", "rb") as log:
            log.seek(max(0, log.seek(0, os.SEEK_END) - 2000))
            lines = log.read().decode(errors="replace").splitlines()
    except OSError:
        return ""
    return next(filter(None, map(of_ninja_or_make, reversed(lines))), "")


def _is_still(lock: TextIO, file: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(lock.fileno()), file.stat())
    except FileNotFoundError:
        return False
