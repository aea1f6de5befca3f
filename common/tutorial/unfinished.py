"""What a bench has measured so far, so that one that was stopped continues from there.

A folder next to the results, .unfinished/ch05, holds a CSV file for each run. Programs append each row
as soon as it is measured. The folder is removed when the results are complete. A bench starts from scratch if the
sources, the GPU or the toolkit are no longer those of the rows.
"""

from __future__ import annotations

import contextlib
import csv
import fcntl
import hashlib
import io
import shutil
import subprocess
from pathlib import Path
from typing import Callable, Dict, Iterator

from building.errors import MISSING, Refused
from building.repository import ROOT, shown

from . import merge_results
from .merge_results import Row

FOLDER = ".unfinished"
_MADE_BY = "made_by.csv"
_IS_THE_SAME = ("stage", *merge_results.FIELDS_OF_A_RUN)


def fingerprint(files: list[Path]) -> str:
    """A value that stays the same until one of the files is changed, removed or added."""
    digest = hashlib.sha256()
    for path in sorted(files):
        content = path.read_bytes()
        digest.update(f"{path.relative_to(ROOT).as_posix()}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()


def sources(chapter: Path) -> str:
    """The fingerprint of everything that a chapter's programs are built from, except their tests."""
    harness = (ROOT / "common" / "harness").rglob("*")
    files = [path for pattern in ("*.cu", "*.hpp", "*.cuh", "fastest/*.cuh") for path in chapter.glob(pattern)]
    files += [path for path in harness if path.suffix in (".cpp", ".cu", ".hpp", ".cuh")]
    files += [*(ROOT / "common" / "cmake").glob("*.cmake"), ROOT / "CMakeLists.txt", ROOT / "CMakePresets.json"]
    return fingerprint([path for path in files if path.is_file() and not {"tests", "tests.cu"} & set(path.parts)])


Keep = Callable[[str, Dict[str, str]], "Unfinished"]


@contextlib.contextmanager
def kept(results: Path, again: bool) -> Iterator[Keep]:
    """Yields a function that makes an Unfinished. If the block ends without an exception, the results are
    complete, and what was kept is removed. The function refuses to run while another bench measures into the
    same folder."""
    folder = results / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    made: list[Unfinished] = []

    def make(name: str, made_by: dict[str, str]) -> Unfinished:
        locks.enter_context(_lock(folder / f"{name}.lock", name, results))
        made.append(Unfinished(folder / name, made_by, again))
        return made[-1]

    with contextlib.ExitStack() as locks:
        yield make
        for one in made:
            shutil.rmtree(one.folder)
            one.folder.with_suffix(".lock").unlink()
    with contextlib.suppress(OSError):  # other chapters are still unfinished
        folder.rmdir()


@contextlib.contextmanager
def _lock(file: Path, name: str, results: Path) -> Iterator[None]:
    with open(file, "w", encoding="ascii") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Refused(
                MISSING, f"another bench measures {name} into {shown(results)}: wait for it, or use --out"
            ) from None
        yield


class Unfinished:
    """The rows of one chapter so far."""

    def __init__(self, folder: Path, made_by: dict[str, str], again: bool = False):
        """`made_by`: what must be the same for rows to be usable, by the words that name it to the user."""
        self.folder, name = folder, folder.name
        note = self.folder / _MADE_BY
        if self.folder.is_dir():
            before = _read_note(note)
            changed = [what for what in made_by if before.get(what) != made_by[what]]
            if again or changed:
                if changed and not again:
                    print(f"{name} is measured again; changed since it was stopped: {', '.join(changed)}.")
                shutil.rmtree(self.folder)
            elif rows := sum(len(_read(path)) for path in self.folder.glob("*-*.csv")):
                counted = f"{rows} row{'s' if rows > 1 else ''}"
                print(f"{name}: continuing after {counted} of an earlier bench; --again starts from scratch.")
        self.folder.mkdir(parents=True, exist_ok=True)
        with open(note, "w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows(made_by.items())

    def file(self, process: int, words: list[str]) -> Path:
        """Where the rows of a line of options are kept for the process with that number."""
        return self.folder / f"{process}-{hashlib.sha256(' '.join(words).encode()).hexdigest()[:16]}.csv"

    def rows(self, process: int, words: list[str]) -> list[Row]:
        """The rows so far. All of them are compared with the same rows, whichever process measured them."""
        rows = _read(self.file(process, words))
        library = next((row["library"] for row in rows if row["library"]), "")
        first = ""
        for row in rows:
            first = first or row["first"]  # the rows above the first stage have none
            row["first"], row["library"] = first, library
        return rows

    def rest(self, program: str, process: int, words: list[str]) -> list[str] | None:
        """The options that measure what is missing from a run; None if nothing is."""
        file = self.file(process, words)
        rows = _read(file)
        if not rows:
            file.unlink(missing_ok=True)  # a header, or less
            return words
        merge_results.write(file, rows)  # without rows that are wrong or cut off
        there = {row["stage"] for row in rows}
        options, stages = merge_results.split_stages(words)
        missing = [stage for stage in stages or _all_stages(program, options) if stage not in there]
        return [*options, "--stage", *missing] if missing else None


def _all_stages(program: str, options: list[str]) -> list[str]:
    """The names of all rows that a program has with these options."""
    done = subprocess.run([program, *options, "--list"], capture_output=True, text=True, check=False)
    if done.returncode:
        raise Refused(abs(done.returncode), f"{Path(program).name} --list failed: {done.stderr.strip()}")
    return [line.split()[0] for line in done.stdout.splitlines() if line.strip()]


def _read(file: Path) -> list[Row]:
    """The complete and right rows of a file, each once."""
    found: dict[tuple[str, ...], Row] = {}
    text = file.read_text(encoding="utf-8") if file.is_file() else ""
    for row in csv.DictReader(io.StringIO(text[: text.rfind("\n") + 1])):
        is_whole = None not in row and None not in row.values()
        if is_whole and row["check"] != "wrong":
            found.setdefault(tuple(row[key] for key in _IS_THE_SAME), row)
    return list(found.values())


def _read_note(file: Path) -> dict[str, str]:
    if not file.is_file():
        return {}
    with open(file, encoding="utf-8", newline="") as stream:
        return {row[0]: row[1] for row in csv.reader(stream) if len(row) == 2}
