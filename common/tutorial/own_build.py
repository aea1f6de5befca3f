"""Compiles and links a program of your own.

Each file is compiled separately and kept below build/, so that a second call compiles only what has changed.
CMake has written the details into programs.json; toolchain.py turns them into commands.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Sequence

from grading.check import diagnostics

from building import lock
from building.build import Build, processors
from building.errors import MISSING, WRONG, Refused
from building.toolchain import Toolchain, members

from .own_request import Request, Source

OF_THE_LINKER_TOO = ("-fopenmp", "-pthread")  # and for nvcc: -Xcompiler=-fopenmp
SCHEMA = "tutorial-programs-1"


def kinds(folder: Path) -> list[str]:
    """What programs can be made for in this build folder: some of cpu, count, faults and cuda."""
    text = json.loads((folder / "programs.json").read_text(encoding="utf-8"))
    return list(text["kinds"])


def _toolchain(build: Build, kind: str) -> tuple[Toolchain, str]:
    """How to compile for a kind (cpu, count, faults or cuda), and CMake's target that must be built for it."""
    file = build.folder / "programs.json"
    text = json.loads(file.read_text(encoding="utf-8"))
    if text.get("schema") != SCHEMA or kind not in text["kinds"]:
        raise Refused(MISSING, f"{file} has no entry for '{kind}': run ./tutorial clean, then the same command again")
    entry = text["kinds"][kind]
    return Toolchain(**members(entry["toolchain"], Path(text["source"]), entry)), entry["target"]


class OwnProgram:
    """A program for one kind, and what is kept about it between two calls."""

    def __init__(self, request: Request, build: Build, kind: str, out):
        self.request, self.build, self.kind, self.out = request, build, kind, out
        self.toolchain, self.target = _toolchain(build, kind)
        options = list(request.compiler_options)
        if any(option.startswith(("-std", "--std")) for option in options):
            # nvcc accepts only one language standard.
            kept = [option for option in self.toolchain.options if not option.startswith("-std")]
            self.toolchain = replace(self.toolchain, options=kept)
        self.options = options
        key = "\0".join([kind, *(str(source.path) for source in request.sources), *options])
        digest = hashlib.sha256(key.encode("utf-8", "surrogateescape")).hexdigest()[:12]
        self.folder = build.folder / "own" / f"{request.sources[0].path.stem}-{digest}"
        self.program = self.folder / request.sources[0].path.stem
        self.warnings = ""  # the compiler's, once it is made

    def make(self) -> Path:
        """The program, compiled if something has changed. Refused if it does not compile."""
        if self.target:
            self.build.make([self.target])
        with lock.held(self.folder, self.out):
            self.folder.mkdir(parents=True, exist_ok=True)
            with ThreadPoolExecutor(processors()) as pool:
                made = list(pool.map(self._object, range(len(self.request.sources)), self.request.sources))
            objects = [str(program_object) for program_object, _ in made]
            self.warnings = "".join(_said(Path(each).with_suffix(".json")) for each in objects)
            more = [option for option in self.options if option.endswith(OF_THE_LINKER_TOO)]
            command = self.toolchain.link(objects, self.program, [*more, *self.request.link_options])
            inputs = [*objects, *(word for word in command if word.startswith("/") and Path(word).is_file())]
            stamp = self.folder / "link.json"
            if any(fresh for _, fresh in made) or not _is_made(stamp, [command]):
                self._link(command)
                _keep(stamp, [command], inputs)
        return self.program

    def _object(self, number: int, source: Source) -> tuple[Path, bool]:
        """The object of a source, and whether it was compiled just now."""
        stem = self.folder / f"{number}_{source.path.name}"
        program_object, stamp = Path(f"{stem}.o"), Path(f"{stem}.json")
        depends, compiled, commands = [Path(f"{stem}.d")], source.path, []
        options = list(self.options)
        environment: list[str] = []
        if self.toolchain.is_cuda:
            environment, options = _without_apostrophes(options)
        else:
            # Files included with quotes are found next to the source, wherever that is copied; not those included
            # with <...>: a learner's own file may be named new or string.
            options += ["-iquote", str(source.path.parent)]
        if self.kind == "faults":  # a variable that stays in a register is not seen while the program runs
            options.append("-Wuninitialized" if self.toolchain.is_clang else "-Wmaybe-uninitialized")
        if source.is_cuda and not self.toolchain.is_cuda:
            compiled = Path(f"{stem}.cpp")
            depends.append(Path(f"{stem}.rewritten.d"))
            folders = [word for option in self.options if option.startswith("-I") for word in ("-I", option[2:])]
            rewrite = self.toolchain.rewrite(
                source.path, compiled, self.folder / "copies", ["--depfile", str(depends[1]), *folders]
            )
            if rewrite:
                commands.append(rewrite)
        compile_command = self.toolchain.compile(compiled, program_object, options)
        commands.append([*environment, *compile_command, "-MD", "-MF", str(depends[0])])
        if _is_made(stamp, commands) and program_object.is_file():
            print(_said(stamp), end="", file=sys.stderr)
            return program_object, False
        said = "".join([self._compile(command, source) for command in commands])
        print(said, end="", file=sys.stderr)
        read = {path for depend in depends for path in _names(depend)}
        if source.is_cuda:
            read.update(self.toolchain.rewriter_files())
        _keep(stamp, commands, sorted(path for path in read if not path.startswith(str(self.folder))), said)
        return program_object, True

    def _compile(self, command: list[str], source: Source) -> str:
        """What the compiler warns of. Refused, with its errors, if it does not compile."""
        run = _said_by(command)
        if run.returncode == 0:
            return self._as_typed(run.stdout) if run.stdout.strip() else ""
        if command[:1] == self.toolchain.rewriter[:1]:
            said = run.stdout
        else:
            said = diagnostics.of_compiler(run.stdout, source.path, str(source.path))
        print(self._as_typed(said).rstrip(), file=sys.stderr)
        raise Refused(WRONG, f"{source.shown} does not compile")

    def _link(self, command: list[str]) -> None:
        run = _said_by(command)
        if run.returncode:
            raise Refused(WRONG, f"{self.request.name} does not link: {_why_not_linked(run.stdout, self.request)}")

    def _as_typed(self, text: str) -> str:
        """Replaces the names of copies by the names that were given."""
        for source in self.request.sources:
            text = text.replace(str(source.path), source.shown)
        return text


