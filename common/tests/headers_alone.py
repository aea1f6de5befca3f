#!/usr/bin/env python3
"""Does each header of a chapter compile alone? Then a file of fastest/ can be read by itself: it includes what it uses.

  headers_alone.py BUILD_FOLDER CHAPTER cpu|cuda

cpu: translated for the emulator and compiled as the chapter is. cuda: by nvcc, to PTX. library.cuh is for nvcc
only. A quarter of the headers is compiled each day; TUTORIAL_TURN=all compiles all. Each header that does not compile
is shown with the compiler's first error. Exit code: 0 all do, 1 some do not, 2 wrong arguments.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from chapter_shape import ROOT

sys.path.insert(0, str(ROOT / "common"))
from building.turn import todays_part  # noqa: E402


def headers(chapter: Path, kind: str) -> list[Path]:
    """The headers of a chapter, those of fastest/ first."""
    found = [path for pattern in ("fastest/*.cuh", "*.cuh", "*.hpp") for path in sorted(chapter.glob(pattern))]
    return [path for path in found if kind == "cuda" or path.name != "library.cuh"]


def commands(entry: dict[str, Any], kind: str, source: Path, folder: Path) -> list[list[str]]:
    """What compiles a source; `entry` is how the build folder compiles programs (programs.json)."""
    if kind == "cuda":  # for nvcc's default architecture: PTX is for a single one
        return [[entry["compiler"], "-std=c++17", f"-I{ROOT}", "-ptx", "-o", os.devnull, str(source)]]
    translated = folder / "alone.cpp"
    rewrite = ["--source-root", str(ROOT), "--copies", str(folder / "copies"), str(source), str(translated)]
    compile = [entry["compiler"], *entry["options"], f"-I{ROOT}", "-fsyntax-only", str(translated)]
    return [[*entry["rewrite"], *rewrite], compile]


def first_error(entry: dict[str, Any], kind: str, header: Path) -> str:
    """Why a header does not compile alone; empty: it does."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        source = folder / "alone.cu"
        source.write_text(f'#include "{header.relative_to(ROOT).as_posix()}"\n', encoding="utf-8")
        for command in commands(entry, kind, source, folder):
            done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
            if done.returncode:
                lines = (done.stdout + done.stderr).splitlines()
                return next((line for line in lines if "error" in line), lines[0] if lines else "no reason given")
    return ""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=Path)
    parser.add_argument("chapter")
    parser.add_argument("kind", choices=("cpu", "cuda"))
    arguments = parser.parse_args()
    entry = json.loads((arguments.build / "programs.json").read_text(encoding="utf-8"))["kinds"][arguments.kind]
    found = todays_part(headers(ROOT / arguments.chapter, arguments.kind), 4)
    with ThreadPoolExecutor(2) as pool:
        errors = list(pool.map(lambda header: first_error(entry, arguments.kind, header), found))
    failed = {header.relative_to(ROOT).as_posix(): error for header, error in zip(found, errors) if error}
    wrong = [f"{name} does not compile alone: {error}" for name, error in failed.items()]
    print("\n".join(wrong) or f"{len(found)} headers compile alone")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
