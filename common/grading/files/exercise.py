"""The exercises, and the files of each."""

from __future__ import annotations

import os
import re
import stat
from dataclasses import dataclass, field
from pathlib import Path

from ..grading_error import GradingError
from . import blank, notes

ROOT = Path(__file__).resolve().parents[3]
# The folders that have exercises, in the order of reading: the warm-ups, then the chapters.
FOLDERS = ("docs/first_kernel", "ch[0-9][0-9]_*")
# The tutorial's headers that a learner's file may include.
HEADERS = (
    "{chapter}/*.hpp",
    "{chapter}/*.cuh",
    "{chapter}/fastest/*.cuh",
    "{chapter}/*.h",
    "common/harness/*.hpp",
    "common/harness/*.cuh",
)
_MAX_BYTES = 1 << 20  # a file that a person writes is far smaller


def short_name(folder: str) -> str:
    """What a folder is called on the command line: ch03_reduce_optimized is ch03, docs/first_kernel is first."""
    return folder.split("/")[-1].split("_")[0]


@dataclass(frozen=True)
class Exercise:
    """One exercise; `root` is the tutorial's folder."""

    root: Path
    folder: str  # ch03_reduce_optimized, docs/first_kernel
    name: str  # ex2_coalesced
    _cache: dict = field(default_factory=dict, compare=False, repr=False)

    @property
    def id(self) -> str:
        """ch03/ex2, first/ex2"""
        return f"{self.chapter}/{self.name.split('_')[0]}"

    @property
    def chapter(self) -> str:
        """ch03, first"""
        return short_name(self.folder)

    @property
    def learner(self) -> Path:
        return self.root / self.folder / "exercises" / f"{self.name}.cu"

    @property
    def solution(self) -> Path:
        return self.root / self.folder / "solutions" / f"{self.name}.cu"

    @property
    def grader(self) -> Path:
        return self.root / self.folder / "grading" / f"{self.name}.cu"

    @property
    def notes_file(self) -> Path:
        return self.root / self.folder / "grading" / f"{self.name}.md"

    @property
    def notes(self) -> notes.Notes:
        if "notes" not in self._cache:
            self._cache["notes"] = notes.parse(self.notes_file, self.shown(self.notes_file))
        return self._cache["notes"]

    @property
    def official(self) -> blank.Parts:
        """The solution, cut at its blank: every attempt is put into the rest."""
        if "official" not in self._cache:
            self._cache["official"] = blank.cut(
                read_text(self.solution, self.shown(self.solution)), self.shown(self.solution)
            )
        return self._cache["official"]

    @property
    def headers(self) -> frozenset[str]:
        """The tutorial's headers that a learner's file may include: full paths."""
        if "headers" not in self._cache:
            found = [p for pattern in HEADERS for p in self.root.glob(pattern.format(chapter=self.folder))]
            self._cache["headers"] = frozenset(os.path.normpath(path) for path in found)
        return self._cache["headers"]

    def stub_text(self) -> str:
        """The learner's file as it was at first."""
        official = self.official
        return "\n".join([*official.before, *self.notes.blank, *official.after]) + "\n"

    def shown(self, path: Path) -> str:
        return path.relative_to(self.root).as_posix() if self.root in path.parents else str(path)


def read_text(path: Path, shown: str, decodes_utf16: bool = False) -> str:
    """The text of a small UTF-8 file; GradingError if it is something else. UTF-16 only with a byte-order mark."""
    try:
        # Neither a link nor a pipe, which would make its reader wait.
        with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise GradingError(f"{shown} is not a file")
            data = file.read(_MAX_BYTES + 1)
    except FileNotFoundError:
        raise GradingError(f"{shown} is not there") from None
    except (OSError, ValueError) as error:
        raise GradingError(f"{shown} cannot be read: {getattr(error, 'strerror', error)}") from None
    if len(data) > _MAX_BYTES:
        raise GradingError(f"{shown} is larger than 1 MiB")
    is_utf16 = decodes_utf16 and data.startswith((b"\xff\xfe", b"\xfe\xff"))
    try:
        text = data.decode("utf-16" if is_utf16 else "utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise GradingError(f"{shown}:{line}: this is not UTF-8 text") from None
    if "\0" in text:
        raise GradingError(f"{shown}: this is not text: it contains a zero byte")
    return text


def find(root: Path = ROOT) -> list[Exercise]:
    """All exercises: the warm-ups, then from the first chapter to the last, each from easy to hard."""
    found = []
    for pattern in FOLDERS:
        here = [
            Exercise(root, path.parents[1].relative_to(root).as_posix(), path.stem)
            for path in root.glob(f"{pattern}/grading/ex*.md")
            if re.fullmatch(r"ex\d+_\w+", path.stem)
        ]
        found += sorted(here, key=lambda e: (e.folder, int(re.findall(r"\d+", e.name)[0])))
    return found


def select(words: list[str], exercises: list[Exercise]) -> list[Exercise]:
    """Those that the words name: first, ch03, ch03_reduce_optimized, ch03/ex2, or a file; all if there are no words."""
    if not words:
        return exercises
    chosen = []
    for word in words:
        matching = [e for e in exercises if _named(word, e)]
        if not matching:
            chapters = list(dict.fromkeys(e.chapter for e in exercises))
            chapter = short_name(word.split("/")[0])
            there = [e.id for e in exercises if e.chapter == chapter] or chapters
            raise GradingError(f"there is no exercise '{word}'; there are: {', '.join(there) or 'none'}")
        chosen += [e for e in matching if e not in chosen]
    return [e for e in exercises if e in chosen]


def _named(word: str, exercise: Exercise) -> bool:
    word = word.rstrip("/")
    chapter, number = exercise.id.split("/")
    names = {chapter, exercise.folder, exercise.id, f"{exercise.folder}/{number}", f"{chapter}/{exercise.name}"}
    if word in names or word == f"{exercise.folder}/exercises":
        return True
    return word.endswith(".cu") and Path(word).resolve() == exercise.learner.resolve()
