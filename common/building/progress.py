"""Runs long commands: all of their output goes to a log, and one line shows their progress."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import pty
import re
import select
import shutil
import struct
import subprocess
import sys
import termios
import time
from pathlib import Path
from typing import Callable, TextIO

from .repository import shown

QUIET_SECONDS = 1.0  # shorter commands are not worth a line
Parse = Callable[[str], str]  # a line of output -> the progress it shows; empty: none


class ProgressLine:
    """A line that is updated on a terminal; elsewhere it is printed only once."""

    def __init__(self, what: str, log: Path | None, out: TextIO):
        self.what, self.out = what, out
        self.terminal = out.isatty()
        self.log = f" (log: {shown(log)})" if log else ""
        self.started = time.monotonic()
        self.detail = ""
        self.said = False

    def tick(self) -> None:
        seconds = time.monotonic() - self.started
        if seconds < QUIET_SECONDS:
            return
        if self.terminal:
            words = f"{self.what}: {self.detail + ', ' if self.detail else ''}{seconds:.0f} s"
            width = shutil.get_terminal_size().columns - 1
            self._say(f"\r\033[K{words if len(words) <= width else words[: width - 1] + '…'}")
        elif not self.said:
            self._say(f"{self.what}{self.log} …\n")
        self.said = True

    def end(self, took: str = "") -> None:
        """Clears the line; if it was there long enough to be seen, prints how long the command took."""
        if not self.said:
            return
        seconds = time.monotonic() - self.started
        clear = "\r\033[K" if self.terminal else ""
        self._say(clear + (f"{self.what}: {took}, {seconds:.0f} s\n" if took else ""))

    def _say(self, words: str) -> None:
        """An output that cannot be written to is no reason not to build."""
        with contextlib.suppress(OSError):
            print(words, end="", file=self.out, flush=True)


def run_logged(
    command: list[str],
    log: Path,
    what: str,
    parse: Parse = lambda line: "",
    out: TextIO | None = None,
    folder: Path | None = None,
    add: bool = False,
) -> int:
    """Runs the command, in `folder`, and returns its exit code. `add`: the log is continued."""
    line = ProgressLine(what, log, out or sys.stdout)
    reader, writer = _terminal()
    with open(log, "ab" if add else "wb") as kept:
        child = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=writer,
            stderr=writer,
            cwd=folder,
            env={**os.environ, "TERM": "xterm"},  # Ninja says what it starts, not what it has finished
        )
        os.close(writer)
        try:
            last = b""
            for text in _lines(reader, line.tick):
                if text != last:
                    kept.write(text + b"\n")
                last = text
                line.detail = parse(text.decode(errors="replace")) or line.detail
            code = child.wait()
        except BaseException:
            child.terminate()
            child.wait()
            line.end()
            raise
        finally:
            os.close(reader)
    line.end(line.detail if code == 0 else "")
    return code


def _terminal() -> tuple[int, int]:
    """A terminal so wide that nothing is cut off; a pipe if there is none."""
    try:
        reader, writer = pty.openpty()
    except OSError:
        return os.pipe()
    fcntl.ioctl(writer, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 4000, 0, 0))
    return reader, writer


def _lines(reader: int, tick: Callable[[], None]):
    """Lines as they arrive; `tick` is called now and then, even while none arrives."""
    rest = b""
    while True:
        tick()
        if not select.select([reader], [], [], 0.2)[0]:
            continue
        try:
            data = os.read(reader, 1 << 16)
        except OSError as error:
            if error.errno != errno.EIO:  # a terminal whose other end is closed
                raise
            data = b""
        *whole, rest = re.split(rb"[\r\n]+", rest + data)
        for text in whole if data else [*whole, rest]:
            text = re.sub(rb"\x1b\[[0-9;]*[A-Za-z]", b"", text)
            if text.strip():
                yield text
        if not data:
            return


def of_ninja_or_make(line: str) -> str:
    """ "[12/80] Building CXX object …/report.cpp.o" -> "12 of 80 files, now common/harness/report.cpp"."""
    step = re.match(r"\[ *(\d+)/(\d+)\] (.*)|\[ *(\d+)%\] (.*)", line)
    if not step:
        return ""
    done, of, ninja, percent, make = step.groups()
    words = _file(ninja or make)
    if ninja and words.startswith("Re-"):  # looks at its own files first
        return ""
    if not ninja:
        return f"{percent} %, now {words}"
    return f"{done} of {of} files" + (f", now {words}" if done != of else "")


def _file(description: str) -> str:
    compiled = re.match(r"Building \w+ object (.*?)CMakeFiles/[^/]*\.dir/(.*)\.o$", description)
    if compiled:
        file = compiled.group(2)
        return re.sub(r"^.*cpu_src/|\.cpp$(?<=\.cu\.cpp)", "", file) if "cpu_src/" in file else compiled.group(1) + file
    linked = re.match(r"Linking \w+ (?:executable|static library|shared library) (?:.*/)?(.*)$", description)
    return linked.group(1) if linked else description
