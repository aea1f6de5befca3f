#!/usr/bin/env python3
"""Runs the commands that the texts and `./tutorial --help` offer: an example must work as printed.

  examples.py --programs FOLDER    the folder of the built programs: chNN_name_cpu, _lab and _multi_gpu_cpu
  examples.py … --without-multi-gpu     the programs for several GPUs are not built: their examples are left out

`./tutorial run ch01 …` runs the chapter's CPU program, `./tutorial explain ch01 …` its lab, in
a folder of its own, with the options as printed; each must end with exit code 0. For the other verbs, and for your own
programs, the chapters, exercises and files that they name must exist. A third of the calls are made each day;
TUTORIAL_TURN=all makes all of them. Exit code: 0; 1 if an example fails.
"""

from __future__ import annotations

import argparse
import re
import shlex
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))

from blocks import fenced_lines
from errors import DocsError
from repository import ROOT, chapter, texts

sys.path.insert(0, str(ROOT / "common"))
from building.turn import todays_part

FIRST = Path("docs/first_kernel")  # what "first" means
_CODE = re.compile(r"`(\./tutorial [^`]*)`")
_PLACEHOLDER = re.compile(r"[|…<>*]|\[|\bNN?\b|\bch(?:NN|0N)\b")
SECONDS = 300


@dataclass(frozen=True)
class Example:
    place: str  # file and line
    words: tuple[str, ...]  # what follows ./tutorial

    def __str__(self) -> str:
        return f"{self.place}: ./tutorial {' '.join(self.words)}"


def commands(text: str, place: str) -> list[Example]:
    """The commands of a text: those in its code blocks, indented or fenced, and between backticks.

    A remark begins after two spaces. A line with a placeholder, such as "…" or "<", shows a form
    and is not an example.
    """
    lines = text.split("\n")
    found = []
    for number, (line, fenced) in enumerate(zip(lines, fenced_lines(lines)), 1):
        if fenced or line.startswith("    ") or line.startswith("  ./"):
            stripped = line.strip().removeprefix("$ ")
            candidates = [stripped] if stripped.startswith("./tutorial ") else []
        else:
            candidates = _CODE.findall(line)
        for candidate in candidates:
            command = re.split(r"\s{2,}|\s#", candidate)[0]
            if not _PLACEHOLDER.search(command):
                # --play shows the same run in a browser, and waits for Ctrl-C.
                words = tuple(word for word in shlex.split(command)[1:] if word != "--play")
                found.append(Example(f"{place}:{number}", words))
    return found


def collect(root: Path = ROOT) -> list[Example]:
    """Every example of the texts and of the front door's help, each command once."""
    found = []
    for path in texts(root):
        found += commands(path.read_text(encoding="utf-8"), path.relative_to(root).as_posix())
    if (root / "tutorial").is_file():
        run = subprocess.run([str(root / "tutorial"), "--help"], capture_output=True, text=True, timeout=60)
        found += commands(run.stdout, "./tutorial --help")
    once: dict[tuple[str, ...], Example] = {}
    for example in found:
        once.setdefault(example.words, example)
    return list(once.values())


def wrong_names(example: Example, root: Path = ROOT) -> str:
    """Which chapter, exercise or file an example names that does not exist; empty if all exist."""
    for word in example.words[1:]:
        if "/" in word and word.endswith(".cu") and not word.startswith("~") and not (root / word).is_file():
            return f"there is no file {word}"
        match = re.fullmatch(r"(ch\d\d\w*|first)(?:/(ex\d+))?", word)
        if not match:
            continue
        try:
            folder = FIRST if match.group(1) == "first" else chapter(match.group(1), root)
        except DocsError as error:
            return str(error)
        if match.group(2) and not list((root / folder).glob(f"exercises/{match.group(2)}_*")):
            return f"{folder.name} has no exercise {match.group(2)}"
    return ""


def takes_multi_gpu(example: Example) -> bool:
    """Whether an example is one for several GPUs, whose program is built only if there is MPI."""
    return "--gpus" in example.words


def calls_program(example: Example) -> bool:
    """Whether an example is one of run or explain, not of another verb."""
    return bool(example.words) and example.words[0] in ("run", "explain")


def calls(example: Example, programs: Path, root: Path = ROOT) -> list[list[str]]:
    """The programs and arguments that an example of run or explain stands for; none for others."""
    if not calls_program(example):
        return []
    names, at = [], 1
    while at < len(example.words) and re.fullmatch(r"ch\d\d\w*", example.words[at]):
        names.append(chapter(example.words[at], root).name)
        at += 1
    options = [word for word in example.words[at:] if word not in ("--cpu", "--gpu")]
    kind = "cpu"
    if "--gpus" in options:  # one rank is enough: only the launcher depends on their number
        place = options.index("--gpus")
        del options[place : place + 2]
        kind = "multi_gpu_cpu"
    if example.words[0] == "explain":
        kind = "lab"
        if not {"--faults", "--explain"} & set(options):
            options.insert(0, "--explain")
    return [[str((programs / f"{name}_{kind}").resolve()), *options] for name in names]


def failure(call: list[str]) -> str:
    """Why a call does not work; empty if it does."""
    if not Path(call[0]).is_file():
        return f"{Path(call[0]).name} is not built"
    with tempfile.TemporaryDirectory() as folder:
        try:
            run = subprocess.run(call, cwd=folder, capture_output=True, text=True, timeout=SECONDS)
        except subprocess.TimeoutExpired:
            return f"it took more than {SECONDS} s"
    if run.returncode == 0:
        return ""
    last = (run.stderr.strip() or run.stdout.strip() or "it said nothing").split("\n")[-1]
    return f"exit code {run.returncode}: {last}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", type=Path, required=True, metavar="FOLDER")
    parser.add_argument("--without-multi-gpu", action="store_true", help="leave out those for several GPUs")
    parser.add_argument("--chapter", metavar="chNN", help="only examples of this chapter")
    arguments = parser.parse_args()
    failed = ran = 0
    chosen = [e for e in collect() if not arguments.chapter or arguments.chapter in e.words]
    today = todays_part([e for e in chosen if calls_program(e)], 3)
    for example in chosen:
        wrong = wrong_names(example)
        if calls_program(example) and example not in today and not wrong:
            continue
        if arguments.without_multi_gpu and takes_multi_gpu(example) and not wrong:
            print(f"left out  {example}: what runs on several GPUs is not built here", flush=True)
            continue
        for call in [] if wrong else calls(example, arguments.programs):
            start = time.monotonic()
            wrong = wrong or failure(call)
            ran += 1
            print(f"{time.monotonic() - start:6.1f} s  {example}", flush=True)
        if wrong:
            failed += 1
            print(f"{example}: {wrong}", file=sys.stderr, flush=True)
    print(f"{ran} calls, {failed} examples failed")
    if ran == 0:
        print("no example was run", file=sys.stderr)
    return 1 if failed or ran == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
