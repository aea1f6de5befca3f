"""./tutorial map: the learning path, from the first page to the last exercise, and your progress.

  ./tutorial map          the chapters, and the sections and exercises of the next one
  ./tutorial map ch03     the sections and exercises of a chapter
  ./tutorial map all      those of all of them

An exercise is below the section that prepares it. Nothing is built or graded: a mark says what
./tutorial check found last, [x] solved, [ ] not solved. Exit code: 0, 2 for a wrong name.
"""

from __future__ import annotations

import posixpath
import re
import sys
from dataclasses import dataclass, field
from pathlib import Path

from grading.check.checker import solved_before
from grading.check.state import State
from grading.files import exercise as exercises
from grading.files.exercise import Exercise
from grading.grading_error import GradingError

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "docs" / "tools"))
import links  # noqa: E402
from blocks import fenced_lines  # noqa: E402
from repository import chapter_texts  # noqa: E402

_INTRODUCTION = ("docs/gpu.md", "docs/first_kernel.md")
_BAR = 20  # characters of a bar


@dataclass
class Section:
    """A heading of a page, with the exercises that it prepares."""

    title: str
    level: int = 2  # 2 or 3; what is below level 3 belongs to the heading above it
    anchors: set[str] = field(default_factory=set)
    exercises: list[Exercise] = field(default_factory=list)


@dataclass
class Page:
    file: str  # relative to the repository
    title: str
    sections: list[Section]


@dataclass
class Part:
    """A chapter, or the first kernel with the page before it."""

    name: str  # ch03, first
    pages: list[Page]
    exercises: list[Exercise]


def read_page(file: Path, root: Path) -> Page:
    """A page's title and its sections."""
    text = file.read_text(encoding="utf-8")
    lines = text.split("\n")
    page = Page(file.relative_to(root).as_posix(), file.stem, [Section("")])
    for line, code in zip(lines, fenced_lines(lines)):
        heading = re.match(r"^(#{1,6}) (.*?)\s*$", line)
        if code or not heading:
            continue
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading.group(2)).replace("`", "")
        if len(heading.group(1)) == 1:
            page.title = re.sub(r"^Chapter \d+: ", "", plain)
        elif len(heading.group(1)) <= 3:
            page.sections.append(Section(plain, len(heading.group(1))))
        page.sections[-1].anchors |= links.anchors(line)
    return page


def parts(everything: list[Exercise], root: Path) -> list[Part]:
    """The learning path, in the order of reading."""
    found: list[Part] = []
    for folder in dict.fromkeys(e.folder for e in everything):
        mine = [e for e in everything if e.folder == folder]
        if mine[0].chapter == "first":
            files = [root / name for name in _INTRODUCTION if (root / name).is_file()]
        else:
            files = chapter_texts(root / folder)
        part = Part(mine[0].chapter, [read_page(file, root) for file in files], mine)
        for exercise in mine:
            _section_of(exercise, part).exercises.append(exercise)
        found.append(part)
    return found


def _section_of(exercise: Exercise, part: Part) -> Section:
    """The section that its notes name; if that is not found, the first section of the part."""
    name, _, anchor = exercise.notes.read.partition("#")
    file = posixpath.normpath(f"{exercise.folder}/{name}")
    page = next((page for page in part.pages if page.file == file), part.pages[0])
    return next((section for section in page.sections if anchor in section.anchors), page.sections[0])


def shown(found: list[Part], chosen: set[str], solved: set[str], where: str) -> str:
    """The text of the map. `chosen`: parts that are shown in full; `solved`, `where`: exercises' names."""
    lines = []
    titles = [part.pages[-1 if part.name == "first" else 0].title for part in found]
    width = max(map(len, titles), default=0)
    for part, title in zip(found, titles):
        done = sum(e.id in solved for e in part.exercises)
        bar = "#" * (_BAR * done // max(1, len(part.exercises)))
        title = title[:1].upper() + title[1:]
        lines.append(f"{part.name:<6} {title:<{width}} [{bar:<{_BAR}}] {done} of {len(part.exercises)}")
        if part.name not in chosen:
            continue
        for page in part.pages:
            lines.append(f"       {page.file}")
            for section in page.sections:
                if section.title and (section.level == 2 or section.exercises):
                    lines.append(f"         {'  ' * (section.level - 2)}{section.title}")
                for e in section.exercises:
                    here = "  <- you are here" if e.id == where else ""
                    lines.append(f"       [{'x' if e.id in solved else ' '}] {e.id}  {e.notes.title}{here}")
        lines.append("")
    return "\n".join(lines).rstrip("\n")


def main(words: list[str]) -> int:
    if "-h" in words or "--help" in words:
        print((__doc__ or "").strip())
        return 0
    try:
        everything = exercises.find()
        found = parts(everything, exercises.ROOT)
        state = State(exercises.ROOT / "build" / "exercises.json")
        solved = {e.id for e in everything if solved_before(e, state)}
        after = next((e for e in everything if e.id not in solved), None)
        names = {part.name for part in found}
        for word in words:
            if exercises.short_name(word.rstrip("/")) not in names | {"all"}:
                raise GradingError(f"there is no '{word}'; there are: {', '.join(sorted(names))}, all")
        chosen = {exercises.short_name(word.rstrip("/")) for word in words} or {after.chapter if after else ""}
        print(shown(found, names if "all" in chosen else chosen, solved, after.id if after else ""))
        print(f"\n{len(solved)} of {len(everything)} exercises solved.", end="")
        print(f" Next: {after.id}, {after.shown(after.learner)}" if after else "")
        return 0
    except GradingError as error:
        print(f"tutorial: map: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        return 1
