"""Fills the marked places of a Markdown text: excerpts, files, tables, counts, exercises, and, in the middle of a line,
single values, counts, line numbers and quotations of code.

A marker inside a code block or inside backticks is text about markers, and is left alone. Every
other comment must be a marker that the tools know, written as they expect it: a marker that
they overlooked would never be filled.
"""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import chinese
import code_size
import counts
import device_results
import exercise_table
import gallery
import peer_suites
import tables
from errors import DocsError
from excerpt import extract, line_number, quote
from repository import ROOT, TRANSLATED

_BLOCKS = ("excerpt", "file", "table", "counts", "exercises", "devices", "gallery", "peers")
_INLINE = ("value", "compare", "count", "line", "quote", "gallery_count", "lines")
_BLOCK = re.compile(rf"^<!-- ({'|'.join(_BLOCKS)}) (.*?) ?-->$")
_END = re.compile(rf"^<!-- end ({'|'.join(_BLOCKS)}) -->$")
_VALUE = re.compile(rf"<!-- ({'|'.join(_INLINE)}) (.*?) ?-->(.*?)<!-- /\1 -->")
_TRANSLATES = re.compile(r"^<!-- translates [0-9a-f]{8} -->$")  # translations.py
_COMMENT = re.compile(r"<!--\s*(/?[\w-]*)")
_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})")
_LANGUAGES = {".cu": "cpp", ".cuh": "cpp", ".hpp": "cpp", ".cpp": "cpp", ".py": "python", ".sh": "bash"}


def code_blocks(lines: list[str]) -> list[tuple[int, int]]:
    """The indices of the first and the last line of each fenced code block: its fences. One that is not closed goes on
    to the end."""
    found, fence, first = [], "", 0
    for at, line in enumerate(lines):
        mark = _FENCE.match(line)
        if not mark:
            continue
        if not fence:
            fence, first = mark.group(1), at
        elif mark.group(1).startswith(fence) and not line.strip().strip(fence[0]):
            found.append((first, at))
            fence = ""
    return found + ([(first, len(lines) - 1)] if fence else [])


def fenced_lines(lines: list[str]) -> list[bool]:
    """For each line: is it part of a fenced code block (fences included)?"""
    inside = [False] * len(lines)
    for first, last in code_blocks(lines):
        inside[first : last + 1] = [True] * (last + 1 - first)
    return inside


def lines_outside_code(text: str) -> list[tuple[int, str]]:
    """(number, line) of the lines of a text that are not part of a fenced code block."""
    lines = text.split("\n")
    return [(at, line) for at, (line, code) in enumerate(zip(lines, fenced_lines(lines)), 1) if not code]


def outside_code(line: str) -> list[tuple[int, int]]:
    """The spans of a line that are not inside backticks."""
    spans, at = [], 0
    for match in re.finditer(r"(`+)(?!`).*?(?<!`)\1(?!`)", line):
        spans.append((at, match.start()))
        at = match.end()
    return spans + [(at, len(line))]


def fill(text: str, path: Path, root: Path = ROOT) -> tuple[str, list[str]]:
    """The text with every marked place filled, and one line for each that cannot be filled."""
    lines, errors, out = text.split("\n"), [], []
    code = fenced_lines(lines)
    at = 0

    def report(error: Exception) -> None:
        errors.append(f"{path.relative_to(root).as_posix()}:{at + 1}: {error}")

    while at < len(lines):
        marker = None if code[at] else _BLOCK.match(lines[at])
        if not marker:
            is_left = code[at] or _TRANSLATES.match(lines[at]) and path.name.endswith(TRANSLATED)
            out.append(lines[at] if is_left else _fill_values(lines[at], path, root, report))
            at += 1
            continue
        kind, arguments = marker.groups()
        end_marker = f"<!-- end {kind} -->"
        end = next((i for i in range(at + 1, len(lines)) if lines[i] == end_marker), None)
        following = next((i for i in range(at + 1, len(lines)) if _BLOCK.match(lines[i]) and not code[i]), None)
        if end is None or (following is not None and following < end):
            report(DocsError(f"this {kind} marker has no {end_marker}"))
            out.append(lines[at])
            at += 1
            continue
        try:
            content = _body(kind, arguments, path, root)
            body = (chinese.table(content) if path.name.endswith(TRANSLATED) else content).split("\n")
        except DocsError as error:
            report(error)
            body = lines[at + 1 : end]
        out += [lines[at], *body, end_marker]
        at = end + 1
    return "\n".join(out), errors


def without_contents(text: str) -> str:
    """The text with its marked places empty: what a person has written."""
    out, lines = [], text.split("\n")
    code = fenced_lines(lines)
    end = ""
    for line, inside in zip(lines, code):
        if end and line != end:
            continue
        marker = None if inside or end else _BLOCK.match(line)
        end = f"<!-- end {marker.group(1)} -->" if marker else ""
        out.append(line if inside else _VALUE.sub(r"<!-- \1 \2 -->", line))
    return "\n".join(out)


