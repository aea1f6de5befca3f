#!/usr/bin/env python3
"""Writes build/compile_commands.json, which tells clangd and editors how each file is compiled.

The .cpp files are those of the newest build folder that has a compile_commands.json (CMake writes it with
-DCMAKE_EXPORT_COMPILE_COMMANDS=ON). The .cu files are all of them, exercises included, read as CUDA against
the emulator's headers: so an editor shows the file that people edit, not the rewritten copy that is compiled,
and the same on a machine without the CUDA toolkit.
"""

from __future__ import annotations

import itertools
import json
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("ch[0-9][0-9]_*", "docs/*", "common/harness", "common/lab", "common/emulator/tests")


def cuda_files(root: Path) -> list[Path]:
    found: set[Path] = set()
    for folder in FOLDERS:
        for suffix in (".cu", ".cuh"):
            found.update(root.glob(f"{folder}/**/*{suffix}"))
    return sorted(found)


def cuda_entry(file: Path, root: Path) -> dict[str, object]:
    emulator = root / "common" / "emulator"
    return {
        "directory": str(root),
        "file": str(file),
        "arguments": [
            *("clang++", "-x", "cuda", "--cuda-host-only", "-nocudainc", "-nocudalib", "-std=c++17"),
            *(f"-I{emulator / 'include'}", f"-I{root / 'common' / 'lab' / 'include'}", f"-I{file.parent}", f"-I{root}"),
            *("-include", str(emulator / "for_editors.hpp"), "-Wno-unknown-pragmas", "-Wno-pragma-once-outside-header"),
            *("-c", str(file)),
        ],
    }


def separately(entry: dict[str, str]) -> list[dict[str, str]]:
    """Turns the entry of a file that CMake made to compile several at a time (UNITY_BUILD) into one entry for each."""
    joined = Path(entry["file"])
    if joined.parent.name != "Unity" or not joined.is_file():
        return [entry]
    sources = re.findall(r'^#include "(.+)"$', joined.read_text(encoding="utf-8"), re.MULTILINE)
    return [entry | {"file": source, "command": entry["command"].replace(str(joined), source)} for source in sources]


def host_entries(build: Path, root: Path) -> list[dict[str, str]]:
    """CMake's entries, except those of rewritten copies and those of nvcc."""
    file = build / "compile_commands.json"
    if not file.is_file():
        return []
    entries = json.loads(file.read_text(encoding="utf-8"))
    kept: dict[Path, dict[str, str]] = {}
    for entry in itertools.chain.from_iterable(map(separately, entries)):
        source = Path(entry["file"])
        if source.suffix != ".cpp" or root / "build" in source.parents:
            continue
        if "-std=" not in entry["command"]:  # g++'s own is C++17, clangd's is older
            entry["command"] = entry["command"].replace(" ", " -std=c++17 ", 1)
        kept.setdefault(source, entry)
    return list(kept.values())


def main() -> int:
    builds = sorted((ROOT / "build").glob("*/compile_commands.json"), key=lambda path: path.stat().st_mtime)
    entries: list[object] = [*host_entries(builds[-1].parent, ROOT)] if builds else []
    entries += [cuda_entry(file, ROOT) for file in cuda_files(ROOT)]
    target = ROOT / "build" / "compile_commands.json"
    target.parent.mkdir(exist_ok=True)
    target.write_text(json.dumps(entries, indent=1) + "\n", encoding="utf-8")
    note = "" if builds else "; .cpp files come with the first ./tutorial run"
    print(f"{target.relative_to(ROOT)}: {len(entries)} files{note}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
