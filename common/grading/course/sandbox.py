"""Runs one command with limits where it can do no harm: bubblewrap, the kernel's namespaces.

It has no network, sees only its own processes, reads the system's programs and what it was given, and writes
only into its own folder (or, while a grader runs, nowhere but a small /tmp of its own). Everything that it
started ends with it.
"""

from __future__ import annotations

import contextlib
import functools
import os
import platform
import shutil
import signal
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Iterator

from ..grading_error import GradingError
from ..process import limited_process

_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
_SETTINGS = ("/etc/alternatives", "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d")
_KEPT = ("PATH", "LANG", "LC_ALL", "LC_CTYPE", "LD_LIBRARY_PATH", "CUDA_VISIBLE_DEVICES")
_TMP_BYTES = 64 << 20
_FIRST_USER = 1_900_000_000  # user IDs of nobody; each run that root starts gets one of them

_MAX_SECONDS_OF_DYING = 10.0

_slots: set[int] = set()
_slots_lock = threading.Lock()


@dataclass(frozen=True)
class Sandbox:
    """`readable`: folders and files besides the system's that commands may read; `gpu`: they may use GPUs.

    Each of them is a mount that every command waits for: name only a few.
    """

    readable: tuple[Path, ...] = ()
    gpu: bool = False

    def run(
        self,
        command: list[str],
        folder: Path,
        limits: limited_process.Limits,
        environment: dict[str, str] | None = None,
        nonce: str | None = None,
        ends: limited_process.Ends | None = None,
    ) -> limited_process.Outcome:
        """As limited_process.run(). With a nonce `folder` is read-only, and there is a /tmp of 64 MiB."""
        with _Slot() as slot:
            user = _FIRST_USER + slot if os.geteuid() == 0 else None
            if user is not None and nonce is None:
                os.chown(folder, user, user)
            done = limited_process.run(
                self._wrapped(command, folder, limits, environment or {}, nonce is not None, user),
                folder,
                limits,
                environment,
                nonce,
                ends,
            )
            if done.stopped and user is not None:
                _wait_for_the_last_of(user)
        # Each of them names itself in its message if it fails before the command starts.
        if done.code in (1, 126, 127) and done.output.startswith(("bwrap: ", "setpriv: ", "prlimit: ")):
            raise GradingError(f"the sandbox failed: {done.output.splitlines()[0]}")
        if done.code is not None and 128 < done.code < 128 + signal.NSIG:
            # This is how it reports that a signal ended the command.
            number = done.code - 128
            stopped = "time_limit" if number == signal.SIGXCPU else done.stopped
            done = replace(done, code=None, signal=None if stopped else number, stopped=stopped)
        return done

    def _wrapped(
        self,
        command: list[str],
        folder: Path,
        limits: limited_process.Limits,
        environment: dict[str, str],
        is_run: bool,
        user: int | None,
    ) -> list[str]:
        words = [
            "bwrap",
            "--die-with-parent",
            "--new-session",
            "--unshare-ipc",
            "--unshare-pid",
            "--unshare-net",
            "--unshare-uts",
            "--unshare-cgroup-try",
            "--cap-drop",
            "ALL",
        ]
        if user is None:
            words += ["--unshare-user"]
        else:
            # For root without a user namespace: the command runs as a user that does not exist, whose processes the
            # kernel counts. It does not count root's.
            words += ["--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
        for path in _SYSTEM:
            if os.path.islink(path):
                words += ["--symlink", os.readlink(path), path]
            elif os.path.isdir(path):
                words += ["--ro-bind", path, path]
        words += ["--dir", "/etc"]
        for path in _SETTINGS:
            words += ["--ro-bind-try", path, path]
        words += ["--proc", "/proc", "--dev", "/dev"]
        if self.gpu:
            for device in sorted(Path("/dev").glob("nvidia*")) + [Path("/dev/dxg")]:
                words += ["--dev-bind-try", str(device), str(device)]
            words += ["--ro-bind-try", "/sys", "/sys"]
        # Mounted before anything that may lie below it.
        if is_run and _has_sizes():
            words += ["--perms", "1777", "--size", str(_TMP_BYTES), "--tmpfs", "/tmp"]
        else:
            words += ["--dir", "/tmp"]
        readable = _outermost(self.readable)
        for parent in _above((*readable, str(folder))):
            words += ["--dir", parent]
        for path in readable:
            words += ["--ro-bind", path, path]
        words += ["--ro-bind" if is_run else "--bind", str(folder), str(folder), "--chdir", str(folder)]
        if not self.gpu:
            words += ["--remount-ro", "/dev"]
        words += ["--remount-ro", "/"]
        for name in os.environ:
            if name not in _KEPT and name not in environment:
                words += ["--unsetenv", name]
        words += ["--setenv", "HOME", "/tmp", "--setenv", "TMPDIR", "/tmp" if is_run else str(folder), "--"]
        if user is not None:
            words += ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", "--inh-caps=-all"]
        return words + ["prlimit", *_resources(limits, self.gpu and is_run, user is not None), *command]

    def trouble(self, folder: Path, command: list[str]) -> str:
        """Why it cannot work here, in one line; empty: it works. `command`: one that must succeed in it."""
        if not sys.platform.startswith("linux"):
            return "it needs bubblewrap, which exists only for Linux"
        for program, package in (("bwrap", "bubblewrap"), ("prlimit", "util-linux"), ("setpriv", "util-linux")):
            if shutil.which(program) is None:
                return f"it needs {program}: install {package}"
        try:
            done = self.run(command, folder, limited_process.Limits(seconds=20), nonce="none")
        except GradingError as error:
            return str(error)
        if done.code != 0:
            return f"{command[0]} fails in it: {' '.join(done.output.split())[:200] or done.stopped or done.signal}"
        return ""


def _resources(limits: limited_process.Limits, is_gpu_run: bool, is_root: bool) -> list[str]:
    """prlimit's options: what the kernel itself enforces, at once, for each process."""
    words = ["--core=0"]
    if limits.file_size:
        words.append(f"--fsize={limits.file_size}")
    if limits.cpu_seconds:
        words.append(f"--cpu={int(limits.cpu_seconds) + 1}:{int(limits.cpu_seconds) + 3}")
    if limits.memory and not is_gpu_run:
        # CUDA reserves far more addresses than it uses. So does the emulator, but less.
        words.append(f"--as={2 * limits.memory + (4 << 30)}")
    if limits.processes and (is_root or _counts_in_namespace()):
        words.append(f"--nproc={limits.processes}")
    return words


@functools.lru_cache(maxsize=None)
def _outermost(paths: tuple[Path, ...]) -> tuple[str, ...]:
    """These, each once, without those that lie below another one or below the system's folders."""
    given = {str(path) for path in paths}
    return tuple(sorted(path for path in given if not _is_below(path, given - {path}) and not _is_system(path)))


def _above(paths: tuple[str, ...]) -> list[str]:
    """The folders above these, outermost first: we create them, because bubblewrap would create them for root only."""
    above = {parent for path in paths for parent in _parents(path)}
    return sorted(path for path in above if not _is_system(path))


def _is_system(path: str) -> bool:
    return path in _SYSTEM or _is_below(path, set(_SYSTEM))


def _is_below(path: str, others: set[str]) -> bool:
    return any(parent in others for parent in _parents(path))


def _parents(path: str) -> Iterator[str]:
    """/a/b and /a for /a/b/c"""
    while (path := os.path.dirname(path)) not in ("/", ""):
        yield path


@functools.lru_cache(maxsize=None)
def _has_sizes() -> bool:
    """Whether this bubblewrap can limit a file system in memory (0.7); otherwise there is no writable /tmp."""
    done = subprocess.run(["bwrap", "--help"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return "--size" in done.stdout


def _counts_in_namespace() -> bool:
    """Since Linux 5.14 a user namespace counts its processes by itself."""
    try:
        major, minor = platform.release().split(".")[:2]
        return (int(major), int("".join(c for c in minor if c.isdigit()))) >= (5, 14)
    except ValueError:
        return False


def _wait_for_the_last_of(user: int) -> None:
    """What a killed bubblewrap has started dies a moment later, and until then counts towards the user's next run."""
    until = time.monotonic() + _MAX_SECONDS_OF_DYING
    while time.monotonic() < until and _has_processes(user):
        time.sleep(0.01)


def _has_processes(user: int) -> bool:
    with os.scandir("/proc") as entries:
        for entry in entries:
            with contextlib.suppress(OSError):  # it has ended meanwhile
                if entry.name.isdigit() and entry.stat().st_uid == user:
                    return True
    return False


class _Slot:
    """A number that no other run has at the same time, in this process or any other."""

    def __enter__(self) -> int:
        with _slots_lock:
            number = next(i for i in range(64) if i not in _slots)
            _slots.add(number)
        self._number = number
        return os.getpid() * 64 % 100_000_000 + number

    def __exit__(self, *_) -> None:
        with _slots_lock:
            _slots.discard(self._number)
