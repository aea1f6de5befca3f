"""What can be run and explained: targets. KINDS lists their kinds."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from building.build import Build
from building.errors import USAGE, Refused, did_you_mean
from building.repository import ROOT


class Target(Protocol):
    """Something that a program is built from."""

    @property
    def name(self) -> str:
        """Its name in messages."""

    def goals(self, build: Build, kind: str) -> list[str]:
        """What CMake has to build for it; `kind` is cuda, cpu, lab, or count: the lab without the search for faults."""

    def finish(self, build: Build, kind: str) -> None:
        """What remains to be done for it after CMake's work."""

    def program(self, build: Build, kind: str) -> Path:
        """The command that runs it."""


@dataclass(frozen=True)
class Chapter:
    """A folder chNN_name with a main.cu."""

    name: str

    @property
    def short(self) -> str:
        return self.name.partition("_")[0]

    @property
    def folder(self) -> Path:
        return ROOT / self.name

    def goals(self, build: Build, kind: str) -> list[str]:
        return [f"{self.name}_{kind}"]

    def finish(self, build: Build, kind: str) -> None:
        pass

    def program(self, build: Build, kind: str) -> Path:
        return build.program(f"{self.name}_{kind}")

    @staticmethod
    def find(word: str) -> Chapter | None:
        """ch01 or ch01_bubble; also ch01_bubble/, as a shell completes it."""
        return next((c for c in chapters() if word.rstrip("/") in (c.name, c.short)), None)


# In this order, each is asked whether a word is one of its targets.
KINDS = (Chapter,)


def chapters() -> list[Chapter]:
    return [Chapter(file.parent.name) for file in sorted(ROOT.glob("ch[0-9][0-9]_*/main.cu"))]


def find(words: list[str]) -> list[Target]:
    """The targets that the words name; all chapters if there are none."""
    found: list[Target] = []
    for word in words:
        target = next((target for kind in KINDS if (target := kind.find(word))), None)
        if target is None:
            raise unknown(word)
        found.append(target)
    if not found:
        found.extend(chapters())
    if not found:
        raise Refused(USAGE, "there is no chapter yet")
    return found


def find_chapters(words: list[str]) -> list[Chapter]:
    """The same for verbs that know chapters only."""
    found = []
    for word in words:
        chapter = Chapter.find(word)
        if chapter is None:
            raise unknown(word)
        found.append(chapter)
    if not (found or chapters()):
        raise Refused(USAGE, "there is no chapter yet")
    return found or chapters()


def kind_in_lab(options: list[str]) -> str:
    """What a chapter's options need of the lab: all of it, or only what counts, which compiles in less time."""
    looks_for_faults = any(word in ("--faults", "--trace") or word.startswith("--trace=") for word in options)
    return "lab" if looks_for_faults else "count"


def unknown(word: str) -> Refused:
    there = " ".join(chapter.name for chapter in chapters())
    names = [name for chapter in chapters() for name in (chapter.short, chapter.name)]
    return Refused(USAGE, f"unknown chapter '{word}'{did_you_mean(word, names)}; there are: {there or 'none'}")
