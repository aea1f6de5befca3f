"""Submissions as learning platforms export them: folders, zips and loose files, by student.

Moodle:  Anna Berg_12345_assignsubmission_file_/…    a folder, or a file whose name begins so
Canvas:  berganna_LATE_12345_67890_ex1_tail-2.cu    files; LATE and the number of the attempt may be missing
others:  anna/… and anna.zip

A loose file is identified by its folder (ch03/ex2.cu), by its name (ex2_sectors.cu, ch03_ex2.cu) or by the first line
that it was handed out with (// Exercise 3.2: …). Zips are read with limits, and only small .cu files are
written, under names of our own: so they cannot write outside the folder, nor unpack to a huge size.
"""

from __future__ import annotations

import bz2
import contextlib
import gzip
import lzma
import os
import re
import stat
import struct
import tarfile
import zipfile
import zlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Callable, cast

from ..grading_error import GradingError

CHAPTER = re.compile(r"^(ch\d\d|first)(_\w+)?$")

_MOODLE = re.compile(
    r"^(?P<name>.+?)_(?P<number>\d+)_assignsubmission_(?:\w*?file|onlinetext)(?:_(?P<file>.*))?$", re.DOTALL
)
_CANVAS = re.compile(r"^(?P<name>[^_]+)(?P<late>_LATE)?_(?P<number>\d+)_\d+_(?P<file>.+)$", re.DOTALL)
_HEADING = re.compile(rb"^(?:\xef\xbb\xbf)?// (?:Exercise (\d{1,2})\.(\d{1,2})|Warm-up (\d{1,2})):")
_ATTEMPT = re.compile(r"-(\d{1,4})$")  # that Canvas puts after the name

# A source file as mail, browsers and editors rename it: ex2.cu.txt, ex2.CU, ex2.cpp, "ex2 (1).cu", "ex2 - Copy.cu".
_SOURCE = re.compile(
    r"^(?P<stem>.*?)(?: ?\(\d{1,3}\)| - Copy| copy)*\.(?:cu|cpp)(?: ?\(\d{1,3}\))?(?:\.txt)?$", re.I | re.DOTALL
)
_ZIP, _TAR = (".zip",), (".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz")
_ARCHIVES = (*_ZIP, *_TAR)
_FOREIGN = (".rar", ".7z", ".zipx", ".lzh", ".tar.zst")  # archives that are not read
# Folders that programs make for themselves: they lie among the students' folders, but belong to no student.
_OF_PROGRAMS = re.compile(
    r"\.(git|github|svn|hg|vscode|idea|vs|devcontainer|cache|ccache|local|config|ipynb_checkpoints|Trash.*|Spotlight.*|"
    r"fseventsd|DocumentRevisions.*|TemporaryItems|stfolder|dropbox.*|sync|AppleDouble|ssh)|__MACOSX",
    re.IGNORECASE,
)
_NOT_THE_STUDENTS = ("solutions", "grading")  # next to exercises/ in a copy of the tutorial

_MAX_ENTRIES = 4000  # in a folder with its subfolders, and in a zip
_MAX_DEPTH = 8
_MAX_NESTED = 4  # a folder with a zip in a zip: each archive counts, and so do its contents
_MAX_ARCHIVES = 10  # per student, nested or side by side
_MAX_ZIP = 32 << 20  # bytes of a student's zip
_MAX_FILE = 1 << 20  # bytes of a source file
_MAX_UNPACKED = 64 << 20  # bytes of all source files of a student
_MAX_TAR = 512 << 20  # bytes of a tar once it is decompressed
_MAX_CLASS = 4 << 30  # bytes of a zip with a whole class
# What zipfile and the libraries under it raise if an archive is damaged.
_ZIP_ERRORS: tuple[type[Exception], ...] = (
    *(zipfile.BadZipFile, tarfile.TarError, zlib.error, lzma.LZMAError, struct.error, RuntimeError, EOFError, OSError),
    *(ValueError, LookupError, ArithmeticError, MemoryError, AssertionError, TypeError),
)


@dataclass
class HandedIn:
    """What one student has handed in, unexamined."""

    name: str
    number: str = ""  # the platform's number of the student or of the submission
    is_late: bool = False  # as the platform says
    sources: list[tuple[Path, str]] = field(default_factory=list)  # a file or folder, and its name as handed in


@dataclass(frozen=True)
class Found:
    """A source file; `attempt` is Canvas's number for it."""

    path: Path
    shown: str  # its name as handed in, with its folders and archives
    attempt: int = 0


