"""The request when run or explain are given files: one program of your own."""

from __future__ import annotations

import itertools
import os
import re
from dataclasses import dataclass
from pathlib import Path

from building.errors import USAGE, Refused
from building.repository import ROOT

from . import targets
from .arguments import wants_help

FIRST = ROOT / "docs" / "first_kernel" / "main.cu"  # "./tutorial run first"
CUDA_SUFFIXES = (".cu",)
HOST_SUFFIXES = (".cpp", ".cc", ".cxx")
HEADER_SUFFIXES = (".cuh", ".h", ".hpp", ".hxx")
ORDERS = ("forward", "reverse", "shuffle")
OF_THE_COMPILER = re.compile(r"-(?:[DU]\w|O[0-3sg]?$|std=|[fmW][a-z]|gencode|arch|lineinfo|pthread|Xcompiler)")
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


def before_arguments(words: list[str]) -> list[str]:
    """The words before --, after which those of the program follow."""
    return words[: words.index("--")] if "--" in words else words


def is_meant(words: list[str]) -> bool:
    """Whether these words of run or explain name files, not chapters."""
    ours = before_arguments(words)
    suffixes = CUDA_SUFFIXES + HOST_SUFFIXES + HEADER_SUFFIXES
    if any(word == "first" or (not word.startswith("-") and word.endswith(suffixes)) for word in ours):
        return True
    # A folder, a device or a file of another kind is refused as what it is, not as a chapter's name.
    # What follows an option may be its value.
    names = itertools.takewhile(lambda word: not word.startswith("-") or word in ("--cpu", "--gpu"), ours)
    return any(os.path.exists(word) and targets.Chapter.find(word) is None for word in names)


def is_for_help(words: list[str]) -> bool:
    if not wants_help(before_arguments(words)):
        return False
    print(HELP)
    return True


def parse(words: list[str], verb: str) -> Request:
    """Files and options; everything after -- is the program's."""
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
        raise Refused(USAGE, f"--order '{value}': allowed: forward, reverse, shuffle, shuffle:SEED")
    return value


def _source(word: str) -> Source:
    if word == "first":
        return Source(os.path.relpath(FIRST), FIRST)
    path = Path(word)
    if path.is_dir():
        raise Refused(USAGE, f"'{word}' is a folder: name its files, such as {word.rstrip('/')}/*.cu")
    if path.exists() and not path.is_file():
        raise Refused(USAGE, f"'{word}' is not an ordinary file: a program consists of files that end with .cu or .cpp")
    if path.suffix in HEADER_SUFFIXES:
        raise Refused(USAGE, f"'{word}' is a header: name the files that include it; -I FOLDER says where it is")
    if path.suffix not in CUDA_SUFFIXES + HOST_SUFFIXES:
        if path.exists():
            raise Refused(USAGE, f"'{word}' ends with neither .cu nor .cpp: rename it to say which it is")
        raise Refused(
            USAGE,
            f"'{word}': a program consists of files that end with .cu or .cpp; chapters cannot be mixed with files",
        )
    if not path.exists():
        raise Refused(USAGE, f"there is no file '{word}'")
    if not path.is_file() or not os.access(path, os.R_OK):
        raise Refused(USAGE, f"'{word}' cannot be read")
    return Source(word, path.resolve())