def _fill_values(line: str, path: Path, root: Path, report) -> str:
    """The line with its inline markers filled. Reports every comment in it that is not one of them."""
    if "<!--" not in line:
        return line
    spans = outside_code(line)

    def in_text(at: int) -> bool:
        return any(start <= at < end for start, end in spans)

    def one(match: re.Match) -> str:
        if not in_text(match.start()):
            return match.group()
        kind, arguments, shown = match.groups()
        try:
            shown = _inline(kind, arguments, shown, path, root)
        except DocsError as error:
            report(error)
        return f"<!-- {kind} {arguments} -->{shown}<!-- /{kind} -->"

    left = _VALUE.sub(lambda m: " " * len(m.group()) if in_text(m.start()) else m.group(), line)
    for match in _COMMENT.finditer(left):
        if in_text(match.start()):
            report(DocsError(_what_is_wrong(match.group(1), line)))
            break
    return _VALUE.sub(one, line)


def _what_is_wrong(word: str, line: str) -> str:
    """Why a comment that begins with `word` is not a valid marker."""
    if word.lstrip("/") in _INLINE:
        kind = word.lstrip("/")
        return f"a {kind} marker begins with <!-- {kind} … --> and ends on its own line with <!-- /{kind} -->"
    if _END.match(line):
        return f"{line} ends nothing: no marker of that kind is above it"
    if word in _BLOCKS or word == "end":
        return f"a {word} marker is a line of its own: it begins with <!-- {word} and ends with -->, on one line"
    return f"a comment that is not a marker: there are {', '.join((*_BLOCKS, *_INLINE))}"


def _inline(kind: str, arguments: str, shown: str, path: Path, root: Path) -> str:
    if kind == "value":
        return tables.value(arguments.split(), root)
    if kind == "compare":
        return tables.compare(arguments.split(), root, is_chinese=path.name.endswith(TRANSLATED))
    if kind == "count":
        return counts.value(arguments.split(), root)
    if kind == "lines":
        return code_size.shown(arguments.split(), shown, root)
    if kind == "gallery_count":
        return gallery.number(arguments.split(), root)
    words = shlex.split(arguments)
    if not (kind == "line" and len(words) == 2) and len(words) != 3:
        raise DocsError(f"a {kind} marker reads: {kind} FILE NAME " + ("[RE]" if kind == "line" else "RE"))
    source = _source(words[0], path, root).read_text(encoding="utf-8")
    try:
        return str(line_number(source, *words[1:])) if kind == "line" else quote(source, *words[1:])
    except DocsError as error:
        raise DocsError(f"{words[0]}: {error}") from None


def _body(kind: str, arguments: str, path: Path, root: Path) -> str:
    """What goes between a marker and its end. Raises DocsError if there is nothing."""
    if kind == "table":
        return tables.table(arguments.split(), root)
    if kind == "counts":
        return counts.table(arguments.split(), root)
    if kind == "exercises":
        return exercise_table.table(arguments.split(), path, root)
    if kind == "devices":
        return device_results.table(arguments.split(), root)
    if kind == "gallery":
        return gallery.table(arguments.split(), root)
    if kind == "peers":
        return peer_suites.table(arguments.split(), root)
    words = shlex.split(arguments)
    source = _source(words[0], path, root)
    content = source.read_text(encoding="utf-8")
    if kind == "file":
        if len(words) > 1:
            raise DocsError("a file marker names one file and nothing else")
        if not content.strip():
            raise DocsError(f"{words[0]} is empty")
        return _fence(source, content.rstrip("\n"))
    if len(words) < 2:
        raise DocsError("an excerpt marker reads: excerpt FILE NAME [with-comment] [from RE] [to RE]")
    name, rest = words[1], words[2:]
    comment, lines = False, {}
    while rest:
        if rest[0] == "with-comment":
            comment = True
            rest = rest[1:]
        elif rest[0] in ("from", "to") and len(rest) > 1:
            lines[{"from": "first", "to": "last"}[rest[0]]] = rest[1]
            rest = rest[2:]
        else:
            raise DocsError(f"'{rest[0]}' is not with-comment, from RE or to RE")
    try:
        return _fence(source, extract(content, name, comment=comment, **lines))
    except DocsError as error:
        raise DocsError(f"{words[0]}: {error}") from None


def _source(name: str, path: Path, root: Path) -> Path:
    """A file named relative to the text's own folder, or to the repository's."""
    for folder in (path.parent, root):
        if (folder / name).is_file():
            return folder / name
    raise DocsError(f"{name} does not exist")


def _fence(source: Path, content: str) -> str:
    longest = max((len(run) for run in re.findall(r"`{3,}", content)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}{_LANGUAGES.get(source.suffix, 'text')}\n{content}\n{fence}"