def of_class(folder: Path) -> tuple[list[HandedIn], list[str]]:
    """All students whose work is in a class's folder, and the names of the files that belong to no student.

    Students are identified by folders, including hidden ones, by zips, and by the platforms' names of files.
    """
    students: dict[tuple[str, str], HandedIn] = {}
    left: list[str] = []
    for entry in _entries(folder, with_hidden=True):
        name, is_folder = entry.name, entry.is_dir(follow_symlinks=False)
        if not is_folder and (name.startswith(".") or not entry.is_file(follow_symlinks=False)):
            continue
        if is_folder and _OF_PROGRAMS.fullmatch(name):
            continue
        moodle, canvas = _MOODLE.match(name), None if is_folder else _CANVAS.match(name)
        found = moodle or canvas
        if found:
            key = (found["name"], found["number"])
            student = students.setdefault(key, HandedIn(*key))
            student.is_late = student.is_late or bool(canvas and canvas["late"])
            student.sources.append((Path(entry.path), found["file"] or name))
        elif is_folder:
            students.setdefault((name, ""), HandedIn(name)).sources.append((Path(entry.path), name))
        elif name.lower().endswith((*_ARCHIVES, *_FOREIGN)):
            owner = re.sub(r"(\.tar)?\.\w+$", "", name)
            students.setdefault((owner, ""), HandedIn(owner)).sources.append((Path(entry.path), name))
        else:
            left.append(name)
    return list(students.values()), left


def is_platforms(folder: Path) -> bool:
    """Whether something in it is named the way a platform names submissions."""
    return any(
        _MOODLE.match(entry.name) or (_CANVAS.match(entry.name) and _is_of_interest(entry.name))
        for entry in _entries(folder)
    )


def files_of(student: HandedIn, names: dict[str, str], room: Path) -> tuple[dict[str, list[Found]], str]:
    """The student's source files by exercise, and a line about what could not be read. `room`: a folder for unpacked
    files.

    `names`: the exercises by the names of their files (ex2_sectors).
    """
    found: dict[str, list[Found]] = {}
    troubles: list[str] = []
    for path, name in student.sources:
        try:
            for source, shown in _sources(path, name, room, 0, troubles):
                exercise = _exercise_of(source, shown, names)
                if exercise:
                    number = _ATTEMPT.search(stem_of(shown.split("/")[-1]))
                    found.setdefault(exercise, []).append(Found(source, shown, int(number[1]) if number else 0))
        except GradingError as error:
            troubles.append(str(error))
        except Exception as error:  # whatever it is: grading continues
            troubles.append(f"what was handed in cannot be read: {one_line(error)}")
    latest = {}
    for exercise, files in found.items():
        last = max(file.attempt for file in files)
        latest[exercise] = [file for file in files if file.attempt == last]
    return latest, "; ".join(dict.fromkeys(troubles))


def unpack_class(archive: Path, room: Path) -> Path:
    """The folder into which a class's zip was unpacked; GradingError if it is not a zip. Zips in it are kept as they
    are."""
    into = room / "class"
    _unpack(archive, into, _MAX_CLASS, archive.name)
    visible = [entry for entry in _entries(into) if not entry.name.startswith((".", "__MACOSX"))]
    # One folder around everything does not name a student.
    alone = len(visible) == 1 and visible[0].is_dir() and not CHAPTER.match(visible[0].name)
    return Path(visible[0].path) if alone and not _MOODLE.match(visible[0].name) else into


