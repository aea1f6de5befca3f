"""Runs one command with limits, in its own session, so that all that it started ends with it."""

from __future__ import annotations

import os
import resource
import select
import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Limits:
    seconds: float = 30.0  # wall clock
    memory: int = 4 << 30  # bytes of one process; 0: none
    file_size: int = 256 << 20  # bytes of one file
    output: int = 64 << 10  # bytes of stdout and stderr that are kept; the rest is read and dropped
    processes: int = 0  # 0: no limit here


@dataclass(frozen=True)
class Outcome:
    code: int | None  # exit code; None: ended by a signal or stopped
    signal: int | None
    stopped: str  # "", time_limit or memory_limit
    seconds: float
    output: str
    verdict: str  # all that came on the verdict's pipe
    cpu_seconds: float = 0.0  # of the command and of those of its children that it waited for


def run(command: list[str], folder: Path, limits: Limits, environment: dict[str, str] | None = None,
        nonce: str | None = None) -> Outcome:  # fmt: skip
    """Runs `command` in `folder`. With a nonce it gets the two pipes of the grading protocol."""
    started = time.monotonic()
    variables = dict(os.environ, **(environment or {}))
    passed, verdict_in, verdict_out = [], None, None
    if nonce is not None:
        verdict_in, verdict_out = os.pipe()
        nonce_in, nonce_out = os.pipe()
        os.write(nonce_out, nonce.encode())
        os.close(nonce_out)
        passed = [verdict_out, nonce_in]
        variables.update(GRADING_VERDICT_FD=str(verdict_out), GRADING_NONCE_FD=str(nonce_in))

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_FSIZE, (limits.file_size, limits.file_size))

    try:
        child = subprocess.Popen(command, cwd=folder, env=variables, stdin=subprocess.DEVNULL, pass_fds=passed,
                                 stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True,
                                 preexec_fn=limit)  # fmt: skip
    finally:
        for pipe in passed:
            os.close(pipe)
    assert child.stdout is not None
    kept = {child.stdout.fileno(): bytearray()}
    most = {child.stdout.fileno(): limits.output}
    if verdict_in is not None:
        kept[verdict_in] = bytearray()
        most[verdict_in] = 1 << 20
    stopped = ""
    try:
        stopped = _read(child, kept, most, started + limits.seconds, limits.memory)
    finally:
        _end(child)
        output = bytes(kept[child.stdout.fileno()]).decode("utf-8", "replace")
        verdict = bytes(kept[verdict_in]).decode("utf-8", "replace") if verdict_in is not None else ""
        child.stdout.close()
        if verdict_in is not None:
            os.close(verdict_in)
    code = child.returncode
    seconds, cpu_seconds = time.monotonic() - started, child.cpu_seconds
    if stopped:
        return Outcome(None, None, stopped, seconds, output, verdict, cpu_seconds)
    return Outcome(code if code >= 0 else None, -code if code < 0 else None, "", seconds, output, verdict, cpu_seconds)


def _read(child: subprocess.Popen, kept: dict[int, bytearray], most: dict[int, int], deadline: float,
          memory: int) -> str:  # fmt: skip
    """Reads the pipes until the child has ended; says why it was stopped, if it was."""
    open_pipes = list(kept)
    while True:
        # Asked for before the pipes are read: what it wrote last is then read too.
        ended = _has_ended(child)
        now = time.monotonic()
        if now >= deadline:
            return "time_limit"
        if memory and _resident(child.pid) > memory:
            return "memory_limit"
        ready, _, _ = select.select(open_pipes, [], [], min(0.1, deadline - now)) if open_pipes else ([], [], [])
        for pipe in ready:
            data = os.read(pipe, 1 << 16)
            if not data:
                open_pipes.remove(pipe)
            kept[pipe] += data[: max(0, most[pipe] - len(kept[pipe]))]
        if not open_pipes:
            # It may have closed its pipes and go on.
            time.sleep(0.01)
        if not ready and ended:
            return ""


def _resident(pid: int) -> int:
    """Bytes of memory that the process holds now; 0 where that cannot be known."""
    try:
        with open(f"/proc/{pid}/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * resource.getpagesize()
    except (OSError, IndexError, ValueError):
        return 0


def _has_ended(child: subprocess.Popen, flags: int = os.WNOHANG) -> bool:
    """Whether the child has ended; notes how, and its CPU time, in `child`."""
    if child.returncode is None:
        pid, status, usage = os.wait4(child.pid, flags)
        if pid:
            child.returncode = os.waitstatus_to_exitcode(status)
            child.cpu_seconds = usage.ru_utime + usage.ru_stime
    return child.returncode is not None


def _end(child: subprocess.Popen) -> None:
    """Ends the child and what it has left behind in its session."""
    try:
        os.killpg(child.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass
    _has_ended(child, 0)
