"""Do the recorded outputs of explain still name the lines of the current sources?

docs/results/cpu/chNN_explain.json (and .txt) hold line numbers with the text of each line. An edit
above a line moves it. `renumber` follows lines that have only moved; a line that has changed must be
counted again.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path

from errors import DocsError
from repository import ROOT, chapter

_TEXT_ROW = re.compile(r"^(?P<place> {5,}(?P<line>\d+))  (?P<source>\S.*?)(?:  \((?P<file>[\w./]+)\))?$", re.MULTILINE)
_JSON_ROW = re.compile(r'"file":\s*"[^"]*"(,\s*)"line":\s*\d+')


@dataclass
class Place:
    """A line that a recording names, and the span in the recording that names file and line."""

    file: str
    line: int
    source: str
    span: tuple[int, int]


def recordings(root: Path = ROOT) -> list[Path]:
    folder = root / "docs" / "results" / "cpu"
    return sorted([*folder.glob("ch[0-9][0-9]_explain.json"), *folder.glob("ch[0-9][0-9]_explain.txt")])


def _same(recorded: str, line: str) -> bool:
    """Is this the recorded line? A recording may shorten a long line, with three dots at its end."""
    line = line.strip()
    for dots in ("...", "…"):
        if recorded.endswith(dots) and not line.endswith(dots):
            return line.startswith(recorded[: -len(dots)].rstrip())
    return line == recorded


def _places(path: Path, text: str) -> list[Place]:
    if path.suffix == ".json":
        report = json.loads(text)
        rows = [r for s in report["stages"] for k in s["kernels"] for r in k["rows"]]
        named = list(_JSON_ROW.finditer(text))
        if len(named) != len(rows):
            raise ValueError('its rows do not begin with "file" and "line"')
        return [Place(r["file"], r["line"], r["source"].strip(), m.span()) for r, m in zip(rows, named)]
    found, file = [], "main.cu"
    for match in _TEXT_ROW.finditer(text):
        file = match["file"] or file  # named where it changes
        found.append(Place(file, int(match["line"]), match["source"].strip(), match.span("place")))
    return found


def _source_lines(file: str, folder: Path, root: Path) -> list[str]:
    harness = root / "common" / "harness"
    for candidate in (folder / file, folder / "fastest" / file, root / file, harness / file):
        if candidate.is_file():
            return candidate.read_text(encoding="utf-8").split("\n")
    return []


_LEGEND = "How to read it"
_TODAYS = "docs/first_kernel/explain.txt"  # a test compares it with what explain prints


def legend(path: Path, root: Path = ROOT) -> list[str]:
    """Errors if the legend below a recorded text is no longer the one that explain prints."""
    todays = root / _TODAYS
    if path.suffix != ".txt" or not todays.is_file():
        return []
    mine, now = (each.read_text(encoding="utf-8").partition(_LEGEND) for each in (path, todays))
    if mine[2] == now[2]:
        return []
    return [f"{path.relative_to(root).as_posix()}: its legend is not that of {_TODAYS}: record it again"]


class _Sources:
    """Where lines are in the sources of a chapter."""

    def __init__(self, folder: Path, root: Path):
        self._folder, self._root = folder, root
        sources = [*folder.iterdir(), *folder.glob("fastest/*")]
        self._names = sorted(path.name for path in sources if path.suffix in (".cu", ".cuh", ".hpp"))
        self._found: dict[tuple[str, str], list[int]] = {}

    def lines_of(self, file: str, source: str) -> list[int]:
        """The numbers of the lines of `file` that are `source`."""
        key = file, source
        if key not in self._found:
            lines = _source_lines(file, self._folder, self._root)
            self._found[key] = [at for at, line in enumerate(lines, 1) if _same(source, line)]
        return self._found[key]

    def now(self, place: Place, places: list[Place]) -> tuple[str, int] | None:
        """Where the line of `place` is now: in its file, or otherwise in another one of the chapter. Of several equal
        lines, the one that moved as far as the nearest unique line."""
        for file in (place.file, *(name for name in self._names if name != place.file)):
            found = self.lines_of(file, place.source)
            if len(found) == 1:
                return file, found[0]
            if found:
                shifts = []
                for other in places:
                    there = self.lines_of(file, other.source)
                    if other.file == place.file and len(there) == 1:
                        shifts.append((abs(other.line - place.line), there[0] - other.line))
                shift = min(shifts)[1] if shifts else 0
                return file, min(found, key=lambda at: abs(at - place.line - shift))
        return None


def check(path: Path, root: Path = ROOT, write: bool = False) -> tuple[bool, list[str]]:
    """(does it need new line numbers, errors). `write` writes the new numbers."""
    shown = path.relative_to(root).as_posix()
    name = path.name.split("_")[0]
    try:
        folder = chapter(name, root)
        text = path.read_text(encoding="utf-8")
        places = _places(path, text)
    except (DocsError, ValueError, KeyError) as error:
        return False, [f"{shown}: it cannot be read: {error}"]
    if not places:
        return False, [f"{shown}: it names no line of a source"]
    moved = []
    sources = _Sources(folder, root)
    for place in places:
        now = sources.now(place, places)
        if now == (place.file, place.line):
            continue
        if now is None:
            return False, [
                f"{shown}: {place.file} no longer has the line '{place.source}': count again, "
                + (f"./tutorial bench --cpu {name}" if path.suffix == ".json" else f"./tutorial explain {name}")
            ]
        moved.append((place, now))
    if moved and write:
        for place, (file, line) in reversed(moved):
            start, end = place.span
            if path.suffix == ".json":
                label = _JSON_ROW.sub(rf'"file": "{file}"\1"line": {line}', text[start:end])
            else:
                label = str(line).rjust(end - start)
            text = text[:start] + label + text[end:]
        path.write_text(text, encoding="utf-8")
    return bool(moved), []
