#!/usr/bin/env python3
"""Does each chapter have the same form? Checks the shape of a chapter's folder and of its code.

  - main.cu: the list of its stages, the includes with experiment.hpp among them, the host's versions, the stages in
    the order of the list, the table, main(). Only one header of fastest/ may be included further down.
  - main.cu includes the harness (../common/harness/), files next to it, and at most one header of fastest/.
  - Stages that are not in main.cu are the last of the list. Each has a file in fastest/, 12_name.cuh, with the list's
    number, so that ls shows them in the order of the list. Files without a number hold what several of them use.
  - If there is a folder fastest/, the stages of fastest.md are in it, and those of README.md in main.cu.
  - Every kernel of the program is in main.cu or in fastest/; library.cuh, ablations.cu, multi_gpu.cu and
    tests.cu may have kernels of their own.
  - main.cu has at most 950 lines, not counting the list of stages at its head, and its first kernel among the
    first 110. The body of a kernel has at most 60 lines.
  - The size of a warp is kWarpSize, not 32.
  - The folder holds what a reader looks for, and nothing else (FILES, FOLDERS, NEEDED).

Each breach is one line: FILE:LINE and what is wrong. Exit code: 0 none, 1 some, 2 there is no chapter.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path
from posixpath import normpath
from typing import NamedTuple

from includes import INCLUDE

ROOT = Path(__file__).resolve().parents[2]
MAX_LINES = 950
MAX_FIRST_KERNEL = 110
MAX_KERNEL = 60
NEEDED = ("main.cu", "experiment.hpp", "tests.cu", "runs.txt", "README.md")
HARNESS = "../common/harness/"
FILES = re.compile(r"(main|tests|ablations|multi_gpu)\.cu|library\.cuh|runs\.txt|\w+\.hpp|\w+(\.zh-Hant)?\.md")
FOLDERS = {"exercises", "solutions", "grading", "figures", "fastest"}
LISTED_STAGE = re.compile(r"//  [ \d]\d ([a-z]\w*) ")  # made by docs/tools/stage_list.py
NUMBERED = re.compile(r"(\d+)_(\w+)\.cuh")
STAGE_HEADING = re.compile(r"^## `(\w+)`", re.MULTILINE)
TABLE = re.compile(r"\bstages\(\)\s*\{")
# A shift by 32 bits, a template argument and the value of a constant are not warp sizes.
WARP = re.compile(
    r"[%/*]\s*32u?\b|\b32u?\s*[*/%]|(?<!<)<=?\s*32u?\b(?!\s*[,>])|(?<!>)>=?\s*32u?\b|[+-]=\s*32u?\b"
    r"|(?:==|[^&]&)\s*31u?\b|_sync\([^;]*,\s*31u?\)"
)
FASTEST = re.compile(r"\w+\.(cuh|md)")
MAY_HAVE_KERNELS = {"main.cu", "library.cuh", "ablations.cu", "multi_gpu.cu", "tests.cu"}

OPAQUE = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.DOTALL)
# A definition: a declaration ends with a semicolon before any brace.
KERNEL = re.compile(r"\b__global__\b(?P<head>[^;{]*)\{")
BOUNDS = re.compile(r"__launch_bounds__\s*\((?:[^()]|\([^()]*\))*\)")


class Kernel(NamedTuple):
    line: int  # of __global__
    name: str
    length: int  # lines between its braces


def without_comments(source: str) -> str:
    """The source with comments and strings blanked; every line keeps its number."""
    return OPAQUE.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), source)


def line_at(source: str, offset: int) -> int:
    return source.count("\n", 0, offset) + 1


def kernels_of(source: str) -> list[Kernel]:
    """The kernels that a source defines."""
    code = without_comments(source)
    found = []
    for match in KERNEL.finditer(code):
        name = re.search(r"(\w+)\s*\(", BOUNDS.sub(" ", match["head"]))
        end, depth = match.end(), 1
        while end < len(code) and depth > 0:
            depth += {"{": 1, "}": -1}.get(code[end], 0)
            end += 1
        length = max(0, code.count("\n", match.end(), end) - 1)
        found.append(Kernel(line_at(code, match.start()), name.group(1) if name else "?", length))
    return found


def listed_stages(main: str) -> list[str]:
    """The names of the stages in the list at the head of a main.cu."""
    head = main.partition("\n#include")[0]
    return [found[1] for line in head.splitlines() if (found := LISTED_STAGE.match(line))]


def stage_comment(source: str, name: str) -> int:
    """The line of the comment "// name: …" at the left margin; 0 if there is none."""
    found = re.search(rf"^// {re.escape(name)}: ", source, re.MULTILINE)
    return line_at(source, found.start()) if found else 0


def wrong_order(main: str) -> list[tuple[int, str]]:
    """(line, what is wrong) with the order of a main.cu."""
    code = without_comments(main)
    wrong = []
    lines = code.splitlines()
    first = next((n for n, text in enumerate(lines, 1) if text.strip() and not text.lstrip().startswith("#")), 0)
    included = {}
    for number, text in enumerate(main.splitlines(), 1):
        if (match := INCLUDE.match(text)) and match[1] is not None:
            included[normpath(match[1])] = number
    for path, number in included.items():
        if number > first and not path.startswith("fastest/"):
            wrong.append(
                (number, f'includes "{path}" after the first line of code: only a header of fastest/ may come later')
            )
    if "experiment.hpp" not in included:
        wrong.append((1, "does not include experiment.hpp at its head"))
    stages = listed_stages(main)
    if not stages:
        return [*wrong, (1, "has no list of stages at its head: docs/tools/README.md says how it is made")]
    at = [(stage_comment(main, name), name) for name in stages]
    here = [(line, name) for line, name in at if line]
    for (above, one), (below, other) in zip(here, here[1:]):
        if below < above:
            wrong.append((below, f"{other} is above {one}, which comes before it in the list of stages"))
    elsewhere = [name for line, name in at if not line]
    for line, name in here:
        if elsewhere and stages.index(name) > stages.index(elsewhere[0]):
            words = f"{name} is here, but {elsewhere[0]}, which comes before it in the list, is not"
            wrong.append((line, words))
    table = TABLE.search(code)
    if table is None:
        return [*wrong, (1, "has no table: a function stages()")]
    rows = line_at(code, table.start())
    wrong += [
        (kernel.line, f"{kernel.name}: a kernel below the table") for kernel in kernels_of(main) if kernel.line > rows
    ]
    wrong += [(line, f"{name}: a stage below the table") for line, name in here if line > rows]
    begin = re.search(r"^int main\(", code, re.MULTILINE)
    if begin is None or line_at(code, begin.start()) < rows:
        wrong.append((rows, "main() does not follow the table"))
    elif re.search(r"^\}\s*\S", code[begin.start() :], re.MULTILINE):
        wrong.append((line_at(code, begin.start()), "main() is not the last of the file"))
    for name in re.findall(r'\{\{"(\w+)",[^{}]*RowKind::host', main):
        found = re.search(rf"^[^\n;=]*\b{name}\(", code, re.MULTILINE)
        if found and here and line_at(code, found.start()) > here[0][0]:
            wrong.append((line_at(code, found.start()), f"{name}: a host's version is below the first stage"))
    return wrong


def wrong_fastest(folder: Path, main: str) -> list[str]:
    """What is wrong with the files of fastest/: a stage that is not in main.cu has one, and they are in its order."""
    files = sorted(path.name for path in folder.glob("fastest/*.cuh"))
    numbered = [(file, found[2]) for file in files if (found := NUMBERED.fullmatch(file))]
    stages = listed_stages(main)
    wanted = [name for name in stages if not stage_comment(main, name)]
    there = [name for _, name in numbered]
    wrong = [f"fastest/: has no file of {name}, which is not in main.cu" for name in wanted if name not in there]
    wrong += [
        f"fastest/{file}: there is no such stage, or it is in main.cu" for file, name in numbered if name not in wanted
    ]
    if not wrong and there != wanted:
        wrong.append(
            f"fastest/: its files are in the order {', '.join(there)}; the list of stages has {', '.join(wanted)}"
        )
    elif not wrong:
        wrong += [
            f"fastest/{file}: {name} is stage {stages.index(name) + 1} of the list"
            for file, name in numbered
            if int(file.partition("_")[0]) != stages.index(name) + 1
        ]
    page = folder / "fastest.md"
    if files and page.is_file():
        wrong += [
            f"main.cu:{line}: {name} is described in fastest.md, so its code belongs in fastest/"
            for name in STAGE_HEADING.findall(page.read_text(encoding="utf-8"))
            if (line := stage_comment(main, name))
        ]
    for file, name in numbered:
        if not stage_comment((folder / "fastest" / file).read_text(encoding="utf-8"), name):
            wrong.append(f'fastest/{file}: has no comment "// {name}: …"')
    return wrong


def wrong_code(name: str, source: str) -> list[str]:
    """What is wrong with the kernels of a main.cu or a header of fastest/, by its name."""
    wrong = [
        f"{name}:{kernel.line}: {kernel.name}: {kernel.length} lines are too many for a kernel: at most {MAX_KERNEL}"
        for kernel in kernels_of(source)
        if kernel.length > MAX_KERNEL
    ]
    for number, line in enumerate(without_comments(source).splitlines(), 1):
        if WARP.search(line):
            wrong.append(f"{name}:{number}: 32 for a warp: kWarpSize, or a constant that says what it is")
    return wrong


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
            words = "a main.cu includes the harness, files next to it and one header of fastest/"
            wrong.append((number, f'includes "{match[1]}": {words}'))
    wrong += [
        (number, f'includes "{path}" as well: only one header of fastest/ may be included')
        for number, path in fastest[1:]
    ]
    return wrong


def check_chapter(folder: Path) -> list[str]:
    """What is wrong with one chapter, each line without the chapter's name before it."""
    breaches = []
    for path in sorted(folder.iterdir()):
        name = path.name
        if name.startswith(".") or name == "__pycache__":
            continue
        if path.is_dir() and name not in FOLDERS:
            breaches.append(
                f"{name}/: a folder of this name does not belong in a chapter; allowed: {', '.join(sorted(FOLDERS))}"
            )
        elif path.is_file() and not FILES.fullmatch(name):
            where = "device code belongs in main.cu or in fastest/" if path.suffix == ".cuh" else "what is it for?"
            breaches.append(f"{name}: a file of this name does not belong in a chapter: {where}")
        if path.is_file() and path.suffix in (".cu", ".cuh", ".hpp", ".h") and name not in MAY_HAVE_KERNELS:
            breaches += [
                f"{name}:{kernel.line}: {kernel.name}: a kernel belongs in main.cu, or in fastest/"
                for kernel in kernels_of(path.read_text(encoding="utf-8"))
            ]
    for path in sorted(folder.glob("fastest/*")):
        if not FASTEST.fullmatch(path.name) and not path.name.startswith("."):
            breaches.append(f"fastest/{path.name}: fastest/ contains .cuh files, each for one thing")
    breaches += [f"{name}: is missing" for name in NEEDED if not (folder / name).is_file()]
    if not (folder / "main.cu").is_file():
        return breaches
    source = (folder / "main.cu").read_text(encoding="utf-8")
    breaches += [f"main.cu:{number}: {words}" for number, words in wrong_includes(source) + wrong_order(source)]
    breaches += wrong_fastest(folder, source)
    breaches += wrong_code("main.cu", source)
    for path in sorted(folder.glob("fastest/*.cuh")):
        breaches += wrong_code(f"fastest/{path.name}", path.read_text(encoding="utf-8"))
    first = next(iter(kernels_of(source)), None)
    if first and first.line > MAX_FIRST_KERNEL:
        words = f"{first.name}, the first kernel, comes too late: at line {MAX_FIRST_KERNEL} at the latest"
        breaches.append(f"main.cu:{first.line}: {words}")
    lines = sum(not LISTED_STAGE.match(line) for line in source.splitlines())
    if lines > MAX_LINES:
        breaches.append(f"main.cu: {lines} lines are too many for a main.cu: at most {MAX_LINES}")
    return breaches


def chapters(root: Path) -> list[Path]:
    return sorted(path for path in root.glob("ch[0-9][0-9]_*") if path.is_dir())


def check(root: Path) -> list[str]:
    """All breaches."""
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
