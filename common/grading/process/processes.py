"""The resources of a process and of all that it has started, as Linux's /proc reports them."""

from __future__ import annotations

import os
import resource
from dataclasses import dataclass
from typing import Callable

_TICKS = os.sysconf("SC_CLK_TCK")
_PAGE = resource.getpagesize()


@dataclass(frozen=True)
class Use:
    count: int = 0  # living processes
    memory: int = 0  # bytes that they hold now; memory shared by two is counted twice
    cpu_seconds: float = 0.0  # of these, and of ended ones that were waited for


def of_tree(root: int) -> Use:
    """The process `root` and its descendants; nothing without /proc."""
    entry = _read(str(root))
    if entry is None:
        return Use()
    children = _children if os.path.exists(f"/proc/{root}/task/{root}/children") else _all_children()
    count, memory, seconds = 0, 0, 0.0
    waiting, seen = [(root, entry)], {root}
    while waiting:
        number, (_, its_memory, its_seconds) = waiting.pop()
        count, memory, seconds = count + 1, memory + its_memory, seconds + its_seconds
        for child in children(number):
            found = _read(str(child)) if child not in seen else None
            if found:
                seen.add(child)
                waiting.append((child, found))
    return Use(count, memory, seconds)


def _children(number: int) -> list[int]:
    """As the kernel lists them, thread by thread: the cost does not depend on the computer's other processes."""
    found: list[int] = []
    try:
        for thread in os.listdir(f"/proc/{number}/task"):
            with open(f"/proc/{number}/task/{thread}/children", "rb") as file:
                found += map(int, file.read().split())
    except (OSError, ValueError):
        pass  # it has ended meanwhile
    return found


def _all_children() -> Callable[[int], list[int]]:
    """Derived from the parents of all processes, if the kernel does not list them."""
    children: dict[int, list[int]] = {}
    try:
        names = [name for name in os.listdir("/proc") if name.isdigit()]
    except OSError:
        names = []
    for name in names:
        entry = _read(name)
        if entry:
            children.setdefault(entry[0], []).append(int(name))
    return lambda number: children.get(number, [])


def _read(name: str) -> tuple[int, int, float] | None:
    try:
        with open(f"/proc/{name}/stat", "rb") as file:
            # The second field is the program's name in parentheses and may hold anything.
            fields = file.read().rpartition(b")")[2].split()
        seconds = sum(int(field) for field in fields[11:15]) / _TICKS
        return int(fields[1]), int(fields[21]) * _PAGE, seconds
    except (OSError, IndexError, ValueError):
        return None  # it has ended meanwhile
