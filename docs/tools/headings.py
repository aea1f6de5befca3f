"""Do a chapter's texts have one heading for each stage of the program's table, in its order?

The heading of a stage begins with the stage's name in backticks: "## `shared`: one block …". Every stage has one, in
the chapter's README.md or in its fastest.md, and each of these pages keeps the order of the table. No other page of
the chapter has a heading of a stage.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import stage_list
from blocks import lines_outside_code
from errors import DocsError
from repository import ROOT, chapter_texts

PAGES = ("README.md", "fastest.md")  # where the stages are explained, in this order


def headings(text: str) -> list[str]:
    """Names of the stages that have a heading, in the order of the text."""
    matches = [re.match(r"^#{2,4} `([^`]+)`", line) for _, line in lines_outside_code(text)]
    return [match.group(1) for match in matches if match]


def chapter_headings(chapter: Path) -> list[str]:
    """Names of the stages that have a heading in README.md, then those in fastest.md."""
    return [name for names in _headings_by_page(chapter) for name in names]


def _headings_by_page(chapter: Path) -> list[list[str]]:
    pages = [chapter / name for name in PAGES]
    return [headings(page.read_text(encoding="utf-8")) if page.is_file() else [] for page in pages]


def listed(program: Path) -> list[str]:
    """Names of the stages (no host and library rows) that `program --list` prints."""
    run = subprocess.run([str(program), "--list"], capture_output=True, text=True, timeout=60)
    if run.returncode:
        raise DocsError(f"{program.name} --list failed: {run.stderr.strip() or run.returncode}")
    names = []
    for line in run.stdout.splitlines():
        words = line.split()
        if words[1:2] == ["stage"]:
            names.append(words[0])
    if not names:
        raise DocsError(f"{program.name} --list names no stage")
    return names


def check(chapter: Path, programs: Path, root: Path = ROOT) -> list[str]:
    """One line for each way in which the chapter's headings differ from the program's stages."""
    text = chapter / "README.md"
    shown = text.relative_to(root).as_posix()
    if not text.exists():
        return [f"{shown} does not exist"]
    candidates = [programs / f"{chapter.name}_{backend}" for backend in ("cuda", "cpu")]
    program = next((p for p in candidates if p.is_file()), None)
    if program is None:
        return [f"{shown}: neither {candidates[0].name} nor {candidates[1].name} is built in {programs}"]
    try:
        stages = listed(program)
    except (DocsError, OSError, subprocess.TimeoutExpired) as error:
        return [f"{shown}: {error}"]
    errors = []
    at_head = stage_list.names_of((chapter / "main.cu").read_text(encoding="utf-8"))
    if at_head and at_head != stages:
        errors.append(f"{shown}: main.cu lists {', '.join(at_head)}; the program's stages are {', '.join(stages)}")
    found = _headings_by_page(chapter)
    is_in_order = all(names == [stage for stage in stages if stage in names] for names in found)
    if not is_in_order or sorted(sum(found, [])) != sorted(stages):
        first, second = (", ".join(names) or "none" for names in found)
        more = f"; those of fastest.md are {second}" if (chapter / PAGES[1]).is_file() else ""
        errors.append(f"{shown}: its headings are {first}{more}; the program's stages are {', '.join(stages)}")
    for page in chapter_texts(chapter):
        if page.name not in PAGES:
            again = [name for name in headings(page.read_text(encoding="utf-8")) if name in stages]
            errors += [f"{page.relative_to(root).as_posix()}: a second heading of {name}" for name in again]
    return errors