def _without_apostrophes(options: list[str]) -> tuple[list[str], list[str]]:
    """nvcc ignores -I of a folder whose path has an apostrophe, and does not say so: such folders go into the
    environment. Returns what comes before the compiler's name, and the other options."""
    lost = [option for option in options if option.startswith("-I") and "'" in option]
    if not lost:
        return [], options
    paths = [*(option[2:] for option in lost), *filter(None, [os.environ.get("CPATH")])]
    return ["env", "CPATH=" + os.pathsep.join(paths)], [option for option in options if option not in lost]


def _said_by(command: list[str]) -> subprocess.CompletedProcess[str]:
    """Runs a compiler or linker; returns its output and its errors as one text."""
    return subprocess.run(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        check=False,
    )


def _why_not_linked(output: str, request: Request) -> str:
    missing = diagnostics.undefined(output)
    if "main" in missing:
        return "there is no main() in it" + (
            "; an exercise is graded instead: ./tutorial check" if "/exercises/" in str(request.sources[0].path) else ""
        )
    if any(name.startswith(("tutorial::", "grading::")) for name in missing):
        return "it uses the tutorial's harness, which only chapters are linked with: ./tutorial run ch01"
    if any(name.startswith(("GOMP_", "omp_", "__kmpc_")) for name in missing):
        return "it uses OpenMP: --compile-option -fopenmp, or with nvcc --compile-option -Xcompiler=-fopenmp"
    if missing:
        return f"{missing[0]} is not defined; also name the file that defines it"
    twice = diagnostics.defined_twice(output)
    if twice:
        return f"{twice[0]} is defined twice; name only one file with a main()"
    return "\n" + output.strip()


def _names(depfile: Path) -> list[str]:
    """The files that a depfile names after its colon."""
    try:
        text = depfile.read_text(encoding="utf-8", errors="surrogateescape")
    except FileNotFoundError:
        return []
    _, _, names = text.replace("\\\n", " ").partition(": ")
    unescaped = names.replace("\\ ", "\0").replace("\\#", "#").replace("$$", "$")
    return [name.replace("\0", " ") for name in unescaped.split()]


def _state(path: str) -> list[int] | None:
    try:
        status = os.stat(path)
    except OSError:
        return None
    return [status.st_mtime_ns, status.st_size]


def _is_made(stamp: Path, commands: list[list[str]]) -> bool:
    """Whether the same commands were run before, on files that have not changed since."""
    try:
        kept = json.loads(stamp.read_text(encoding="utf-8"))
        return kept["commands"] == commands and all(_state(path) == state for path, state in kept["read"].items())
    except (OSError, ValueError, KeyError):
        return False


def _keep(stamp: Path, commands: list[list[str]], read: Sequence[str], said: str = "") -> None:
    kept = {"commands": commands, "read": {path: _state(path) for path in read}, "said": said}
    stamp.write_text(json.dumps(kept), encoding="utf-8")


def _said(stamp: Path) -> str:
    """The warnings that came when this was made: they are shown again at each run."""
    return str(json.loads(stamp.read_text(encoding="utf-8")).get("said", ""))
