"""What can be run and explained: chapters."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from building.build import Build
from building.errors import USAGE, Refused, did_you_mean
from building.repository import ROOT


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

    def goal(self, kind: str) -> str:
        """What CMake has to build for it; `kind` is cuda, cpu, lab, multi_gpu_cpu, or count: the lab
        without the search for faults."""
        return f"{self.name}_{kind}"

    def program(self, build: Build, kind: str) -> Path:
        return build.program(self.goal(kind))

    @staticmethod
    def find(word: str) -> Chapter | None:
        """ch01 or ch01_bubble; also ch01_bubble/, as a shell completes it."""
        return next((c for c in chapters() if word.rstrip("/") in (c.name, c.short)), None)


def chapters() -> list[Chapter]:
    return [Chapter(file.parent.name) for file in sorted(ROOT.glob("ch[0-9][0-9]_*/main.cu"))]


def find_chapters(words: list[str]) -> list[Chapter]:
    """The chapters that the words name; all if there are none."""
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
