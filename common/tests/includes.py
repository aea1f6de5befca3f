#!/usr/bin/env python3
"""Which folder may include which: reads every #include and import, and holds the map of common/README.md.

A file belongs to one room, by its path, and RULES says which rooms it may include. In the harness, moreover, no two
parts may depend on each other, directly or through others (a part is a header and the source of the same name).
Python packages are layered, as PACKAGES says: building, grading, tutorial; and in grading its own.
Each breach is one line: FILE:LINE, what is included, and the rule. Exit code: 0 none, 1 some, 2 nothing to read.
"""

from __future__ import annotations

import argparse
import ast
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from posixpath import dirname, join, normpath

ROOT = Path(__file__).resolve().parents[2]
SUFFIXES = (".cu", ".cuh", ".hpp", ".h", ".cpp")
# Where an include is looked up, besides the folder of the file that includes it.
INCLUDE_FOLDERS = (
    "",
    "common/emulator/include",
    "common/emulator/nccl/include",
    "common/emulator/src",
    "common/emulator/wasm",
    "common/lab/include",
    "common/lab/src",
    "common/lab/wasm",
    "common/tutorial/tests/own/include",
)
INCLUDE = re.compile(r'\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)')

# A file's room is the first whose pattern matches its whole path.
ROOMS = {
    # <cuda_runtime.h>, <nccl.h>: they exist on a GPU as well.
    "CUDA's headers": r"common/emulator/(include/(?!emulator/).*|nccl/include/nccl\.h)",
    "the emulator's controls": r"common/emulator/(include/emulator/(counters|settings)|nccl/include/nccl_link_counts)"
    r"\.hpp",
    "the emulator's reports": r"common/emulator/include/emulator/report\.hpp",
    "the emulator's header for observers": r"common/emulator/include/emulator/for_observers\.hpp",
    "the emulator": r"common/emulator/.*",
    "the harness's backend": r"common/harness/(backend|multi_gpu/link_counts)\.cpp",
    "the harness": r"common/harness/.*",
    "the lab's header": r"common/lab/include/lab/lab\.hpp",
    "the lab's adapter": r"common/lab/chapter/.*",
    "the lab": r"common/lab/.*",
    "the grading library": r"common/grading/lib/.*",
    "the learner's process": r"common/grading/(worker|wasm)/.*",
    "grading's tests": r"common/grading/tests/.*",
    "the doctest main": r"common/tests/.*",
    "graders": r"(ch\d\d_\w+|docs/first_kernel)/grading/.*",
    "the first kernel": r"docs/first_kernel/.*",
    "the examples": r"docs/examples/.*",
    "programs of one's own": r"(common/tutorial/tests/own|docs/site/page_lab/tests/programs)/.*",
    "chapters": r"ch\d\d_\w+/.*",
}
OF_ONE_CHAPTER = {"chapters", "graders"}  # these include nothing of another chapter

CUDA = {"CUDA's headers"}
EMULATOR = CUDA | {
    "the emulator's controls",
    "the emulator's reports",
    "the emulator's header for observers",
    "the emulator",
}
HARNESS = {"the harness's backend", "the harness"}


@dataclass(frozen=True)
class Rule:
    may_include: set[str]  # rooms, besides its own
    words: str