def _sources(path: Path, shown: str, room: Path, depth: int, troubles: list[str]) -> list[tuple[Path, str]]:
    """The .cu files in a folder, a zip, or the file itself, each with its name as handed in.

    An archive in a folder that cannot be read gets a line in `troubles`; the other files are still found.
    """
    if depth > _MAX_NESTED:
        return []
    if path.is_symlink():
        return []
    if shown.lower().endswith(_FOREIGN) and path.is_file():
        raise GradingError(f"{shown_name(shown)} is an archive of an unsupported kind: use zip or tar")
    if shown.lower().endswith(_ARCHIVES) and path.is_file():
        # Numbered, so that no archive's name is used for a folder of ours.
        number = sum(1 for _ in room.iterdir()) if room.is_dir() else 0
        if number >= _MAX_ARCHIVES:
            raise GradingError(f"there are more than {_MAX_ARCHIVES} archives in it")
        into = room / f"zip{number}"
        _unpack(path, into, _MAX_ZIP, shown)
        return [(file, f"{shown}/{name}") for file, name in _sources(into, "", room, depth + 1, troubles)]
    if not path.is_dir():
        return [(path, shown)] if stem_of(shown.split("/")[-1]) else []
    found: list[tuple[Path, str]] = []
    waiting, seen = [(path, "", 0)], 0
    while waiting:
        folder, prefix, level = waiting.pop()
        for entry in _entries(folder):
            seen += _is_of_interest(entry.name) or entry.is_dir(follow_symlinks=False)
            if seen > _MAX_ENTRIES:
                raise GradingError(f"there are more than {_MAX_ENTRIES} files")
            name = f"{prefix}{entry.name}"
            if entry.is_dir(follow_symlinks=False):
                if level < _MAX_DEPTH and not entry.name.startswith((".", "__MACOSX")):
                    waiting.append((Path(entry.path), f"{name}/", level + 1))
            elif entry.name.lower().endswith((*_ARCHIVES, *_FOREIGN)):
                try:
                    found += _sources(Path(entry.path), name, room, depth + 1, troubles)
                except GradingError as error:
                    troubles.append(str(error))
            elif stem_of(entry.name):
                found.append((Path(entry.path), name))  # whether it is a link, for instance, is checked later
    return found


def _unpack(archive: Path, into: Path, most: int, shown: str) -> None:
    """Writes the small files of some kinds; GradingError with one line of text if that fails."""
    shown = shown_name(shown)
    try:
        if archive.stat().st_size > most:
            raise GradingError(f"{shown} is larger than {most >> 20} MiB")
        into.mkdir(parents=True)
        if shown.lower().endswith(_TAR):
            _unpack_tar(archive, into, shown)
            return
        with zipfile.ZipFile(archive) as opened:
            entries = opened.infolist()
            if most == _MAX_ZIP:
                entries = [entry for entry in entries if _is_of_interest(entry.filename)]
            max_entries = _MAX_ENTRIES if most == _MAX_ZIP else 100 * _MAX_ENTRIES
            if len(entries) > max_entries:
                raise GradingError(f"{shown} holds more than {max_entries} files")
            left = _MAX_UNPACKED if most == _MAX_ZIP else most
            for entry in entries:
                if most == _MAX_CLASS and not _is_of_interest(entry.filename) and not entry.is_dir():
                    _keep_place(entry, into)  # so that its student gets a row
                    continue
                try:
                    left -= _unpack_one(opened, entry, into, min(left, most))
                except _ZIP_ERRORS:
                    if most != _MAX_CLASS:
                        raise
                    _keep_place(entry, into)  # of one student's file; grading continues
                if left < 0:
                    raise GradingError(f"{shown} holds more than {_MAX_UNPACKED >> 20} MiB of source files")
    except GradingError:
        raise
    except _ZIP_ERRORS as error:
        raise GradingError(f"{shown} cannot be unpacked: {one_line(error)}") from None


def shown_name(name: str) -> str:
    """An archive's or a student's name, to be shown on one line."""
    return "".join(c if c.isprintable() else "\ufffd" for c in name)[:200]


def one_line(error: Exception) -> str:
    """Its text, as one short line."""
    return " ".join(str(error).split())[:100] or type(error).__name__


def _keep_place(entry: zipfile.ZipInfo, into: Path) -> None:
    """An empty file in place of one that cannot be unpacked: its student's row says that it is not an exercise."""
    path = into.joinpath(*(part for part in re.split(r"[/\\]", entry.filename) if part not in ("", ".", "..")))
    with contextlib.suppress(OSError, ValueError):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"")


def _unpack_one(opened: zipfile.ZipFile, entry: zipfile.ZipInfo, into: Path, most: int) -> int:
    """Writes one file; returns its number of bytes. Files of other kinds are left out."""
    if entry.is_dir() or stat.S_ISLNK(entry.external_attr >> 16):
        return 0
    return _write(entry.filename, into, lambda: opened.open(entry), most)


def _write(name: str, into: Path, open_entry: Callable[[], IO[bytes] | None], most: int) -> int:
    """Writes an archive's file `name` below `into`, if it is a source file or an archive; returns its number of
    bytes."""
    parts = [part for part in re.split(r"[/\\]", name) if part not in ("", ".")]
    if not parts or ".." in parts or name.startswith(("/", "\\")):
        return 0
    if not _is_of_interest(parts[-1]) or len(parts) > _MAX_DEPTH + 2 or re.match(r"^\w:", parts[0]):
        return 0
    if any(len(os.fsencode(part)) > 200 or "\0" in part for part in parts) or parts[0] == "__MACOSX":
        return 0
    limit = _MAX_FILE + 1 if stem_of(parts[-1]) else most  # one more byte, so that the reader calls it too large
    stream = open_entry()
    if stream is None:
        return 0
    with stream:
        data = stream.read(limit)  # whatever its header says about its size
    path = into.joinpath(*parts)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return len(data)


