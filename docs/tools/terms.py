#!/usr/bin/env python3
"""Rejects the words of terms.txt, wherever they are, and says what to write instead.

    terms.py [PATH…]      all that is rejected, or only in files whose paths begin like this: ch03
"""

from __future__ import annotations

import functools
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from blocks import fenced_lines
from repository import ROOT

LIST = Path(__file__).resolve().with_name("terms.txt")
_SOURCES = {".cu", ".cuh", ".hpp", ".h", ".cpp", ".mjs", ".vue"}
_SCRIPTS = {".py", ".cmake", ".sh", ".txt", ".yml"}  # their comments begin with #
_TEXTS = {".md"}
# Output of programs, files that are not ours, and this list.
_SKIPPED_FOLDERS = {"build", "node_modules", "__pycache__", "public"}
_SKIPPED = {"docs/tools/terms.txt", "docs/tools/tests/test_terms.py", "docs/site/package-lock.json"}
C_OPAQUE = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.DOTALL)
SCRIPT_OPAQUE = re.compile(r'"""[\s\S]*?"""|#[^\n]*|"(?:\\.|[^"\\\n])*"')
_END_OF_LINE = r"(?:[ \t]+|[ \t]*\n[ \t]*(?:(?://+!?|\#|\*|>)[ \t]*)?)"


class Scope(NamedTuple):
    kind: str  # all, names or code
    path: re.Pattern[str]


@dataclass(frozen=True)
class Term:
    pattern: str
    instead: str
    scopes: tuple[Scope, ...]


class Found(NamedTuple):
    file: str
    line: int
    written: str
    instead: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: '{self.written}' is not used in this repository: write {self.instead}"


def entries(path: Path) -> list[tuple[int, str]]:
    """(number, line) of the lines of a list that are not empty or a comment."""
    lines = enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
    return [(number, line) for number, line in lines if line.strip() and not line.startswith("#")]


def read(path: Path = LIST) -> list[Term]:
    """The list. Raises ValueError for a line that is not as its head says."""
    terms = []
    for number, line in entries(path):
        parts = line.split(" | ")
        if len(parts) != 3:
            raise ValueError(f"{path.name}:{number}: a line reads PATTERN | INSTEAD | WHERE")
        words = parts[0].strip().replace(" ", _END_OF_LINE)
        scopes = []
        for where in parts[2].split():
            kind, _, place = where.partition(":")
            if kind not in ("all", "names", "code"):
                raise ValueError(f"{path.name}:{number}: {kind} is not all, names or code")
            scopes.append(Scope(kind, re.compile(re.escape(place).replace(r"\*", ".*"))))
        terms.append(Term(words, parts[1].strip(), tuple(scopes)))
    return terms


def files(root: Path) -> list[str]:
    """What is written by hand: sources, scripts and texts."""

    def walk(folder: Path):
        for path in sorted(folder.iterdir()):
            if path.is_dir():
                if path.name not in _SKIPPED_FOLDERS and (
                    not path.name.startswith(".") or path.name in (".ci", ".github")
                ):
                    yield from walk(path)
            elif path.suffix in _SOURCES | _SCRIPTS | _TEXTS or path.parent.name == ".ci" or path.name == "tutorial":
                yield path.relative_to(root).as_posix()

    def is_recorded(name: str) -> bool:
        return "/results/" in name and not name.endswith(".md")

    return [name for name in walk(root) if name not in _SKIPPED and not is_recorded(name)]


def _blank(match: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", match.group())


def names_of(text: str, suffix: str) -> str:
    """The same text with everything except its code blanked; every offset stays the same."""
    if suffix in _SOURCES:
        return C_OPAQUE.sub(_blank, text)
    if suffix not in _TEXTS:
        return SCRIPT_OPAQUE.sub(_blank, text)
    lines = text.split("\n")
    shown = []
    for line, is_code in zip(lines, fenced_lines(lines)):
        kept = [" "] * len(line)
        for span in [(0, len(line))] if is_code else [match.span() for match in re.finditer(r"`[^`]+`", line)]:
            kept[slice(*span)] = line[slice(*span)]
        shown.append("".join(kept))
    return "\n".join(shown)


@functools.lru_cache(maxsize=None)
def _any_of(terms: tuple[Term, ...]) -> re.Pattern[str]:
    """One expression for all of them, whose group t7 is that of terms[7]."""
    groups = "|".join(f"(?P<t{at}>{term.pattern})" for at, term in enumerate(terms))
    return re.compile(rf"(?<![\w-])(?:{groups})(?!\w)")


def check(root: Path = ROOT, terms: list[Term] | None = None, below: tuple[str, ...] = ("",)) -> list[Found]:
    """Every rejected word in files whose paths begin like this, in the order of files and lines."""
    terms = read() if terms is None else terms
    found = set()
    for name in (name for name in files(root) if name.startswith(below)):
        suffix = Path(name).suffix
        text = (root / name).read_text(encoding="utf-8")
        for kind in ("all", "code", "names"):
            mine = tuple(term for term in terms if any(s.kind == kind and s.path.match(name) for s in term.scopes))
            if not mine or (kind == "code" and suffix in _TEXTS):
                continue
            for match in _any_of(mine).finditer(names_of(text, suffix) if kind == "names" else text):
                line = text.count("\n", 0, match.start()) + 1
                instead = mine[int(str(match.lastgroup)[1:])].instead
                found.add(Found(name, line, " ".join(match.group().split()), instead))
    return sorted(found)


if __name__ == "__main__":
    refused = check(below=tuple(sys.argv[1:]) or ("",))
    print("\n".join(map(str, refused)) if refused else "no refused word")
    sys.exit(1 if refused else 0)
