"""What a process and all that it has started take, as Linux' /proc says it."""

from __future__ import annotations

import os
import resource
from dataclasses import dataclass

_TICKS = os.sysconf("SC_CLK_TCK")
_PAGE = resource.getpagesize()


@dataclass(frozen=True)
class Use:
    count: int = 0  # processes that live
    memory: int = 0  # bytes that they hold now, in all; memory that two share is counted twice
    cpu_seconds: float = 0.0  # of these, and of those that have ended and were waited for


def of_tree(root: int) -> Use:
    """The process `root` and its descendants; nothing of them where there is no /proc."""
    known: dict[int, tuple[int, int, float]] = {}  # by number: parent, bytes, seconds
    try:
        names = os.listdir("/proc")
    except OSError:
        return Use()
    for name in names:
        if name.isdigit():
            entry = _read(name)
            if entry:
                known[int(name)] = entry
    children: dict[int, list[int]] = {}
    for number, (parent, _, _) in known.items():
        children.setdefault(parent, []).append(number)
    count, memory, seconds = 0, 0, 0.0
    waiting = [root] if root in known else []
    while waiting:
        number = waiting.pop()
        count, memory, seconds = count + 1, memory + known[number][1], seconds + known[number][2]
        waiting += children.get(number, [])
    return Use(count, memory, seconds)


def _read(name: str) -> tuple[int, int, float] | None:
    try:
        with open(f"/proc/{name}/stat", "rb") as file:
            # The second field is the program's name in parentheses and may hold anything.
            fields = file.read().rpartition(b")")[2].split()
        seconds = sum(int(field) for field in fields[11:15]) / _TICKS
        return int(fields[1]), int(fields[21]) * _PAGE, seconds
    except (OSError, IndexError, ValueError):
        return None  # it has ended meanwhile
