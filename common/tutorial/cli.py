"""The command line: which verb, and what a failure looks like."""

from __future__ import annotations

import errno
import importlib
import os
import shutil
import sys
import textwrap
from types import ModuleType

from building.errors import MISSING, USAGE, Refused, did_you_mean

from .version import NAME, version
from .arguments import WIDTH

# In the order of the help: each with its module below verbs/.
VERBS = {
    "run": "run",
    "test": "test",
    "bench": "bench",
    "explain": "explain",
    "map": "way",
    "check": "check",
    "grade": "grade",
    "docs": "docs",
    "figures": "figures",
    "clean": "clean",
}


def _module(verb: str) -> ModuleType:
    """The verb's module: SUMMARY, and main(words) -> exit code. All of them together take as long to import
    as a small program takes to run, so only what is used is imported."""
    return importlib.import_module(f".verbs.{VERBS[verb]}", __package__)


def usage() -> str:
    width = min(WIDTH, shutil.get_terminal_size().columns - 1)

    def paragraph(text: str) -> str:
        return textwrap.fill(text, width)

    def entry(name: str, text: str) -> str:
        return textwrap.fill(text, width, initial_indent=f"  {name:<9}", subsequent_indent=" " * 11)

    parts = [
        paragraph("usage: ./tutorial COMMAND [CHAPTER… | FILE…] [--cpu | --gpu] [options of the chapter]"),
        "\n".join(entry(verb, _module(verb).SUMMARY) for verb in VERBS),
        paragraph(
            "A chapter is ch01 or ch01_bubble; without one, all. It runs on the GPU if nvcc and a GPU are found, "
            "otherwise on the emulator; --cpu and --gpu choose. Options go to the chapter:"
        ),
        "  ./tutorial run ch01 --n 1025 --stage shared\n  ./tutorial run ch01 --help\n  ./tutorial bench --help",
        paragraph(
            "run and explain also take the files of a program of your own; arguments after -- go to that program. "
            '"first" stands for docs/first_kernel/main.cu:'
        ),
        "  ./tutorial run my.cu -- 1000\n  ./tutorial explain first --faults",
        paragraph("With TUTORIAL_NO_INSTALL=1 in the environment, missing packages are listed, not installed."),
        paragraph("--version prints the version; CHANGELOG.md says what each one brings."),
    ]
    return "\n\n".join(parts)


def _do(words: list[str]) -> int:
    verb, rest = (words[0], words[1:]) if words else ("help", [])
    if verb in ("-h", "--help", "help"):
        print(usage())
        return 0
    if verb == "--version":
        print(NAME, version())
        return 0
    if verb not in VERBS:
        *names, last = VERBS
        there = f"there are {', '.join(names)} and {last}"
        raise Refused(USAGE, f"unknown command '{verb}'{did_you_mean(verb, VERBS)}; {there}")
    code: int = _module(verb).main(rest)
    return code


def _of_system(error: OSError) -> str:
    """For a read-only tree, a full disk or a missing permission: what is wrong, where, and what helps."""
    what = error.strerror or str(error)
    if not error.filename:
        return f"standard output cannot be written: {what}"
    if error.errno in (errno.EROFS, errno.EACCES, errno.EPERM):
        return f"{error.filename}: {what}; the tutorial builds in its own folder: copy it to where you can write"
    return f"{error.filename}: {what}"


def main(words: list[str]) -> int:
    try:
        code = _do(words)
        sys.stdout.flush()
        return code
    except Refused as refused:
        return _fail(str(refused), refused.code)
    except BrokenPipeError:  # the reader has closed the pipe
        _forget_stdout()
        return 1
    except OSError as error:
        return _fail(_of_system(error), MISSING)
    except KeyboardInterrupt:
        print(file=sys.stderr)
        return 130


def _fail(text: str, code: int) -> int:
    try:
        sys.stdout.flush()
    except OSError:
        pass
    _forget_stdout()
    print(f"tutorial: {text}", file=sys.stderr)
    return code


def _forget_stdout() -> None:
    """Output that could not be written must not be tried again when Python ends."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
