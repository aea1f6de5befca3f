"""Two ./tutorial at a time: one builds, the other waits and says so."""

from __future__ import annotations

import contextlib
import fcntl
import os
import sys
from pathlib import Path
from typing import Iterator, TextIO

from .repository import shown


@contextlib.contextmanager
def held(folder: Path, out: TextIO | None = None) -> Iterator[None]:
    """No other process changes this build folder meanwhile."""
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
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        print(f"Another ./tutorial is building in {shown(folder)}; waiting for it …", file=out, flush=True)
        fcntl.flock(lock, fcntl.LOCK_EX)


def _is_still(lock: TextIO, file: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(lock.fileno()), file.stat())
    except FileNotFoundError:
        return False
