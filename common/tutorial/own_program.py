"""Programs of one's own: any .cu files, in any folder, run on the GPU or the emulator, and explained.

Each file is compiled by itself and kept below build/, so that a second call compiles only what has
changed. How, CMake has written into programs.json; toolchain.py makes commands of it.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import os
import re
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Sequence

from grading.check import diagnostics

from building import backend, lock, packages
from building.build import Build, processors
from building.errors import MISSING, USAGE, WRONG, Refused
from building.repository import ROOT
from building.toolchain import Toolchain, members

from . import programs, targets
from .arguments import wants_help

FIRST = ROOT / "docs" / "first_kernel" / "main.cu"  # "./tutorial run first"
CUDA_SUFFIXES = (".cu",)
HOST_SUFFIXES = (".cpp", ".cc", ".cxx")
HEADER_SUFFIXES = (".cuh", ".h", ".hpp", ".hxx")
ORDERS = ("forward", "reverse", "shuffle")
OF_THE_COMPILER = re.compile(r"-(?:[DU]\w|O[0-3sg]?$|std=|[fmW][a-z]|gencode|arch|lineinfo|pthread|Xcompiler)")
OF_THE_LINKER_TOO = ("-fopenmp", "-pthread")  # and for nvcc: -Xcompiler=-fopenmp
SCHEMA = "tutorial-programs-1"
HELP = """\
A program of your own: FILE.cu… [FILE.cpp…] [options] [-- its arguments]
  -I FOLDER                search this folder for headers
  -lNAME, -LFOLDER         link a library; search this folder for libraries
  --compile-option OPTION  pass an option to the compiler
  --order ORDER            order of threads on the emulator: forward, reverse, shuffle or shuffle:SEED
With explain only:
  --faults                 report races and other faults instead of counts
  --json FILE              write the counts of each line to a file, as JSON
  --trace FILE             write what every thread did, step by step, to a file, as JSON
"first" stands for docs/first_kernel/main.cu; docs/own_programs.md has the details."""


@dataclass(frozen=True)
class Source:
    shown: str  # as it was typed
    path: Path  # the file itself

    @property
    def is_cuda(self) -> bool:
        return self.path.suffix in CUDA_SUFFIXES


@dataclass
class Request:
    """What was asked for: one program, of one file or several."""

    sources: list[Source]
    backend: str | None = None  # cpu, gpu or None
    faults: bool = False
    order: str = ""
    json: str = ""  # files that explain writes
    trace: str = ""
    compiler_options: tuple[str, ...] = ()
    link_options: tuple[str, ...] = ()
    arguments: tuple[str, ...] = ()  # the program's

    @property
    def name(self) -> str:
        return " ".join(source.shown for source in self.sources)


# ---- What was asked for ------------------------------------------------------------------------


def is_meant(words: list[str]) -> bool:
    """Whether these words of run or explain name files, and not chapters."""
    ours = words[: words.index("--")] if "--" in words else words
    suffixes = CUDA_SUFFIXES + HOST_SUFFIXES + HEADER_SUFFIXES
    if any(word == "first" or (not word.startswith("-") and word.endswith(suffixes)) for word in ours):
        return True
    # A folder, a device or a file of another kind is refused as what it is, and not as a chapter's name.
    # What follows an option may be its value.
    names = itertools.takewhile(lambda word: not word.startswith("-") or word in ("--cpu", "--gpu"), ours)
    return any(os.path.exists(word) and targets.Chapter.find(word) is None for word in names)


def _wants_help(words: list[str]) -> bool:
    ours = words[: words.index("--")] if "--" in words else words
    if not wants_help(ours):
        return False
    print(HELP)
    return True


def parse(words: list[str], verb: str) -> Request:
    """Files and options; all behind -- is the program's."""
    request = Request([])
    options: list[str] = []
    link_options: list[str] = []
    rest = iter(words)
    for word in rest:
        if word == "--":
            request.arguments = tuple(rest)
        elif word in ("--cpu", "--gpu"):
            if request.backend not in (None, word[2:]):
                raise Refused(USAGE, "--cpu and --gpu: only one of them")
            request.backend = word[2:]
        elif word == "--faults" and verb == "explain":
            request.faults = True
        elif word.split("=")[0] in ("--json", "--trace") and verb == "explain":
            name = word.split("=")[0]
            setattr(request, name[2:], _target(name, _value(word, rest)))
        elif word.split("=")[0] == "--order":
            request.order = _order(_value(word, rest))
        elif word.split("=")[0] == "--compile-option":
            options.append(_value(word, rest))
        elif word.startswith("-I"):
            folder = Path(word[2:] or _next(rest, "-I needs a folder"))
            if not folder.is_dir():
                raise Refused(USAGE, f"-I: there is no folder '{folder}'")
            options.append(f"-I{folder.resolve()}")
        elif word.startswith(("-l", "-L")) and len(word) > 2:
            link_options.append(word if word[1] == "l" else f"-L{Path(word[2:]).resolve()}")
        elif OF_THE_COMPILER.match(word):
            raise Refused(
                USAGE,
                f"'{word}': an option of the compiler is written --compile-option {word}; "
                f"one of the program comes after --",
            )
        elif word.startswith("-"):
            raise Refused(
                USAGE,
                f"'{word}' is not an option of {verb}; those of the program come after --: "
                f"./tutorial {verb} {words[0]} -- {word}",
            )
        else:
            request.sources.append(_source(word))
    request.compiler_options, request.link_options = tuple(options), tuple(link_options)
    if not request.sources:
        raise Refused(USAGE, f"{verb}: no file is named")
    if bool(request.json) + bool(request.trace or request.faults) > 1:
        raise Refused(USAGE, "--json has the counts; --faults and --trace need a run of their own")
    return request


