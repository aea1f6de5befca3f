"""What follows a verb: targets, our own options, and options for another program."""

from __future__ import annotations

import argparse
import shutil
from typing import NoReturn

from building.errors import USAGE, Refused

WIDTH = 100  # of the help, at most


class Parser(argparse.ArgumentParser):
    """Wrong arguments get one line."""

    def __init__(self, verb: str, **options: object):
        class Formatter(argparse.HelpFormatter):
            """Texts of several lines stay as they are."""

            def _fill_text(self, text: str, width: int, indent: str) -> str:
                return text if "\n" in text else super()._fill_text(text, width, indent)

        def formatter(prog: str) -> argparse.HelpFormatter:
            width = min(WIDTH, shutil.get_terminal_size().columns - 1)
            return Formatter(prog, width=width)

        super().__init__(
            prog=f"./tutorial {verb}".rstrip(), allow_abbrev=False, formatter_class=formatter, **options  # type: ignore
        )

    def error(self, message: str) -> NoReturn:
        raise Refused(USAGE, message)


def add_backend(parser: argparse.ArgumentParser) -> None:
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--cpu", dest="backend", action="store_const", const="cpu", help="run on the emulator")
    where.add_argument("--gpu", dest="backend", action="store_const", const="gpu", help="run on the GPU")


def parse(parser: Parser, words: list[str]) -> argparse.Namespace:
    """For verbs that know all of their options."""
    arguments, rest = parser.parse_known_intermixed_args(words)
    if rest:
        raise Refused(USAGE, f"{parser.prog.split()[-1]} takes no option '{rest[0]}'")
    return arguments


def split(words: list[str]) -> tuple[list[str], str | None, list[str]]:
    """For verbs whose options go to a program: (targets, cpu or gpu or None, the program's words).

    The first option ends the list of targets: what follows may be an option's value. All that
    follows -- is the program's.
    """
    targets: list[str] = []
    options: list[str] = []
    backend = None
    for number, word in enumerate(words):
        if word == "--":
            options += words[number + 1 :]
            break
        if word in ("--cpu", "--gpu"):
            if backend and word != f"--{backend}":
                raise Refused(USAGE, "--cpu and --gpu: only one of them")
            backend = word[2:]
        elif options or word.startswith("-"):
            options.append(word)
        else:
            targets.append(word)
    return targets, backend, options


def wants_help(words: list[str]) -> bool:
    return any(word in ("-h", "--help") for word in words)
