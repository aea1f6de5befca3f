"""How long are the pages? The first page of a chapter is limited to what a student can finish.

Prose is what is neither code nor a table, a marker or a picture; a listing is a block of code.
"""

from __future__ import annotations

import re
from pathlib import Path

from blocks import code_blocks, lines_outside_code
from repository import ROOT

MAX_WORDS = 3500
MAX_LINES = 700
MAX_LISTING = 30
_COMMENT = re.compile(r"<!--.*?-->")
_TARGET = re.compile(r"\]\([^)\s]*\)|\]\[[^\]]*\]")
_CODE = re.compile(r"^ {0,3}(?:`{3,}|~{3,})(?:cpp|cuda|c\+\+|python|bash)$")


def prose_words(text: str) -> int:
    """Words of a text, without code, tables, markers and pictures."""
    words = 0
    for _, line in lines_outside_code(text):
        if line.startswith("    ") or re.match(r"^\s*(\||!\[|\[[^\]]+\]:)", line):
            continue
        plain = _TARGET.sub("]", _COMMENT.sub("", line))
        words += sum(bool(re.search(r"\w", word)) for word in plain.split())
    return words


def listings(text: str) -> list[tuple[int, int]]:
    """(line number of its fence, lines) for every listing: code in a language, not a program's output."""
    lines = text.split("\n")
    return [(first + 1, last - first - 1) for first, last in code_blocks(lines) if _CODE.match(lines[first])]


def check(chapter: Path, root: Path = ROOT) -> list[str]:
    """One line for each limit that the first page of a chapter exceeds."""
    path = chapter / "README.md"
    if not path.is_file():
        return []
    shown = path.relative_to(root).as_posix()
    text = path.read_text(encoding="utf-8")
    words, lines = prose_words(text), len(text.splitlines())
    errors = []
    if words > MAX_WORDS:
        errors.append(f"{shown}: {words} words of prose; at most {MAX_WORDS}: move what is not the core to fastest.md")
    if lines > MAX_LINES:
        errors.append(f"{shown}: {lines} lines; at most {MAX_LINES}")
    for number, length in listings(text):
        if length > MAX_LISTING:
            errors.append(
                f"{shown}:{number}: a listing of {length} lines; at most {MAX_LISTING}: show the part that changed"
            )
    return errors


def table(paths: list[Path], root: Path = ROOT) -> str:
    """Words, lines and the longest listing of each page, and of all."""
    rows, sum_words, sum_lines = ["  words   lines  listing  page"], 0, 0
    for path in paths:
        text = path.read_text(encoding="utf-8")
        words, lines = prose_words(text), len(text.splitlines())
        longest = max((length for _, length in listings(text)), default=0)
        rows.append(f"{words:7} {lines:7} {longest or '-':>8}  {path.relative_to(root).as_posix()}")
        sum_words, sum_lines = sum_words + words, sum_lines + lines
    return "\n".join([*rows, f"{sum_words:7} {sum_lines:7} {'':8}  {len(paths)} pages"])