def _target(option: str, name: str) -> str:
    """The full path of a file that can be written; the user's folder is the current one."""
    path = Path(name).resolve()
    try:
        with path.open("ab"):
            pass
    except OSError as error:
        raise Refused(USAGE, f"{option} {name}: cannot write there: {error.strerror}") from error
    return str(path)


def _value(word: str, rest) -> str:
    name, equals, value = word.partition("=")
    return value if equals else _next(rest, f"{name} needs a value")


def _next(rest, otherwise: str) -> str:
    try:
        return next(rest)
    except StopIteration:
        raise Refused(USAGE, otherwise) from None


def _order(value: str) -> str:
    kind, _, seed = value.partition(":")
    if kind not in ORDERS or (seed and not (kind == "shuffle" and seed.isdigit())):
        raise Refused(USAGE, f"--order '{value}': allowed are forward, reverse, shuffle and shuffle:SEED")
    return value


def _source(word: str) -> Source:
    if word == "first":
        return Source(os.path.relpath(FIRST), FIRST)
    path = Path(word)
    if path.is_dir():
        raise Refused(USAGE, f"'{word}' is a folder: name its files, such as {word.rstrip('/')}/*.cu")
    if path.exists() and not path.is_file():
        raise Refused(USAGE, f"'{word}' is not an ordinary file: a program is made of files that end with .cu or .cpp")
    if path.suffix in HEADER_SUFFIXES:
        raise Refused(USAGE, f"'{word}' is a header: name the files that include it; -I FOLDER says where it is")
    if path.suffix not in CUDA_SUFFIXES + HOST_SUFFIXES:
        if path.exists():
            raise Refused(
                USAGE, f"'{word}' ends with neither .cu nor .cpp: rename it, and it is compiled as what it is"
            )
        raise Refused(
            USAGE,
            f"'{word}': a program is made of files that end with .cu or .cpp; chapters cannot be mixed with files",
        )
    if not path.exists():
        raise Refused(USAGE, f"there is no file '{word}'")
    if not path.is_file() or not os.access(path, os.R_OK):
        raise Refused(USAGE, f"'{word}' cannot be read")
    return Source(word, path.resolve())


# ---- Building ----------------------------------------------------------------------------------


def kinds(folder: Path) -> list[str]:
    """What programs can be made for in this build folder: some of cpu, count, faults and cuda."""
    text = json.loads((folder / "programs.json").read_text(encoding="utf-8"))
    return list(text["kinds"])


def _toolchain(build: Build, kind: str) -> tuple[Toolchain, str]:
    """How to compile for a kind (cpu, count, faults or cuda), and CMake's target that must be built for it."""
    file = build.folder / "programs.json"
    text = json.loads(file.read_text(encoding="utf-8"))
    if text.get("schema") != SCHEMA or kind not in text["kinds"]:
        raise Refused(MISSING, f"{file} has no entry for '{kind}': ./tutorial clean, and the same command again")
    entry = text["kinds"][kind]
    return Toolchain(**members(entry["toolchain"], Path(text["source"]), entry)), entry["target"]


