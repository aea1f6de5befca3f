#!/usr/bin/env python3
"""Wraps the paragraphs of a text at 100 columns.

  wrap.py FILE…    rewrites the paragraphs that have a longer line, and leaves everything else as it is

Tables, headings, code and block markers are never wrapped. A marker with its content, and what
is between backticks, stays on one line; if that alone is longer, it gets a line of its own.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))

from blocks import fenced_lines, lines_outside_code
from repository import ROOT, TRANSLATED

WIDTH = 100
_ATOM = re.compile(r"<!-- (\w+) .*?-->.*?<!-- /\1 -->|(`+)(?!`).*?(?<!`)\2(?!`)|\S")
_ITEM = re.compile(r"^( *)([-*+]|\d+[.)])( +)")


def atoms(line: str) -> list[str]:
    """The words of a line; a marker or a piece of code, with all its blanks and whatever touches it, is one word."""
    found, at, word = [], 0, ""
    while at < len(line):
        match = _ATOM.match(line, at)
        if match:
            word += match.group()
            at = match.end()
        else:
            if word:
                found.append(word)
            word, at = "", at + 1
    return found + ([word] if word else [])


def _words(line: str) -> list[str]:
    """Words that may begin a line, each with those that must not."""
    words = atoms(line)
    for at in range(len(words) - 1, 0, -1):
        # Markdown takes such a beginning for a list, a heading, a table, a quotation, or for HTML, which
        # ends the paragraph.
        if re.match(r"^([-+*>#]+|\d+[.)])(\s|$)|^\||^<!--", words[at]):
            words[at - 1 : at + 1] = [f"{words[at - 1]} {words[at]}"]
    return words


def begins_with_marker(line: str) -> bool:
    """Does a line of a paragraph begin with a marker? Markdown ends the paragraph there."""
    return bool(re.match(r"\s*(?:(?:[-*+]|\d+[.)])\s+)?<!-- (\w+) .*?-->.*?<!-- /\1 -->", line))


def _kept(line: str) -> bool:
    """Is this line never part of a paragraph?"""
    return not line.strip() or bool(
        re.match(r"^(\s*\||#|\s*<!-- (end|excerpt|file|table|counts|exercises|devices) |\[[^\]]+\]:)", line)
    )


def too_long(line: str) -> bool:
    """Is a line longer than the width although it could be broken?"""
    item = _ITEM.match(line)
    return len(line) > WIDTH and not _kept(line) and len(_words(line[item.end() :] if item else line)) > 1


def _is_wrong(line: str) -> bool:
    return too_long(line) or begins_with_marker(line)


def _filled(paragraph: list[str]) -> list[str]:
    item = _ITEM.match(paragraph[0])
    first = item.group() if item else paragraph[0][: len(paragraph[0]) - len(paragraph[0].lstrip(" "))]
    rest = " " * len(first)
    words = _words(" ".join([paragraph[0][len(first) :], *(line.strip() for line in paragraph[1:])]))
    lines, line = [], first + words[0]
    for word in words[1:]:
        if len(line) + 1 + len(word) > WIDTH:
            lines.append(line)
            line = rest + word
        else:
            line += " " + word
    return lines + [line]


def wrap(text: str) -> str:
    """The text with every paragraph wrapped that has an overlong line."""
    lines = text.split("\n")
    code = fenced_lines(lines)
    out: list[str] = []
    at = 0
    while at < len(lines):
        indented = lines[at].startswith("    ") and (not out or not out[-1].strip())
        if code[at] or _kept(lines[at]) or (indented and not _ITEM.match(lines[at])):
            out.append(lines[at])
            at += 1
            while indented and at < len(lines) and lines[at].startswith("    ") and not code[at]:
                out.append(lines[at])
                at += 1
            continue
        end = at + 1
        while end < len(lines) and not code[end] and not _kept(lines[end]) and not _ITEM.match(lines[end]):
            end += 1
        paragraph = lines[at:end]
        out += _filled(paragraph) if any(map(_is_wrong, paragraph)) else paragraph
        at = end
    return "\n".join(out)


def wrapped_texts(root: Path = ROOT) -> list[Path]:
    """The texts that must keep the width: the chapters and the pages of docs/. In Chinese a paragraph is a line."""
    found = [*root.glob("ch[0-9][0-9]_*/*.md"), *root.glob("docs/*.md")]
    return sorted(path for path in found if not path.name.endswith(TRANSLATED))


def check(path: Path, root: Path = ROOT) -> list[str]:
    """One line for each line of the text `path` that is too long, or begins with a marker."""
    shown = path.relative_to(root).as_posix()
    errors = []
    for number, line in lines_outside_code(path.read_text(encoding="utf-8")):
        if line.startswith("    "):
            continue
        if too_long(line):
            errors.append(f"{shown}:{number}: longer than {WIDTH} columns: docs/tools/wrap.py {shown}")
        if begins_with_marker(line):
            errors.append(
                f"{shown}:{number}: begins with a marker, which ends the paragraph: docs/tools/wrap.py {shown}"
            )
    return errors


def main() -> int:
    if len(sys.argv) < 2:
        print("usage: wrap.py FILE…", file=sys.stderr)
        return 2
    for name in sys.argv[1:]:
        path = Path(name)
        before = path.read_text(encoding="utf-8")
        after = wrap(before)
        if after != before:
            path.write_text(after, encoding="utf-8")
            print(f"{name}: wrapped")
    return 0


if __name__ == "__main__":
    sys.exit(main())