_EMULATOR_RULE = Rule(EMULATOR, "the emulator includes nothing of the harness or the lab: it offers hooks")
RULES = {
    **{room: _EMULATOR_RULE for room in EMULATOR},
    "the harness's backend": Rule(
        HARNESS | CUDA | {"the emulator's controls"},
        "backend.cpp and multi_gpu/link_counts.cpp, the harness's way to the emulator, "
        "need its counts and settings only",
    ),
    "the harness": Rule(
        HARNESS | CUDA, "the harness includes nothing of chapters, the emulator's internals, the lab or grading"
    ),
    "the lab's header": Rule(set(), "the lab's header includes nothing: whoever includes it sees no more of the lab"),
    "the lab's adapter": Rule(
        HARNESS | CUDA | {"the lab's header", "the lab"},
        "the lab's adapter connects the lab and the harness, and includes nothing else",
    ),
    "the lab": Rule(
        CUDA | {"the emulator's header for observers", "the lab's header"},
        "the lab includes emulator/for_observers.hpp only; only common/lab/chapter/ includes the harness",
    ),
    "the grading library": Rule(
        HARNESS | CUDA | {"the emulator's reports", "the lab's header"},
        "of the lab, grading includes lab/lab.hpp only; of the emulator, emulator/report.hpp only",
    ),
    "the learner's process": Rule(
        HARNESS | CUDA | {"the grading library", "the emulator"},
        "the learner's process includes the grading library and the emulator's hooks",
    ),
    "grading's tests": Rule(
        HARNESS | CUDA | {"the grading library"},
        "grading's tests include what graders may include",
    ),
    "the doctest main": Rule(set(), "the tests' main() needs doctest and nothing of this repository"),
    "programs of one's own": Rule(CUDA, "programs of one's own include nothing of the tutorial"),
    "the first kernel": Rule(CUDA, "the first kernel needs CUDA and nothing of this repository"),
    "the examples": Rule(CUDA, "the examples need CUDA and nothing of this repository"),
    "graders": Rule(
        HARNESS | CUDA | {"the grading library", "chapters"},
        "a grader includes its own chapter, the harness and the grading library",
    ),
    "chapters": Rule(HARNESS | CUDA, "a chapter includes its own files and the harness only"),
}

# Python packages below common/, and the packages that each may import besides itself. The longest name of a file's
# folder counts; tests and programs that stand alone may import anything.
PACKAGES: dict[str, set[str]] = {
    "building": set(),
    "grading": {"building"},
    "grading.process": set(),
    "grading.files": set(),
    "grading.rules": {"grading.files"},
    "grading.check": {"building", "grading.files", "grading.process", "grading.rules"},
    "grading.course": {"building", "grading.check", "grading.files", "grading.process", "grading.rules"},
    "grading.authoring": {"building", "grading.check", "grading.files", "grading.process", "grading.rules"},
    "tutorial": {"building", "grading.check", "grading.course", "grading.files"},
}
FOR_ALL = {"grading.grading_error"}
BESIDE = ("tests", "bench", "authoring/write_functions.py", "grading/__main__.py")  # what may import any of them


def room_of(path: str) -> str | None:
    return next((room for room, pattern in ROOMS.items() if re.fullmatch(pattern, path)), None)


def sources(root: Path) -> list[str]:
    """All C++ and CUDA files of the rooms."""
    found: list[str] = []
    for top in [root / "common", root / "docs", *root.glob("ch[0-9][0-9]_*")]:
        found += [path.relative_to(root).as_posix() for path in top.rglob("*") if path.suffix in SUFFIXES]
    return sorted(found)


@dataclass(frozen=True)
class Include:
    line: int
    written: str  # as written between the quotes or brackets
    quoted: bool
    path: str | None  # the file of the repository; None: a library's


def includes_of(root: Path, source: str) -> list[Include]:
    found = []
    text = (root / source).read_text(encoding="utf-8")
    for number, line in enumerate(text.splitlines(), 1):
        match = INCLUDE.match(line)
        if not match:
            continue
        quoted = match[1] is not None
        written = match[1] or match[2]
        folders = ((dirname(source),) if quoted else ()) + INCLUDE_FOLDERS
        candidates = (normpath(join(folder, written)) for folder in folders)
        found.append(Include(number, written, quoted, next((c for c in candidates if (root / c).is_file()), None)))
    return found


def forbidden(root: Path, source: str) -> list[str]:
    """The includes of one file that the rule for its folder does not allow."""
    room = room_of(source)
    if room is None:
        return [f"{source}: belongs to no room: give its folder one in ROOMS of common/tests/includes.py"]
    rule = RULES[room]
    breaches = []
    for each in includes_of(root, source):
        where = f'{source}:{each.line}: includes "{each.written}"'
        if each.path is None:
            if each.quoted and not each.written.endswith(".inc"):  # .inc: written by CMake
                breaches.append(f"{where}, which is not a file of the repository")
            continue
        other = room_of(each.path)
        allowed = other == room or other in rule.may_include
        if room in OF_ONE_CHAPTER and other in OF_ONE_CHAPTER:
            allowed = allowed and source.split("/")[0] == each.path.split("/")[0]
        if not allowed:
            breaches.append(f"{where} ({other}): {rule.words}")
    return breaches


