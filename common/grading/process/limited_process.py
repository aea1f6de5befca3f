"""Runs one command with limits, in its own session, so that everything it started ends with it."""

from __future__ import annotations

import contextlib
import os
import resource
import select
import signal
import subprocess
import threading
import time
from dataclasses import dataclass
from pathlib import Path

from ..grading_error import GradingError
from . import processes

_LOOK_EVERY = 0.1  # seconds
_running: set[int] = set()  # process groups
stopping = threading.Event()


def stop_all() -> None:
    """Ends every running command, and lets none begin. For a Ctrl-C while threads run commands."""
    stopping.set()
    for group in list(_running):
        _kill(group)


@dataclass(frozen=True)
class Limits:
    """For a command and all that it starts; 0: no limit."""

    seconds: float = 30.0  # wall clock
    cpu_seconds: float = 0.0  # of all processes together
    memory: int = 4 << 30  # bytes of all processes together
    file_size: int = 256 << 20  # bytes of one file
    output: int = 64 << 10  # bytes of stdout and stderr that are kept; the rest is read and dropped
    flood: int = 64 << 20  # bytes of stdout and stderr that are read before the command is stopped
    processes: int = 0  # alive at a time


class Ends:
    """Ends of pipes that a command gets: closed here as soon as it has started, or cannot be started."""

    def __init__(self, *numbers: int):
        self.numbers = list(numbers)

    def close(self) -> None:
        while self.numbers:
            os.close(self.numbers.pop())


@dataclass(frozen=True)
class Outcome:
    code: int | None  # exit code; None: ended by a signal or stopped
    signal: int | None
    stopped: str  # "", time_limit, memory_limit, process_limit or output_limit
    output: str
    verdict: str  # all that came on the verdict's pipe
    cpu_seconds: float = 0.0  # of the command and of those of its children that it waited for


def run(
    command: list[str],
    folder: Path,
    limits: Limits,
    environment: dict[str, str] | None = None,
    nonce: str | None = None,
    ends: Ends | None = None,
) -> Outcome:
    """Runs `command` in `folder`. With a nonce it gets the two pipes of the grading protocol, and also `ends`."""
    ends = ends or Ends()
    try:
        return _run(command, folder, limits, environment, nonce, ends)
    finally:
        ends.close()


