"""The list of stages at the head of a chapter's main.cu: number, name, and the idea in a line.

`./tutorial docs` makes it from the table at the end of the file, so that it cannot drift. It follows
the line MARKER in the comment above the first #include.
"""

from __future__ import annotations

import re
from pathlib import Path

from errors import DocsError
from excerpt import extract
from repository import ROOT

MARKER = "// Stages, made by ./tutorial docs from the table below:"
WIDTH = 100
_ENTRY = re.compile(r"//  [ \d]\d [a-z]\w* +\S.*")
_STRING = r'"(?:\\.|[^"\\\n])*"'
_COMMENT = re.compile(rf"({_STRING})|//[^\n]*")
_ROW = re.compile(
    rf'\{{\s*\{{\s*"(?P<name>\w+)",\s*(?P<idea>{_STRING}(?:\s*{_STRING})*)(?:,\s*RowKind::(?P<kind>\w+))?'
)


def stages(source: str) -> list[tuple[str, str]]:
    """(name, idea) of each stage in the table of a main.cu, in order; host and library rows are not stages."""
    table = _COMMENT.sub(lambda match: match[1] or "", extract(source, "stages()"))
    found = []
    for row in _ROW.finditer(table):
        if row["kind"] in (None, "stage"):
            idea = "".join(re.findall(r'"((?:\\.|[^"\\\n])*)"', row["idea"]))
            found.append((row["name"], re.sub(r"\\(.)", r"\1", idea)))
    if not found:
        raise DocsError("its stages() has no row of a stage")
    return found


def listing(table: list[tuple[str, str]]) -> list[str]:
    """The lines of the list, without the marker."""
    width = max(len(name) for name, _ in table)
    lines = [f"//  {number:2} {name:{width}}  {idea}" for number, (name, idea) in enumerate(table, 1)]
    for line, (name, _) in zip(lines, table):
        if len(line) > WIDTH:
            raise DocsError(f"the idea of {name} takes {len(line) - WIDTH} columns too many in the list of stages")
    return lines


def lines_of(source: str) -> list[str]:
    """The lines of the list that a main.cu has, its marker included; none without a marker."""
    lines = source.split("\n")
    if MARKER not in lines:
        return []
    at = lines.index(MARKER)
    end = at + 1
    while end < len(lines) and _ENTRY.fullmatch(lines[end]):
        end += 1
    return lines[at:end]


def names_of(source: str) -> list[str]:
    """Names of the stages in the list at the head of a main.cu."""
    return [line.split()[2] for line in lines_of(source)[1:]]


def run(chapter: Path, write: bool, root: Path = ROOT) -> tuple[bool, list[str]]:
    """Whether the list is (or was) out of date, and what is wrong; with `write` it is brought up to date."""
    path = chapter / "main.cu"
    shown = path.relative_to(root).as_posix()
    source = path.read_text(encoding="utf-8")
    head = source.partition("\n#include")[0]
    if head.split("\n").count(MARKER) != 1 or source.count(MARKER) != 1:
        return False, [f'{shown}: the comment above its first #include has the line "{MARKER}", once']
    try:
        wanted = [MARKER, *listing(stages(source))]
    except DocsError as error:
        return False, [f"{shown}: {error}"]
    found = lines_of(source)
    if found == wanted:
        return False, []
    if write:
        path.write_text(source.replace("\n".join(found) + "\n", "\n".join(wanted) + "\n", 1), encoding="utf-8")
    return True, []
