"""The path from check and grade to common/grading: it asks for a build when it needs one."""

from __future__ import annotations

from pathlib import Path
from typing import Callable

from building import backend
from building.build import Build


def run(verb: str, main: Callable[[list[str], Callable[[], tuple[Path, bool]]], int], words: list[str]) -> int:
    """Calls `main` of the grading tool; nothing is installed and built for a misspelt name, or for a hint."""
    asked = None
    for word in words:
        if word in ("--cpu", "--gpu"):
            asked = word[2:]

    def prepare() -> tuple[Path, bool]:
        where = backend.choose(asked)
        print(where.why, flush=True)
        return Build(where).prepare(verb).folder, asked == "cpu"

    # The words are names of exercises, folders, or options of the tool, which reads them itself.
    return main([word for word in words if word not in ("--cpu", "--gpu")], prepare)