def _run(
    command: list[str],
    folder: Path,
    limits: Limits,
    environment: dict[str, str] | None,
    nonce: str | None,
    ends: Ends,
) -> Outcome:
    if stopping.is_set():
        raise GradingError("interrupted")
    started = time.monotonic()
    variables = dict(os.environ, **(environment or {}))
    passed: list[int] = []
    verdict_in = None
    if nonce is not None:
        verdict_in, verdict_out = os.pipe()
        nonce_in, nonce_out = os.pipe()
        os.write(nonce_out, nonce.encode())
        os.close(nonce_out)
        passed = [verdict_out, nonce_in]
        variables.update(GRADING_VERDICT_FD=str(verdict_out), GRADING_NONCE_FD=str(nonce_in))

    try:
        child = _Child(
            command,
            cwd=folder,
            env=variables,
            stdin=subprocess.DEVNULL,
            pass_fds=[*passed, *ends.numbers],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    except OSError:
        if verdict_in is not None:
            os.close(verdict_in)
        raise
    finally:
        for pipe in passed:
            os.close(pipe)
        ends.close()
    assert child.stdout is not None
    _limit(child.pid, limits)
    # The last output of a program is worth keeping; of a compiler's, the first errors.
    pipes = [_Pipe(child.stdout.fileno(), limits.output, limits.flood, keeps_end=nonce is not None)]
    if verdict_in is not None:
        pipes.append(_Pipe(verdict_in, 1 << 20, 0))
    _running.add(child.pid)
    if stopping.is_set():  # stopped in the meantime
        _kill(child.pid)
    stopped = ""
    try:
        stopped = _read(child, pipes, limits, started)
    finally:
        _kill(child.pid)
        _running.discard(child.pid)
        _has_ended(child, 0)
        child.stdout.close()
        if verdict_in is not None:
            os.close(verdict_in)
    output, verdict = pipes[0].text(), pipes[1].text() if nonce is not None else ""
    code = child.returncode
    if stopped:
        return Outcome(None, None, stopped, output, verdict, child.cpu_seconds)
    return Outcome(code if code >= 0 else None, -code if code < 0 else None, "", output, verdict, child.cpu_seconds)


def _limit(child: int, limits: Limits) -> None:
    """The limits that the kernel enforces. Set from outside: Python code between fork and exec is not safe
    with threads."""
    if not hasattr(resource, "prlimit"):
        return  # not Linux
    try:
        resource.prlimit(child, resource.RLIMIT_CORE, (0, 0))
        if limits.file_size:
            resource.prlimit(child, resource.RLIMIT_FSIZE, (limits.file_size, limits.file_size))
    except (ProcessLookupError, PermissionError):
        pass  # it has ended; or it is root's bubblewrap, which sets them itself


class _Child(subprocess.Popen):
    cpu_seconds = 0.0  # known once it has ended


class _Pipe:
    """What came from a pipe: as much of it as is kept."""

    def __init__(self, number: int, most: int, flood: int, keeps_end: bool = False):
        self.number, self._most, self._flood, self._keeps_end = number, most, flood, keeps_end
        self._kept, self._seen = bytearray(), 0

    def read(self) -> bool:
        """False at its end."""
        data = os.read(self.number, 1 << 16)
        self._seen += len(data)
        if self._keeps_end:
            self._kept += data
            if len(self._kept) > 2 * self._most:
                del self._kept[: -self._most]
        else:
            self._kept += data[: max(0, self._most - len(self._kept))]
        return bool(data)

    def is_flooded(self) -> bool:
        return self._flood != 0 and self._seen > self._flood

    def text(self) -> str:
        kept = self._kept[-self._most :] if self._keeps_end else self._kept
        return bytes(kept).decode("utf-8", "replace")


def _read(child: _Child, pipes: list[_Pipe], limits: Limits, started: float) -> str:
    """Reads the pipes until the child has ended; says why it was stopped, if it was."""
    end = None  # becomes readable when the child ends; None if the kernel has none
    if hasattr(os, "pidfd_open"):
        with contextlib.suppress(OSError):
            end = os.pidfd_open(child.pid)
    try:
        return _read_until(child, end, pipes, limits, started)
    finally:
        if end is not None:
            os.close(end)


def _read_until(child: _Child, end: int | None, pipes: list[_Pipe], limits: Limits, started: float) -> str:
    unfinished = {pipe.number: pipe for pipe in pipes}
    next_look = started + _LOOK_EVERY
    while True:
        # Checked before the pipes are read, so that its last output is also read.
        ended = _has_ended(child)
        if ended and not unfinished:
            return ""
        now = time.monotonic()
        if limits.seconds and now >= started + limits.seconds:
            return "time_limit"
        if now >= next_look and not ended:
            stopped = _beyond(processes.of_tree(child.pid), limits)
            if stopped:
                return stopped
            next_look = time.monotonic() + _LOOK_EVERY
        waits_for = [*unfinished, *([end] if end is not None and not ended else [])]
        ready, _, _ = select.select(waits_for, [], [], _LOOK_EVERY) if waits_for else ([], [], [])
        for number in ready:
            if number != end and not unfinished[number].read():
                del unfinished[number]
        if any(pipe.is_flooded() for pipe in pipes):
            return "output_limit"
        if not waits_for:
            # It may have closed its pipes and still run.
            time.sleep(0.01)
        if not ready and ended:
            return ""


def _beyond(use: processes.Use, limits: Limits) -> str:
    """Which limit is exceeded, or nothing."""
    if limits.memory and use.memory > limits.memory:
        return "memory_limit"
    if limits.processes and use.count > limits.processes:
        return "process_limit"
    if limits.cpu_seconds and use.cpu_seconds > limits.cpu_seconds:
        return "time_limit"
    return ""


def _has_ended(child: _Child, flags: int = os.WNOHANG) -> bool:
    """Whether the child has ended; notes how, and its CPU time, in `child`."""
    if child.returncode is None:
        pid, status, usage = os.wait4(child.pid, flags)
        if pid:
            child.returncode = os.waitstatus_to_exitcode(status)
            child.cpu_seconds = usage.ru_utime + usage.ru_stime
    return child.returncode is not None


def _kill(group: int) -> None:
    """Ends a command and what it has left behind in its session."""
    try:
        os.killpg(group, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass
