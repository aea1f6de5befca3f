"""Makes the notebooks of docs/notebooks/ from texts, so that there is one text and it cannot drift.

chNN.ipynb follows the chapter's README.md: a picture, a command and a stage become cells that show, run and explain
it. start.ipynb is docs/notebooks/start.md, whose Python blocks are the cells. Outputs are not kept.
"""

from __future__ import annotations

import json
import posixpath
import re
import sys
from pathlib import Path
from typing import Any

from blocks import code_blocks
from errors import DocsError
from repository import ROOT, chapters

sys.path.insert(0, str(ROOT / "common"))

from grading.files import exercise as exercises  # noqa: E402

FOLDER = Path("docs/notebooks")
# If one stage alone takes long on a CPU, the cell uses a smaller size.
_EXPLAIN_N = {"ch01": 256, "ch02": 512, "ch03": 8192, "ch04": 8192, "ch05": 2048, "ch06": 4096}

_BEGIN = """\
import pathlib, subprocess, sys

REPOSITORY = ""  # the address to clone, if this notebook is not in a clone of the tutorial

here = pathlib.Path.cwd()
root = next((p for p in (here, *here.parents) if (p / "common" / "tutorial").is_dir()), here / "tutorial")
if not root.is_dir():
    if not REPOSITORY:
        raise SystemExit("Set REPOSITORY above to the address of the tutorial's repository, and run this cell again.")
    subprocess.run(["git", "clone", "--depth", "1", REPOSITORY, str(root)], check=True)
sys.path.insert(0, str(root / "docs" / "notebooks"))
from lesson import beside, check, explain, figure, run, tutorial"""

_MARKER = re.compile(r"<!--.*?-->")
_LINK = re.compile(r"(?<!\!)(\[[^\]]*\])\(([^)\s#]*)(#[^)\s]*)?\)")
_IMAGE = re.compile(r"^!\[[^\]]*\]\(([^)\s]+)\)$")
_STAGE = re.compile(r"^## `(\w+)`:")


class _Cells:
    """A notebook's cells, in order. Identifiers are numbers, so that the same text gives the same file."""

    def __init__(self) -> None:
        self.cells: list[dict[str, Any]] = []

    def _add(self, kind: str, text: str, **more: object) -> None:
        lines = text.strip("\n").split("\n")
        if not any(line.strip() for line in lines):
            return
        source = [line + "\n" for line in lines[:-1]] + [lines[-1]]
        cell: dict[str, Any] = {"cell_type": kind, "id": f"cell-{len(self.cells)}", "metadata": {}, **more}
        self.cells.append({**cell, "source": source})

    def text(self, text: str) -> None:
        self._add("markdown", text)

    def code(self, text: str) -> None:
        self._add("code", text, execution_count=None, outputs=[])

    def json(self) -> str:
        kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
        metadata = {"kernelspec": kernel, "language_info": {"name": "python"}}
        rest = json.dumps({"metadata": metadata, "nbformat": 4, "nbformat_minor": 5})
        cells = ",\n".join(map(_cell_text, self.cells))
        return f'{{"cells": [\n{cells}\n],\n{rest[1:]}\n'


def _cell_text(cell: dict[str, Any]) -> str:
    """A line for what a cell is, then one for each line of its source."""
    head = json.dumps({key: value for key, value in cell.items() if key != "source"})
    lines = ",\n".join(f" {json.dumps(line, ensure_ascii=False)}" for line in cell["source"])
    return f'{head[:-1]}, "source": [\n{lines}\n]}}'


def _moved_links(line: str, folder: str) -> str:
    """Links of a text in `folder`, as they must be in docs/notebooks/."""

    def moved(match: re.Match[str]) -> str:
        words, target, place = match.group(1), match.group(2), match.group(3) or ""
        if not target or re.match(r"[a-z]+:", target):
            return match.group()
        return f"{words}({posixpath.relpath(posixpath.join(folder, target), FOLDER.as_posix())}{place})"

    return _LINK.sub(moved, line)


def _commands(lines: list[str]) -> str | None:
    """A block of ./tutorial commands as a cell that runs the first one; the others are commented out."""
    if not lines or not all(line.startswith("./tutorial ") for line in lines):
        return None
    out: list[str] = []
    for line in lines:
        command, _, words = line.removeprefix("./tutorial ").partition("  ")
        call = f'tutorial("{command.strip()}")'
        if command.split()[0] not in ("run", "explain", "check"):
            return None
        if command.startswith("check"):
            call = f'tutorial("{command.strip()}", allowed=(0, 1))'
        out.append(("# " if out else "") + call + (f"  # {words.strip()}" if words.strip() else ""))
    return "\n".join(out)


def _blank(name: str, root: Path) -> str:
    """A cell that fills an exercise's blank, with the content that is handed out."""
    found = next((e for e in exercises.find(root) if e.id == name), None)
    if found is None:
        raise DocsError(f"no exercise is called {name}")
    return "\n".join([f"%%blank {name}", *found.notes.blank])


def _blank_cells(cells: _Cells, chapter: str, folder: Path) -> None:
    """The chapter's first exercise: its blank as it is handed out, in a cell, and the check."""
    first = sorted((folder / "exercises").glob("ex1_*.cu"))[0]
    shown = first.relative_to(folder.parent).as_posix()
    cells.text(
        f"**Here in the notebook**: the next cell is the blank of [{first.name}](../../{shown}). Edit it, run it, "
        "then run the check; both as often as you like. Other exercises work the same way: name them in both cells."
    )
    cells.code(_blank(f"{chapter}/ex1", folder.parent))
    cells.code(f'check("{chapter}/ex1")')


def chapter_notebook(folder: Path, root: Path = ROOT) -> str:
    """The notebook of a chapter, as the text of the file."""
    name, chapter = folder.name, folder.name.split("_")[0]
    lines = (folder / "README.md").read_text(encoding="utf-8").split("\n")
    last_line_of = dict(code_blocks(lines))
    cells = _Cells()
    text: list[str] = []
    stage = ""

    def flush() -> None:
        cells.text("\n".join(text))
        text.clear()

    def end_of_section() -> None:
        nonlocal stage
        flush()
        if stage:
            cells.code(f'tutorial("run {chapter} --stage {stage}")')
            cells.code(f'explain("{chapter} --stage {stage} --n {_EXPLAIN_N.get(chapter, 1024)}")')
        stage = ""

    at = 0
    while at < len(lines):
        line = lines[at]
        if at in last_line_of:
            end = last_line_of[at]
            cell = _commands(lines[at + 1 : end])
            if cell:
                flush()
                cells.code(cell)
            else:
                text.extend(lines[at : end + 1])
            at = end + 1
            continue
        image = _IMAGE.match(line)
        if image:
            flush()
            cells.code(f'figure("{name}/{image.group(1)}")')
        elif line.startswith("## "):
            end_of_section()
            match = _STAGE.match(line)
            stage = match.group(1) if match else ""
            text.append(line)
        elif line.startswith("# "):
            cells.text(line)
            cells.text(
                f"*This notebook is [the chapter's text](../../{name}/README.md) with cells that run its commands: "
                "on a GPU if there is one, otherwise on the emulator. Run the next cell first; the first command "
                "builds the chapter, which takes a minute or two. `./tutorial docs` makes this file: to change it, "
                "change the text.*"
            )
            cells.code(_BEGIN)
        elif not _MARKER.sub("", line).strip() and line.strip():
            pass  # a marker alone
        else:
            text.append(_moved_links(_MARKER.sub("", line), name))
            if line.startswith("<!-- end exercises"):
                flush()
        at += 1
    end_of_section()
    _blank_cells(cells, chapter, folder)
    cells.text("## Your results next to an H200's")
    cells.code(f'beside(run("{chapter}"))')
    return cells.json()


def start_notebook(text: str, root: Path = ROOT) -> str:
    """The notebook that start.md describes: its Python blocks are cells.

    A block `begin` stands for the cell that gets the tutorial; `blank ch01/ex1` for that exercise's blank.
    """
    lines = text.split("\n")
    last_line_of = dict(code_blocks(lines))
    cells = _Cells()
    part: list[str] = []
    at = 0
    while at < len(lines):
        if at in last_line_of and lines[at].strip() == "```python":
            cells.text("\n".join(part))
            part = []
            end = last_line_of[at]
            if lines[end].strip() != "```":
                raise DocsError("a block of Python is not closed")
            body = "\n".join(lines[at + 1 : end])
            blank = re.fullmatch(r"blank (\w+/\w+)", body.strip())
            if blank:
                body = _blank(blank.group(1), root)
            cells.code(_BEGIN if body.strip() == "begin" else body)
            at = end
        else:
            part.append(lines[at])
        at += 1
    cells.text("\n".join(part))
    return cells.json()


def run(root: Path, write: bool) -> list[str]:
    """Makes all notebooks; returns those that have changed, and with `write` writes them."""
    wanted = {f"{folder.name.split('_')[0]}.ipynb": chapter_notebook(folder, root) for folder in chapters(root)}
    start = root / FOLDER / "start.md"
    if start.exists():
        wanted["start.ipynb"] = start_notebook(start.read_text(encoding="utf-8"), root)
    changed = []
    for name, content in wanted.items():
        path = root / FOLDER / name
        if path.exists() and path.read_text(encoding="utf-8") == content:
            continue
        changed.append(path.relative_to(root).as_posix())
        if write:
            path.write_text(content, encoding="utf-8")
    return changed
