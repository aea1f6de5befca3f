#!/usr/bin/env python3
"""Compiles a chapter by the one nvcc line that its main.cu prints, exactly as a reader would.

Only two things differ: the name of the compiler and of the program it writes, and, if no
GPU is found, -arch=native becomes -arch=sm_90, since there is nothing to be native to.

The six lines share the harness. With --objects FOLDER, nvcc's own steps run one by one (each source to an object, with
the line's options; then the link), and the harness's objects are kept there for the next chapter: compiled once instead
of six times. Their folder's name depends on everything they are made from. Exit code: nvcc's; 1 if main.cu prints no
such line.
"""

from __future__ import annotations

import argparse
import fcntl
import hashlib
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
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


def steps(words: list[str]) -> tuple[list[str], list[str], list[str], str]:
    """The parts of a line: compiler and options, sources, libraries, the program."""
    output = words.index("-o")
    rest = words[:output] + words[output + 2 :]
    sources = [word for word in rest if word.endswith((".cu", ".cpp"))]
    libraries = [word for word in rest if word.startswith("-l")]
    options = [word for word in rest if word not in sources and word not in libraries]
    return options, sources, libraries, words[output + 1]


def shared_folder(objects: Path, options: list[str], root: Path = ROOT) -> Path:
    """Where objects for these options and for the harness as it is now are kept."""
    content = hashlib.sha256(shlex.join(options).encode())
    for path in sorted((root / "common" / "harness").glob("*.*")):
        content.update(path.name.encode() + b"\0" + path.read_bytes())
    return objects / content.hexdigest()[:16]


def by_steps(words: list[str], objects: Path, root: Path = ROOT) -> int:
    """What the line does, with the harness's objects kept. Several chapters may do so at once."""
    options, sources, libraries, program = steps(words)
    shared = shared_folder(objects, options, root)
    shared.mkdir(parents=True, exist_ok=True)

    def compiled(source: str, to: Path) -> int:
        part = to.with_suffix(f".{os.getpid()}.o")
        code = subprocess.run([*options, "-c", source, "-o", str(part)], cwd=root).returncode
        if code == 0:
            part.replace(to)
        return code

    with tempfile.TemporaryDirectory() as own:
        made = {}
        waiting = list(sources)
        while waiting:
            busy: list[str] = []  # another chapter is compiling it right now
            for source in waiting:
                if not source.startswith("common/"):
                    made[source] = Path(own) / (Path(source).name + ".o")
                    if code := compiled(source, made[source]):
                        return code
                    continue
                made[source] = shared / (source.replace("/", "_") + ".o")
                with open(made[source].with_suffix(".lock"), "w") as lock:
                    try:
                        fcntl.flock(lock, fcntl.LOCK_EX | (fcntl.LOCK_NB if len(waiting) > len(busy) + 1 else 0))
                    except BlockingIOError:
                        busy.append(source)
                        continue
                    if not made[source].exists():
                        if code := compiled(source, made[source]):
                            return code
            waiting = busy
        objects_made = [str(made[source]) for source in sources]
        return subprocess.run([*options, *objects_made, *libraries, "-o", program], cwd=root).returncode


def gpu_seen() -> bool:
    tool = shutil.which("nvidia-smi") or shutil.which("nvidia-smi", path="/usr/lib/wsl/lib")
    return tool is not None and subprocess.run([tool, "-L"], capture_output=True).stdout.startswith(b"GPU")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", type=Path)
    parser.add_argument("--nvcc", default="nvcc")
    parser.add_argument("--output", required=True)
    parser.add_argument("--objects", type=Path, help="keep the harness's objects in this folder")
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
    print(shlex.join(words), flush=True)
    if arguments.objects:
        return by_steps(words, arguments.objects)
    return subprocess.run(words, cwd=ROOT).returncode


if __name__ == "__main__":
    sys.exit(main())
