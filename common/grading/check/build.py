"""Compiles an attempt and links it with its exercise's grader, as CMake gives them in grading.json."""

from __future__ import annotations

import contextlib
import hashlib
import json
import re
import subprocess
import sys
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Callable, Sequence, Tuple

from building import lock, packages, progress
from building.build import errors_of
from building.toolchain import Toolchain, members

from ..grading_error import GradingError

# Prepares a build folder: which one, and whether to do without a GPU. Called once, when one is needed.
Prepare = Callable[[], Tuple[Path, bool]]

SCHEMA = "tutorial-grading-1"
_EVERYBODYS = ("common/emulator/include/cuda_runtime.h", "common/harness/cuda_check.hpp")


@dataclass(frozen=True)
class Backend(Toolchain):
    """How to compile for one kind: `lab`, `cpu` (the emulator without the lab) or `cuda`."""

    graders: dict[str, list[str]]  # by exercise: CMake's target, then the objects that are linked with an attempt
    judges: dict[str, str] = field(default_factory=dict)  # by exercise: the program that questions the attempt
    precompiled: Path | None = None  # headers that nearly every exercise includes

    def compile_attempt(self, source: Path, chapter: Path, program_object: Path) -> list[str]:
        command = self.compile(source, program_object, [f"-I{chapter}", f"-I{self.source}"])
        # Before all other includes: only there does a compiler use precompiled headers.
        return [command[0], *(["-include", str(self.precompiled)] if self.precompiled else []), *command[1:]]

    def rewrite(self, source: Path, rewritten: Path, copies: Path, more: Sequence[str] = ()) -> list[str] | None:
        """Like Toolchain.rewrite(), but with a Python that has already compiled the rewriter."""
        command = super().rewrite(source, rewritten, copies, more)
        if command is None or self.precompiled is None:
            return command
        return [command[0], *_python_options(self.precompiled.parent), *command[1:]]

    def link_attempt(self, exercise_id: str, program_object: Path, program: Path) -> list[str]:
        others = self.grader(exercise_id)[1:]
        # If two objects define the same inline function, the linker takes the first one's. In one program that should
        # be the grader's; if the judge is a separate program, the attempt's, in which the lab sees every access.
        objects = [str(program_object), *others] if self.judge(exercise_id) else [*others, str(program_object)]
        return self.link(objects, program)

    def grader(self, exercise_id: str) -> list[str]:
        if exercise_id not in self.graders:
            raise GradingError(f"{exercise_id} has no grader in this build: run CMake again")
        return self.graders[exercise_id]

    def judge(self, exercise_id: str) -> str:
        """The program that judges what the attempt's program does; empty: the attempt's program does it itself."""
        self.grader(exercise_id)
        return self.judges.get(exercise_id, "")

    def inputs(self, exercise_id: str) -> list[Path]:
        """Every file that a verdict depends on."""
        judge = self.judge(exercise_id)
        return [*self.link_inputs(exercise_id), *([Path(judge)] if judge else [])]

    def link_inputs(self, exercise_id: str) -> list[Path]:
        """Every file that is linked with an attempt."""
        return [Path(p) for p in [*self.grader(exercise_id)[1:], *self.libraries] if p.startswith("/")]


