"""runs.txt of a chapter: the options of its runs, one run per line, in sections named for what reads them."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

SECTIONS = (
    "bench",
    "ablations",
    "multi_gpu",
    "sanitizer",
    "cccl",
    "rotation",
    "small_device",
    "faults",
    "without_barriers",
    "story",
)


def lines(folder: Path, section: str) -> list[list[str]]:
    """The words of each line of the chapter's section; empty if the chapter has no such section."""
    file = folder / "runs.txt"
    found: dict[str, list[list[str]]] = {}
    current: list[list[str]] | None = None
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines() if file.is_file() else [], 1):
        words = shlex.split(line.partition("#")[0])
        if len(words) == 1 and words[0].startswith("["):
            name = words[0][1:-1]
            if words[0] != f"[{name}]" or name not in SECTIONS or name in found:
                raise ValueError(
                    f"{file}:{number}: {words[0]} is not one of [{'], ['.join(SECTIONS)}], each at most once"
                )
            current = found[name] = []
        elif words and current is None:
            raise ValueError(f"{file}:{number}: a run before the first section")
        elif words and current is not None:
            current.append(words)
    return found.get(section, [])


def settings(words: list[str]) -> tuple[dict[str, str], list[str]]:
    """A line's environment variables, NAME=VALUE before the first option as in a shell, and its options."""
    found = dict[str, str]()
    while len(found) < len(words) and (match := re.fullmatch(r"([A-Z][A-Z0-9_]*)=(.*)", words[len(found)])):
        found[match[1]] = match[2]
    return found, words[len(found) :]
