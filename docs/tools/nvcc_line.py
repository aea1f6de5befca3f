#!/usr/bin/env python3
"""Compiles a chapter by the one nvcc line that its main.cu prints, exactly as a reader would.

Only two things differ: the name of the compiler and of the program it writes, and, if no
GPU is found, -arch=native becomes -arch=sm_90, since there is nothing to be native to.

The six lines share the harness. With --harness ARCHIVE..., which hold its objects, only the other sources are compiled.
Exit code: nvcc's; 1 if main.cu prints no such line.
"""

from __future__ import annotations

import argparse
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def line_of(source: str) -> str | None:
    """The nvcc line in the comments of a source; a backslash continues it on the next line."""
    joined = re.sub(r"\\\n\s*//", " ", source)
    match = re.search(r"^\s*//\s*\$?\s*(nvcc\s.*?)\s*$", joined, re.MULTILINE)
    return match.group(1) if match else None


def command(line: str, nvcc: str, output: str, native: bool, root: Path = ROOT) -> list[str]:
    words = shlex.split(line)
    words[0] = nvcc
    if "-o" not in words[:-1]:
        raise ValueError("the line has no -o NAME")
    words[words.index("-o") + 1] = output
    expanded = []
    for word in words:
        if word == "-arch=native" and not native:
            word = "-arch=sm_90"
        if "*" in word:
            names = sorted(path.relative_to(root).as_posix() for path in root.glob(word))
            if not names:
                raise ValueError(f"no file matches {word}")
            expanded += names
        else:
            expanded.append(word)
    return expanded


def with_archives(words: list[str], archives: list[str]) -> list[str]:
    """The line with archives in place of the sources that the chapters share."""
    own = [word for word in words if not re.fullmatch(r"common/.*\.(cu|cpp)", word)]
    libraries = next((i for i, word in enumerate(own) if word.startswith("-l")), len(own))
    return [*own[:libraries], *archives, *own[libraries:]]


def gpu_seen() -> bool:
    tool = shutil.which("nvidia-smi") or shutil.which("nvidia-smi", path="/usr/lib/wsl/lib")
    return tool is not None and subprocess.run([tool, "-L"], capture_output=True).stdout.startswith(b"GPU")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", type=Path)
    parser.add_argument("--nvcc", default="nvcc")
    parser.add_argument("--output", required=True)
    parser.add_argument("--harness", metavar="ARCHIVE", nargs="+", help="link these, compile only the other sources")
    arguments = parser.parse_args()
    line = line_of(arguments.source.read_text(encoding="utf-8"))
    if line is None:
        print(f"{arguments.source}: its comments hold no nvcc line", file=sys.stderr)
        return 1
    try:
        words = command(line, arguments.nvcc, arguments.output, gpu_seen())
    except ValueError as error:
        print(f"{arguments.source}: {error}", file=sys.stderr)
        return 1
    if arguments.harness:
        words = with_archives(words, arguments.harness)
    print(shlex.join(words), flush=True)
    return subprocess.run(words, cwd=ROOT).returncode


if __name__ == "__main__":
    sys.exit(main())
