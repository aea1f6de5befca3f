"""How large the folders of code are, for `<!-- lines FOLDER… -->` and `<!-- lines FOLDER… tests -->`.

Lines of source files, empty ones included; texts, results and pictures are not code.
"""

from __future__ import annotations

import os
from pathlib import Path

from errors import DocsError
from repository import ROOT

_CODE = {".cmake", ".cpp", ".css", ".cu", ".cuh", ".h", ".hpp", ".js", ".mjs", ".py", ".sh", ".vue"}
_TESTS = {"tests", "fault_gallery", "peers"}
_SKIPPED = {"node_modules", "__pycache__"}
# A number is replaced when it is off by more than this, so that not every commit changes it.
_TOLERANCE = 0.1


def count(folder: Path, only_tests: bool = False) -> int:
    """Lines of code below a folder, or only those of its tests and the programs that they run."""
    lines = 0
    for where, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if name not in _SKIPPED]
        if only_tests and not _TESTS & set(Path(where).relative_to(folder.parent).parts):
            continue
        for name in files:
            if Path(name).suffix in _CODE or name == "CMakeLists.txt":
                lines += Path(where, name).read_bytes().count(b"\n")
    return lines


def rounded(number: int) -> str:
    """Two significant digits, and a comma before every three."""
    unit = 10 ** max(0, len(str(number)) - 2)
    return f"{round(number / unit) * unit:,}"


def shown(words: list[str], before: str, root: Path = ROOT) -> str:
    """The content of the marker: `before`, as long as it is nearly right."""
    only_tests = words[-1:] == ["tests"]
    names = words[:-1] if only_tests else words
    folders = [folder for name in names for folder in (sorted(root.glob(name)) or [root / name])]
    if not names or not all(folder.is_dir() for folder in folders):
        raise DocsError("a lines marker reads: lines FOLDER… [tests], each relative to the repository")
    number = sum(count(folder, only_tests) for folder in folders)
    written = before.replace(",", "")
    if written.isdecimal() and abs(int(written) - number) <= _TOLERANCE * number:
        return before
    return rounded(number)