class _LimitedReader:
    """Reads at most _MAX_TAR bytes of a decompressed file: tarfile itself reads what a header asks for."""

    def __init__(self, file: IO[bytes]):
        self._file, self._left = file, _MAX_TAR

    def read(self, size: int = -1) -> bytes:
        if size < 0 or size > self._left:
            raise ValueError(f"it holds more than {_MAX_TAR >> 20} MiB")
        self._left -= size
        return self._file.read(size)


def _opened_plain(archive: Path) -> IO[bytes]:
    """A tar without its compression."""
    kind = archive.suffix.lower()
    if kind in (".gz", ".tgz"):
        return cast("IO[bytes]", gzip.open(archive, "rb"))
    if kind == ".bz2":
        return bz2.open(archive, "rb")
    return lzma.open(archive, "rb") if kind == ".xz" else open(archive, "rb")


def _unpack_tar(archive: Path, into: Path, shown: str) -> None:
    """As for zips: plain files only, read one after the other."""
    left, count = _MAX_UNPACKED, 0
    with _opened_plain(archive) as plain:
        reader = cast("IO[bytes]", _LimitedReader(plain))
        with tarfile.open(fileobj=reader, mode="r|") as opened:
            for entry in opened:
                count += _is_of_interest(entry.name)
                if count > _MAX_ENTRIES:
                    raise GradingError(f"{shown} holds more than {_MAX_ENTRIES} files")
                if entry.isreg():
                    left -= _write(entry.name, into, lambda: opened.extractfile(entry), min(left, _MAX_ZIP))
                if left < 0:
                    raise GradingError(f"{shown} holds more than {_MAX_UNPACKED >> 20} MiB of source files")


def stem_of(name: str) -> str:
    """ex2 for ex2.cu, Ex2.CU, ex2.cu.txt, "ex2 (1).cu" and ex2.cpp; empty if it is not a source file."""
    found = _SOURCE.match(name)
    return found["stem"] if found else ""


def _exercise_of(path: Path, shown: str, names: dict[str, str]) -> str:
    """Which exercise's file this is; empty if it is no exercise's."""
    parts = shown.split("/")
    stem = _ATTEMPT.sub("", stem_of(parts[-1])).lower()
    parts = [part.lower() for part in parts]
    if len(parts) > 2 and parts[-2] in _NOT_THE_STUDENTS and (CHAPTER.match(parts[-3]) or "first_kernel" in parts):
        return ""
    number = re.match(r"ex(\d{1,2})(_|$)", stem)
    chapters = [part.split("_")[0] for part in parts[:-1] if CHAPTER.match(part)]
    if not chapters and "first_kernel" in parts[:-1]:
        chapters = ["first"]
    known = set(names.values())
    if chapters and number:
        exercise = f"{chapters[-1]}/ex{number[1]}"
        return exercise if exercise in known else ""
    if stem in names:
        return names[stem]
    both = re.match(r"(ch\d\d|first)(?:_[a-z_]*?)?[_. -]*ex(\d{1,2})(?!\d)", stem)
    if both and f"{both[1]}/ex{both[2]}" in known:
        return f"{both[1]}/ex{both[2]}"
    try:
        with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC), "rb") as file:
            heading = _HEADING.match(file.read(200)) if stat.S_ISREG(os.fstat(file.fileno()).st_mode) else None
    except OSError:
        return ""
    if not heading:
        return ""
    exercise = f"first/ex{int(heading[3])}" if heading[3] else f"ch{int(heading[1]):02}/ex{int(heading[2])}"
    return exercise if exercise in known else ""


def _is_of_interest(name: str) -> bool:
    return name.lower().endswith(_ARCHIVES) or stem_of(re.split(r"[/\\]", name)[-1]) != ""


def _entries(folder: Path, with_hidden: bool = False) -> list[os.DirEntry]:
    """What is in it by name; nothing if it cannot be read."""
    try:
        with os.scandir(folder) as entries:
            chosen = [entry for entry in entries if with_hidden or not entry.name.startswith(".")]
            return sorted(chosen, key=lambda e: e.name)
    except OSError:
        return []
