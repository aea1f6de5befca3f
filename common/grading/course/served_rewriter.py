"""The rewriter of the emulator, started once for many attempts (common/emulator/serve_rewrites.py).

It runs in a sandbox of its own, gets texts and gives texts: it sees no student's folder, and writes nowhere.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import select
import subprocess
import threading
import time
from pathlib import Path
from typing import Any, Callable

from ..grading_error import GradingError
from ..process import limited_process

_MAX_BYTES = 16 << 20  # of an answer; a blank has 64 KiB at most
_PROCESSES = 8
_LATER = 5.0  # seconds: so much after its processor time is up it must have said so

# Starts a command that goes on, with pipes for its stdin and stdout: Sandbox.start.
Start = Callable[[list[str], Path, limited_process.Limits], "contextlib.AbstractContextManager[subprocess.Popen]"]


class ServedRewriter:
    """Call it from any thread: each has a program of its own, that begins with its first text."""

    def __init__(self, start: Start, command: list[str], folder: Path, root: Path):
        self._start, self._command, self._folder, self._root = start, command, folder, root
        self._threads = threading.local()
        self._lock = threading.Lock()
        self._open: list[contextlib.ExitStack] = []

    def rewrite(
        self, source: Path, output: Path, copies: Path, limits: limited_process.Limits
    ) -> limited_process.Outcome:
        """Writes `output`, and below `copies` the headers that change: as the command Toolchain.rewrite() does."""
        started = time.monotonic()
        request = {
            "path": os.path.realpath(source),
            "text": source.read_text(encoding="utf-8"),
            "output": str(output),
            "root": str(self._root),
            "copies": str(copies),
            "seconds": math.ceil(limits.cpu_seconds or limits.seconds),
        }
        answer = self._ask(request, limits)
        seconds = time.monotonic() - started
        if answer is None or answer.get("code") is None:
            return limited_process.Outcome(None, None, "time_limit", seconds, "", "")
        if answer["code"] != 0:
            return limited_process.Outcome(1, None, "", seconds, str(answer.get("output", ""))[: limits.output], "")
        for name, text in answer.get("files", {}).items():
            path = Path(os.path.normpath(name))
            # It reads what students wrote: where files go is not its choice.
            if path != output and copies not in path.parents:
                raise GradingError(f"the rewriter names a file that is not its own: {name[:200]}")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", errors="surrogateescape")
        return limited_process.Outcome(0, None, "", seconds, "", "")

    def close(self) -> None:
        """Ends all of them."""
        with self._lock:
            stacks, self._open = self._open, []
        for each in stacks:
            each.close()

    def _ask(self, request: dict[str, Any], limits: limited_process.Limits) -> dict[str, Any] | None:
        """The answer; None where none comes in time."""
        words = json.dumps(request).encode("ascii")
        message = b"%08x" % len(words) + words
        # One that has ended meanwhile is started again, once.
        for is_last in (False, True):
            if limited_process.stopping.is_set():
                raise GradingError("interrupted")
            child = self._child()
            try:
                assert child.stdin is not None and child.stdout is not None
                child.stdin.write(message)
                child.stdin.flush()
                return _answer(child.stdout.fileno(), time.monotonic() + limits.seconds + _LATER)
            except TimeoutError:
                self._drop()
                return None
            except (OSError, ValueError, RecursionError) as error:
                self._drop()
                if is_last:
                    raise GradingError(f"the rewriter has ended: {error}") from None
        return None

    def _child(self) -> subprocess.Popen:
        if getattr(self._threads, "child", None) is None:
            stack = contextlib.ExitStack()
            self._threads.child = stack.enter_context(
                self._start(self._command, self._folder, limited_process.Limits(processes=_PROCESSES))
            )
            self._threads.stack = stack
            with self._lock:
                self._open.append(stack)
        return self._threads.child

    def _drop(self) -> None:
        stack, self._threads.child = self._threads.stack, None
        with self._lock:
            if stack in self._open:
                self._open.remove(stack)
        stack.close()


def _answer(pipe: int, until: float) -> dict[str, Any]:
    """The message that comes; TimeoutError or ValueError where none does, or something else."""
    size = int(_read(pipe, 8, until), 16)
    if size > _MAX_BYTES:
        raise ValueError("an answer is too long")
    answer = json.loads(_read(pipe, size, until))
    if not isinstance(answer, dict) or not isinstance(answer.get("files", {}), dict):
        raise ValueError("an answer of another kind")
    if not all(isinstance(text, str) for text in answer.get("files", {}).values()):
        raise ValueError("an answer of another kind")
    return answer


def _read(pipe: int, size: int, until: float) -> bytes:
    data = b""
    while len(data) < size:
        ready, _, _ = select.select([pipe], [], [], max(0.0, until - time.monotonic()))
        if not ready:
            raise TimeoutError
        more = os.read(pipe, size - len(data))
        if not more:
            raise ValueError("nothing more comes")
        data += more
    return data
