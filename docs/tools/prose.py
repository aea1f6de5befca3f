"""Line numbers of sources may not be written by hand: they drift with every edit of the source."""

from __future__ import annotations

import re
from pathlib import Path

from blocks import lines_outside_code, outside_code
from repository import ROOT

_MARKED = re.compile(r"<!-- (\w+) .*?-->.*?<!-- /\1 -->")
_LINE = re.compile(r"\blines?\s+\d+\b", re.IGNORECASE)
_FILE_LINE = re.compile(r"[\w/]+\.(?:cu|cuh|cpp|hpp|h|py):\d+")
_LINK_LINE = re.compile(r"\]\([^)\s]*#L\d+")


def check(path: Path, root: Path = ROOT) -> list[str]:
    """One line for each line number in the text `path` that no marker wrote."""
    errors = []
    for number, line in lines_outside_code(path.read_text(encoding="utf-8")):
        if not re.search(r"\d", line):
            continue
        bare = _MARKED.sub(" ", line)
        outside = "".join(bare[start:end] + " " for start, end in outside_code(bare))
        found = _LINE.search(outside) or _FILE_LINE.search(bare) or _LINK_LINE.search(bare)
        if found:
            shown = path.relative_to(root).as_posix()
            what = found.group().strip()
            errors.append(f"{shown}:{number}: '{what}' is written by hand: use <!-- line FILE NAME RE -->")
    return errors
