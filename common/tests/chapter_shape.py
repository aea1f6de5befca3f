#!/usr/bin/env python3
"""Is each chapter one story? Holds the shape of a chapter's folder.

  - main.cu includes the harness (../common/harness/), files beside it, and at most one header of fastest/.
  - Every kernel of the program stands in main.cu or in fastest/; library.cuh, ablations.cu, multi_gpu.cu and
    tests.cu may have kernels of their own.
  - main.cu has at most 950 lines, those of the list of stages at its head not counted.
  - The folder holds what a reader looks for, and nothing else (FILES, FOLDERS).

Each breach is one line: FILE:LINE and what is wrong. Exit code: 0 none, 1 some, 2 there is no chapter.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path
from posixpath import normpath

from includes import INCLUDE

ROOT = Path(__file__).resolve().parents[2]
MAX_LINES = 950
HARNESS = "../common/harness/"
FILES = re.compile(r"(main|tests|ablations|multi_gpu)\.cu|library\.cuh|runs\.txt|\w+\.(hpp|md)")
FOLDERS = {"exercises", "solutions", "grading", "figures", "fastest"}
LISTED_STAGE = re.compile(r"//  [ \d]\d [a-z]\w* ")  # made by docs/tools/stage_list.py
FASTEST = re.compile(r"\w+\.(cuh|md)")
MAY_HAVE_KERNELS = {"main.cu", "library.cuh", "ablations.cu", "multi_gpu.cu", "tests.cu"}

OPAQUE = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.DOTALL)
# A definition: a declaration ends with a semicolon before any brace.
KERNEL = re.compile(r"\b__global__\b(?P<head>[^;{]*)\{")
BOUNDS = re.compile(r"__launch_bounds__\s*\((?:[^()]|\([^()]*\))*\)")


def kernels_of(source: str) -> list[tuple[int, str]]:
    """(line, name) of each kernel that a source defines."""
    code = OPAQUE.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), source)
    found = []
    for match in KERNEL.finditer(code):
        name = re.search(r"(\w+)\s*\(", BOUNDS.sub(" ", match["head"]))
        found.append((code.count("\n", 0, match.start()) + 1, name.group(1) if name else "?"))
    return found


def wrong_includes(source: str) -> list[tuple[int, str]]:
    """(line, what is wrong) of the includes of a main.cu."""
    wrong, fastest = [], []
    for number, line in enumerate(source.splitlines(), 1):
        match = INCLUDE.match(line)
        if not match or match[1] is None:  # <...> is a library's; who may include whom is includes.py's matter
            continue
        path = normpath(match[1])
        folder = path.rpartition("/")[0]
        if folder == "fastest":
            fastest.append((number, path))
        elif folder and not path.startswith(HARNESS):
            words = "a main.cu includes the harness, files beside it and one header of fastest/"
            wrong.append((number, f'includes "{match[1]}": {words}'))
    wrong += [
        (number, f'includes "{path}" as well: one header of fastest/ is the way into it')
        for number, path in fastest[1:]
    ]
    return wrong


def check_chapter(folder: Path) -> list[str]:
    """What is wrong with one chapter, each line without the chapter's name in front."""
    breaches = []
    for path in sorted(folder.iterdir()):
        name = path.name
        if name.startswith(".") or name == "__pycache__":
            continue
        if path.is_dir() and name not in FOLDERS:
            breaches.append(f"{name}/: no folder that a reader looks for; there may be {', '.join(sorted(FOLDERS))}")
        elif path.is_file() and not FILES.fullmatch(name):
            where = "device code stands in main.cu or in fastest/" if path.suffix == ".cuh" else "what is it for?"
            breaches.append(f"{name}: no file that a reader looks for: {where}")
        if path.is_file() and path.suffix in (".cu", ".cuh", ".hpp", ".h") and name not in MAY_HAVE_KERNELS:
            breaches += [
                f"{name}:{line}: {kernel}: a kernel stands in main.cu, or in fastest/"
                for line, kernel in kernels_of(path.read_text(encoding="utf-8"))
            ]
    for path in sorted(folder.glob("fastest/*")):
        if not FASTEST.fullmatch(path.name) and not path.name.startswith("."):
            breaches.append(f"fastest/{path.name}: fastest/ holds .cuh files, one job each")
    main = folder / "main.cu"
    if not main.is_file():
        return [*breaches, "main.cu: is missing"]
    source = main.read_text(encoding="utf-8")
    breaches += [f"main.cu:{number}: {words}" for number, words in wrong_includes(source)]
    lines = sum(not LISTED_STAGE.match(line) for line in source.splitlines())
    if lines > MAX_LINES:
        breaches.append(f"main.cu: {lines} lines are more than a story bears: at most {MAX_LINES}")
    return breaches


def chapters(root: Path) -> list[Path]:
    return sorted(path for path in root.glob("ch[0-9][0-9]_*") if path.is_dir())


def check(root: Path) -> list[str]:
    return [f"{folder.name}/{breach}" for folder in chapters(root) for breach in check_chapter(folder)]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root", nargs="?", type=Path, default=ROOT, help="the repository; default: this one")
    root = parser.parse_args().root
    found = chapters(root)
    if not found:
        print(f"chapter_shape: there is no chapter in {root}", file=sys.stderr)
        return 2
    breaches = check(root)
    print("\n".join(breaches) if breaches else f"{len(found)} chapters have the shape of a chapter.")
    return 1 if breaches else 0


if __name__ == "__main__":
    sys.exit(main())
