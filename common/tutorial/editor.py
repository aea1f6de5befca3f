#!/usr/bin/env python3
"""editor.py VERB FILE: called by an editor's tasks (.vscode/tasks.json), which know only the file that is open.

  run, explain, faults   the chapter of a main.cu, else the file as a program of your own
  check                  the exercise
  debug, debug-gpu       builds the chapter's program for gdb (build/debug), or cuda-gdb (build/debug_gpu)

Exit code: that of what it calls; 2 if the file is none of these.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


class NotOfThatKind(Exception):
    """The verb cannot do anything with the file in the editor."""


def chapter_of(file: Path, root: Path = ROOT) -> str | None:
    """ch01 for ch01_bubble/main.cu; None for anything else."""
    match = re.fullmatch(r"(ch\d\d)_\w+/main\.cu", _shown(file, root))
    return match.group(1) if match else None


def exercise_of(file: Path, root: Path = ROOT) -> str | None:
    """ch01/ex1 for ch01_bubble/exercises/ex1_one_block.cu, first/ex1 for a warm-up; None for anything else."""
    match = re.fullmatch(r"(?:(ch\d\d)_\w+|docs/first_kernel)/exercises/(ex\d+)_\w+\.cu", _shown(file, root))
    return f"{match.group(1) or 'first'}/{match.group(2)}" if match else None


def _shown(file: Path, root: Path) -> str:
    return file.relative_to(root).as_posix() if root in file.parents else str(file)


def commands(verb: str, file: Path, root: Path = ROOT) -> list[list[str]]:
    """What to run, one command after the other. NotOfThatKind if there is nothing to run."""
    front_door = str(root / "tutorial")
    chapter, exercise, shown = chapter_of(file, root), exercise_of(file, root), _shown(file, root)
    if verb == "check":
        if exercise is None:
            raise NotOfThatKind(
                f"{shown} is not an exercise: they are in chNN/exercises/ and docs/first_kernel/exercises/"
            )
        return [[front_door, "check", exercise]]
    if verb in ("run", "explain", "faults"):
        if exercise is not None:
            raise NotOfThatKind(f"{shown} is an exercise, and has no main(): use the task that checks it")
        if chapter is None and file.suffix != ".cu":
            raise NotOfThatKind(f"{shown} is not a .cu file")
        words = ["explain", "--faults"] if verb == "faults" else [verb]
        return [[front_door, *words, chapter or str(file)]]
    if chapter is None:
        raise NotOfThatKind(f"{shown} is not the main.cu of a chapter")
    on_gpu = verb == "debug-gpu"
    folder = root / "build" / ("debug_gpu" if on_gpu else "debug")
    backends = ["-DTUTORIAL_CUDA=ON", "-DTUTORIAL_CPU=OFF"] if on_gpu else ["-DTUTORIAL_CUDA=OFF", "-DTUTORIAL_CPU=ON"]
    if on_gpu:
        backends.append("-DCMAKE_CUDA_FLAGS=-G")  # debug information for kernels
    target = f"{file.parent.name}_{'cuda' if on_gpu else 'cpu'}"
    return [
        ["cmake", "-S", str(root), "-B", str(folder), "-DCMAKE_BUILD_TYPE=Debug", *backends],
        ["cmake", "--build", str(folder), "--target", target],
    ]


def main() -> int:
    verbs = ("run", "explain", "faults", "check", "debug", "debug-gpu")
    if len(sys.argv) != 3 or sys.argv[1] not in verbs:
        print(f"editor: two words are needed, one of {', '.join(verbs)}, and a file", file=sys.stderr)
        return 2
    try:
        for command in commands(sys.argv[1], Path(sys.argv[2]).resolve()):
            code = subprocess.run(command, cwd=ROOT, check=False).returncode
            if code != 0:
                return code
    except NotOfThatKind as error:
        print(f"editor: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
