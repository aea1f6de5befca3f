"""Which line of a learner's file a program was in, from the addresses that it reported."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Callable

from ..grading_error import GradingError
from . import limited_process

_MAX_PLACES, _MAX_WIDTH = 64, 4096


def learners_line(
    program: str, addresses: str, name: Path, folder: Path, runner: Callable[..., limited_process.Outcome]
) -> str:
    """'It was at file.cu:12' and the line itself, for the innermost address in `name`; or nothing.

    The program is not trusted: the tool that reads it also goes through `runner`.
    """
    tool = shutil.which("addr2line")
    numbers = [int(word, 16) for word in addresses.split() if re.fullmatch(r"[0-9a-f]{1,16}", word)]
    if not tool or not numbers:
        return ""
    # All except the innermost are return addresses: the call is one byte before.
    try:
        command = [tool, "-e", program, *[hex(max(0, n - 1)) for n in numbers[:_MAX_PLACES]]]
        done = runner(command, folder, limited_process.Limits(seconds=20, memory=1 << 30))
    except (OSError, GradingError):
        return ""
    for line in done.output.splitlines():
        found = re.match(r"^(.*):(\d+)(?: \(discriminator \d+\))?$", line[:_MAX_WIDTH])
        if found and Path(found.group(1)) == name:
            number = int(found.group(2))
            where = f"It was at {name.name}:{number}, or in a function called there"
            return f"{where}:\n  {number:5} | {_source(name, number)}"
    return ""


def _source(name: Path, number: int) -> str:
    try:
        return name.read_text(encoding="utf-8").split("\n")[number - 1].strip()
    except (OSError, UnicodeDecodeError, IndexError):
        return ""