@dataclass(frozen=True)
class Build:
    """A build folder that CMake has configured."""

    folder: Path
    gpu: bool  # was a GPU seen?
    backends: dict[str, Backend]

    def make(self, exercise_ids: list[str], kinds: list[str], jobs: int) -> None:
        """Builds the graders of these exercises, and the library."""
        targets = [f"grading_{kind}" for kind in kinds]
        targets += [self.backends[kind].grader(name)[0] for kind in kinds for name in exercise_ids]
        if "lab" in kinds:
            targets.append("lab_built")
        command = ["cmake", "--build", str(self.folder), "--parallel", str(jobs), "--target", *targets]
        what, log = "Building the graders (slow only the first time)", self.folder / "build.log"
        with lock.held(self.folder):
            code = progress.run_logged(command, log, what, progress.of_ninja_or_make)
        if code:
            print(errors_of(log.read_text(encoding="utf-8", errors="replace")), file=sys.stderr)
            raise GradingError(f"the graders could not be built; the compiler's output is in {log}")

    def kinds(self, no_gpu: bool) -> tuple[list[str], str]:
        """The kinds to grade for, the emulator first because it explains more; and what is not checked."""
        kinds = [kind for kind in ("lab", "cpu") if kind in self.backends]
        if "cuda" in self.backends and self.gpu and not no_gpu:
            kinds.append("cuda")
        if not kinds:
            raise GradingError(
                f"{self.folder} cannot run anything: there is no GPU, and it was built without the emulator"
            )
        if "lab" in kinds:
            return kinds, ""
        return kinds, (
            "Graded without the lab: races, accesses out of bounds and counts are not checked. "
            f"The lab needs {packages.needs_of_lab()}."
        )

    def headers(self) -> Path:
        """The folder of precompiled headers."""
        folder = self.folder / "grading-headers"
        folder.mkdir(exist_ok=True)
        return folder

    def precompile(self) -> Build:
        """The same build, whose compilers read the headers of every exercise once instead of once per attempt."""
        return replace(self, backends={kind: self._precompiled(each) for kind, each in self.backends.items()})

    def _precompiled(self, backend: Backend) -> Backend:
        if backend.kind != "lab":  # g++; other compilers do this differently
            return backend
        path = self.headers() / "attempt.hpp"
        headers = [backend.source / header for header in _EVERYBODYS]
        text = "".join(f'#include "{header}"\n' for header in headers)
        depends = sorted(p for header in headers for p in header.parent.rglob("*.h*"))
        named = (re.match(r"-(?:fplugin=|include)(.+)", word) for word in backend.options)
        depends += [Path(found[1]) for found in named if found]
        depends += sorted(Path(backend.rewriter[-1]).parent.glob("**/*.py"))
        key = hashlib.sha256("\0".join([backend.compiler, *backend.options, text]).encode())
        for each in depends:
            with contextlib.suppress(OSError):
                key.update(f"{each} {each.stat().st_mtime_ns} {each.stat().st_size}".encode())
        made = path.with_suffix(".hpp.gch")
        mark = path.with_suffix(".key")
        try:
            with lock.held(self.folder):
                if not (made.exists() and mark.exists() and mark.read_text("ascii") == key.hexdigest()):
                    made.unlink(missing_ok=True)
                    path.write_text(text, encoding="utf-8")
                    command = [backend.compiler, *backend.options, "-x", "c++-header", str(path), "-o", str(made)]
                    if subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode:
                        return backend  # it only costs time
                    program = Path(backend.rewriter[-1])
                    python = [sys.executable, *_python_options(path.parent)]
                    again = [*python, "-m", "compileall", "-q", str(program.parent)]
                    subprocess.run(again, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                    mark.write_text(key.hexdigest(), "ascii")
        except OSError:
            return backend
        return replace(backend, precompiled=path)


def _python_options(headers: Path) -> list[str]:
    """For a Python that uses only its own library and keeps its bytecode in the folder `headers`."""
    return ["-S", "-E", "-X", f"pycache_prefix={headers / 'python'}"]


def load(folder: Path) -> Build:
    """Reads the build folder's grading.json; GradingError if there is none."""
    path = folder / "grading.json"
    try:
        text = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, json.JSONDecodeError):
        raise GradingError(f"{path} is missing or incomplete: run cmake --preset cpu, or ./tutorial check") from None
    if text.get("schema") != SCHEMA:
        raise GradingError(f"{path} does not have the schema {SCHEMA}: run CMake again")
    source = Path(text["source"])
    backends = {
        kind: Backend(
            **members(kind, source, {**entry, "options": entry["options"] + entry["warnings"]}),
            graders=entry["graders"],
            judges=entry["judges"],
        )
        for kind, entry in text["kinds"].items()
    }
    return Build(folder, text["gpu"], backends)