def part_of(path: str) -> str:
    return path.rsplit("/", 1)[1].split(".")[0]


def circles(root: Path, folder: str = "common/harness") -> list[str]:
    """Parts of the harness that depend on each other: one line for each include that closes a cycle."""
    needs: dict[str, dict[str, str]] = {}  # part -> part -> where
    for source in sources(root):
        if dirname(source) != folder:
            continue
        for each in includes_of(root, source):
            if each.path and dirname(each.path) == folder and part_of(each.path) != part_of(source):
                needs.setdefault(part_of(source), {}).setdefault(part_of(each.path), f"{source}:{each.line}")

    found: list[str] = []
    finished: set[str] = set()

    def visit(part: str, way: list[str]) -> None:
        for other, where in needs.get(part, {}).items():
            if other in way:
                circle = " -> ".join([*way[way.index(other) :], other])
                found.append(f"{where}: closes a circle ({circle}): no two parts of the harness need each other")
            elif other not in finished:
                visit(other, [*way, other])
        finished.add(part)

    for part in sorted(needs):
        if part not in finished:
            visit(part, [part])
    return found


def package_of(module: str) -> str | None:
    """The package of PACKAGES that a module (grading.check.attempt) belongs to."""
    parts = module.split(".")
    names = (".".join(parts[:end]) for end in range(len(parts), 0, -1))
    return next((name for name in names if name in PACKAGES), None)


def modules_of(root: Path) -> list[str]:
    """All Python files of the packages, except those that may import anything."""
    tops = sorted({name.split(".")[0] for name in PACKAGES})
    paths = [path.relative_to(root).as_posix() for top in tops for path in (root / "common" / top).rglob("*.py")]
    return sorted(path for path in paths if not any(f"/{each}" in path for each in BESIDE))


def imports_of(root: Path, source: str) -> list[tuple[int, str]]:
    """The modules that a file imports, each with its line; from x import y may mean the module x.y."""
    package = dirname(source).removeprefix("common/").replace("/", ".").split(".")
    found: list[tuple[int, str]] = []
    for node in ast.walk(ast.parse((root / source).read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found += [(node.lineno, each.name) for each in node.names]
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else []
            module = ".".join([*above, *([node.module] if node.module else [])])
            found += [(node.lineno, f"{module}.{each.name}") for each in node.names]
    return sorted(found)


def forbidden_imports(root: Path, source: str) -> list[str]:
    """The imports of one Python file that its package may not have."""
    own = package_of(source.removeprefix("common/").removesuffix(".py").replace("/", "."))
    assert own is not None
    breaches = []
    for line, module in imports_of(root, source):
        other = package_of(module)
        if other is None or other == own or other in PACKAGES[own] or any(module.startswith(each) for each in FOR_ALL):
            continue
        allowed = ", ".join(sorted(PACKAGES[own])) or "none of the others"
        breaches.append(f"{source}:{line}: imports {module} ({other}): {own} may import {allowed}")
    return breaches


def check(root: Path) -> list[str]:
    breaches = [breach for source in sources(root) for breach in forbidden(root, source)] + circles(root)
    return breaches + [breach for source in modules_of(root) for breach in forbidden_imports(root, source)]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root", nargs="?", type=Path, default=ROOT, help="the repository; default: this one")
    root = parser.parse_args().root
    files = sources(root)
    if not files:
        print(f"includes: there are no C++ or CUDA files in {root}", file=sys.stderr)
        return 2
    empty = sorted(set(ROOMS) - {room_of(source) for source in files})
    if root == ROOT and empty:
        print(f"includes: no file was found of {', '.join(empty)}: has its folder moved?", file=sys.stderr)
        return 2
    breaches = check(root)
    count = len(files) + len(modules_of(root))
    print("\n".join(breaches) if breaches else f"{count} files include what they may.")
    return 1 if breaches else 0


if __name__ == "__main__":
    sys.exit(main())
