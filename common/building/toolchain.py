"""How a .cu file that is not a CMake target is compiled and linked: the commands, as CMake gives them.

common/cmake/toolchain.cmake writes what is needed into JSON files: build/*/grading.json for
exercises, build/*/programs.json for your own programs.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Sequence


@dataclass(frozen=True)
class Toolchain:
    """The commands of one kind: `cpu` (the emulator), `lab` (every access seen) or `cuda` (nvcc)."""

    kind: str
    source: Path  # the tutorial's folder
    compiler: str
    options: list[str]
    rewriter: list[str]  # of the emulator; empty: the compiler accepts CUDA as it is
    libraries: list[str]

    @property
    def is_clang(self) -> bool:
        """Whether this is clang with the lab's plugin for it."""
        return any(word.startswith("-fpass-plugin=") for word in self.options)

    @property
    def is_cuda(self) -> bool:
        return self.kind == "cuda"

    def rewrite(self, source: Path, rewritten: Path, copies: Path, more: Sequence[str] = ()) -> list[str] | None:
        """The command that turns CUDA C++ into C++; None if nvcc compiles the file as it is.

        Included files that must also be rewritten go to the folder `copies`.
        """
        if self.is_cuda:
            return None
        return [
            *self.rewriter,
            str(source),
            str(rewritten),
            "--source-root",
            str(self.source),
            "--copies",
            str(copies),
            *more,
        ]

    def rewriter_files(self) -> list[str]:
        """The rewriter's files: if any of them changes, its output is out of date."""
        if not self.rewriter:
            return []
        program = Path(self.rewriter[-1])
        return [str(program), *sorted(str(path) for path in program.parent.glob("rewriting/*.py"))]

    def compile(self, source: Path, program_object: Path, more: Sequence[str] = ()) -> list[str]:
        return [self.compiler, *self.options, *more, "-c", str(source), "-o", str(program_object)]

    def link(self, objects: Sequence[str], program: Path, more: Sequence[str] = ()) -> list[str]:
        options, libraries = [], self.libraries
        if self.is_cuda:
            options = [option for option in self.options if option.startswith(("-arch", "-gencode"))]
            # nvcc recognises a library only by .a and .so, not by names such as libfmt.so.9.
            libraries = [
                word for path in libraries for word in ([path] if path.endswith((".a", ".o")) else ["-Xlinker", path])
            ]
        return [self.compiler, *options, *objects, *more, *libraries, "-o", str(program)]


def members(kind: str, source: Path, entry: dict[str, Any]) -> dict[str, Any]:
    """The arguments of Toolchain, from an object in CMake's JSON."""
    return {
        "kind": kind,
        "source": source,
        "compiler": entry["compiler"],
        "options": entry["options"],
        "rewriter": [sys.executable, entry["rewrite"][-1]] if entry["rewrite"] else [],
        "libraries": entry["libraries"],
    }