class OwnProgram:
    """A program for one kind, and what is kept of it between two calls."""

    def __init__(self, request: Request, build: Build, kind: str, out):
        self.request, self.build, self.kind, self.out = request, build, kind, out
        self.toolchain, self.target = _toolchain(build, kind)
        options = list(request.compiler_options)
        if any(option.startswith(("-std", "--std")) for option in options):
            # nvcc wants a standard once.
            kept = [option for option in self.toolchain.options if not option.startswith("-std")]
            self.toolchain = replace(self.toolchain, options=kept)
        self.options = options
        key = "\0".join([kind, *(str(source.path) for source in request.sources), *options])
        digest = hashlib.sha256(key.encode("utf-8", "surrogateescape")).hexdigest()[:12]
        self.folder = build.folder / "own" / f"{request.sources[0].path.stem}-{digest}"
        self.program = self.folder / request.sources[0].path.stem

    def make(self) -> Path:
        """The program, compiled where something has changed. Refused where it does not compile."""
        if self.target:
            self.build.make([self.target])
        with lock.held(self.folder, self.out):
            self.folder.mkdir(parents=True, exist_ok=True)
            with ThreadPoolExecutor(processors()) as pool:
                made = list(pool.map(self._object, range(len(self.request.sources)), self.request.sources))
            objects = [str(program_object) for program_object, _ in made]
            more = [option for option in self.options if option.endswith(OF_THE_LINKER_TOO)]
            command = self.toolchain.link(objects, self.program, [*more, *self.request.link_options])
            inputs = [*objects, *(word for word in command if word.startswith("/") and Path(word).is_file())]
            stamp = self.folder / "link.json"
            if any(fresh for _, fresh in made) or not _is_made(stamp, [command]):
                self._link(command)
                _keep(stamp, [command], inputs)
        return self.program

    def _object(self, number: int, source: Source) -> tuple[Path, bool]:
        """The object of a source, and whether it was compiled now."""
        stem = self.folder / f"{number}_{source.path.name}"
        program_object, stamp = Path(f"{stem}.o"), Path(f"{stem}.json")
        depends, compiled, commands = [Path(f"{stem}.d")], source.path, []
        # Files that are included with quotes lie beside the source, wherever that is copied to.
        options = [*self.options, "-I", str(source.path.parent)]
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
        commands.append([*compile_command, "-MD", "-MF", str(depends[0])])
        if _is_made(stamp, commands) and program_object.is_file():
            return program_object, False
        for command in commands:
            self._compile(command, source)
        read = {path for depend in depends for path in _names(depend)}
        if source.is_cuda:
            read.update(self.toolchain.rewriter_files())
        _keep(stamp, commands, sorted(path for path in read if not path.startswith(str(self.folder))))
        return program_object, True

    def _compile(self, command: list[str], source: Source) -> None:
        run = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            check=False,
        )
        if run.returncode == 0:
            if run.stdout.strip():
                print(self._as_typed(run.stdout), end="", file=sys.stderr)
            return
        if command[:1] == self.toolchain.rewriter[:1]:
            said = run.stdout
        else:
            said = diagnostics.of_compiler(run.stdout, source.path, str(source.path))
        print(self._as_typed(said).rstrip(), file=sys.stderr)
        raise Refused(WRONG, f"{source.shown} does not compile")

    def _link(self, command: list[str]) -> None:
        run = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            check=False,
        )
        if run.returncode:
            raise Refused(WRONG, f"{self.request.name} does not link: {_why_not_linked(run.stdout, self.request)}")

    def _as_typed(self, text: str) -> str:
        """Files go by the names that they were given here."""
        for source in self.request.sources:
            text = text.replace(str(source.path), source.shown)
        return text


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
        return f"{missing[0]} is not defined; also name the file that has it"
    twice = diagnostics.defined_twice(output)
    if twice:
        return f"{twice[0]} is defined twice; of files with a main() name one"
    return "\n" + output.strip()


def _names(depfile: Path) -> list[str]:
    """The files that a depfile names behind its colon."""
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


def _keep(stamp: Path, commands: list[list[str]], read: Sequence[str]) -> None:
    kept = {"commands": commands, "read": {path: _state(path) for path in read}}
    stamp.write_text(json.dumps(kept), encoding="utf-8")


# ---- Running -----------------------------------------------------------------------------------


def run(words: list[str]) -> int:
    if _wants_help(words):
        return 0
    request = parse(words, "run")
    where = backend.choose(request.backend)
    print(where.why, file=sys.stderr, flush=True)  # stdout is the program's
    build = Build(where, out=sys.stderr).prepare("run")
    return _run(OwnProgram(request, build, where.preset, sys.stderr))


def explain(words: list[str]) -> int:
    if _wants_help(words):
        return 0
    request = parse(words, "explain")
    if request.backend == "gpu":
        raise Refused(USAGE, "explain runs on the emulator; leave --gpu out")
    build = Build(backend.choose("cpu"), out=sys.stderr).prepare("explain")
    if not build.has_lab():
        raise Refused(MISSING, f"explain needs {packages.needs_of_lab()}")
    preset = "faults" if request.faults or request.trace else "count"
    return _run(OwnProgram(request, build, preset, sys.stderr))


def _run(own: OwnProgram) -> int:
    program = own.make()
    if own.request.order:
        os.environ["TUTORIAL_CPU_ORDER"] = own.request.order
    # Of an earlier program of this shell's: only what is asked for now is written.
    for variable, file in ("TUTORIAL_COUNTS", own.request.json), ("TUTORIAL_TRACE", own.request.trace):
        os.environ.pop(variable, None)
        if file:
            os.environ[variable] = file
    code = programs.run(program, *own.request.arguments)
    if code.signal:
        command = shlex.join([own.request.sources[0].shown, *own.request.arguments])
        print(f"tutorial: {command} was ended by {_signal_name(code.signal)}", file=sys.stderr)
    return code


def _signal_name(number: int) -> str:
    meanings = {
        4: "an instruction that does not exist",
        6: "itself (abort)",
        8: "an integer divided by zero",
        9: "SIGKILL",
        11: "an access to memory that is not there (a segmentation fault)",
        15: "SIGTERM",
    }
    return meanings.get(number, f"signal {number}")
