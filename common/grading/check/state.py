"""What is remembered between two calls of `check`: verdicts, and which hints were given.

A file below build/, which may be removed at any time.
"""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import asdict
from pathlib import Path

from ..files.blank import Parts
from ..files.exercise import Exercise, HEADERS
from .attempt import merged_text, Verdict
from .build import Backend

# What a verdict depends on besides the learner's file: a change there may change it.
_DEPENDENCIES = (
    *HEADERS,
    "common/grading/lib/*.hpp",
    "common/emulator/translate.py",
    "common/emulator/rewriting/*.py",
    "common/emulator/include/**/*.h",
    "common/emulator/include/**/*.hpp",
    "common/lab/include/lab/*.hpp",
    "common/grading/rules/*.py",
    "common/grading/files/code_text.py",
)
MAX_TRIES = 3  # predictions whose numbers are judged one by one: before the first hint, and after each
_VERSION = 1  # version of the file's format
_digests: dict[tuple[str, int, int], bytes] = {}


def file_digest(path: Path) -> bytes:
    """The hash of a file's bytes; of nothing if it cannot be read."""
    try:
        status = path.stat()
        key = (str(path), status.st_mtime_ns, status.st_size)
        if key not in _digests:
            _digests[key] = hashlib.sha256(path.read_bytes()).digest()
        return _digests[key]
    except OSError:
        return b""


def verdict_key(exercise: Exercise, shown: Parts, backend: Backend) -> str:
    """The same as long as nothing has changed that the verdict depends on."""
    digest = hashlib.sha256(merged_text(exercise, shown, exercise.learner).text.encode())
    digest.update("\0".join([backend.kind, backend.compiler, *backend.options]).encode())
    for path in backend.inputs(exercise.id):
        digest.update(file_digest(path))
    for pattern in _DEPENDENCIES:
        for path in sorted(exercise.root.glob(pattern.format(chapter=exercise.folder))):
            digest.update(file_digest(path))
    return digest.hexdigest()


class State:
    """Reads the file at once; writes it after each change."""

    def __init__(self, path: Path):
        self._path = path
        self._data: dict = {"version": _VERSION, "verdicts": {}, "hints": {}, "solved": {}}
        try:
            data = json.loads(path.read_text(encoding="utf-8"))
            if data.get("version") == _VERSION:
                self._data = data
        except (OSError, ValueError, AttributeError):
            pass  # of another version, or half written: start over

    def verdict(self, exercise: Exercise, kind: str, key: str) -> Verdict | None:
        entry = self._data["verdicts"].get(f"{exercise.id} {kind}")
        if not isinstance(entry, dict) or entry.get("key") != key:
            return None
        return Verdict(**{key: value for key, value in entry.items() if key != "key"})

    def keep(self, exercise: Exercise, key: str, verdict: Verdict) -> None:
        self._data["verdicts"][f"{exercise.id} {verdict.kind}"] = {"key": key, **asdict(verdict)}
        self._write()

    def was_solved(self, exercise: Exercise, lines: list[str]) -> bool:
        """Whether exactly this blank was found right the last time it was checked."""
        return self._data["solved"].get(exercise.id) == _blank_digest(lines)

    def set_solved(self, exercise: Exercise, lines: list[str], solved: bool) -> None:
        now = _blank_digest(lines) if solved else ""
        if self._data["solved"].get(exercise.id, "") != now:
            self._data["solved"][exercise.id] = now
            self._write()

    def next_hint(self, exercise: Exercise, most: int) -> int:
        """How many hints to show now: one more than last time."""
        count = min(most, self.hints_given(exercise) + 1)
        self._data["hints"][exercise.id] = count
        self._write()
        return count

    def hints_given(self, exercise: Exercise) -> int:
        return int(self._data["hints"].get(exercise.id, 0))

    def forget_hints(self, exercise: Exercise) -> None:
        """Keeps the predictions that were tried: otherwise a reset would make trying free again."""
        if self._data["hints"].pop(exercise.id, None) is not None:
            self._write()

    def add_try(self, exercise: Exercise, lines: list[str]) -> None:
        """Records a wrong prediction; the same one counts once."""
        tried, now = self._tries().setdefault(exercise.id, []), _blank_digest(lines)
        if now not in tried:
            tried.append(now)
            self._write()

    def has_tries_left(self, exercise: Exercise, lines: list[str]) -> bool:
        """Whether a prediction is checked before the next hint is read; after the last hint, every one is."""
        given = self.hints_given(exercise)
        return given >= len(exercise.notes.hints) or self._is_judged_singly(exercise, lines, given)

    def judges_together(self, exercise: Exercise, lines: list[str]) -> bool:
        """Whether the check no longer says which number is wrong: all tries are used, including those of each hint."""
        return not self._is_judged_singly(exercise, lines, len(exercise.notes.hints))

    def _is_judged_singly(self, exercise: Exercise, lines: list[str], hints: int) -> bool:
        tried = self._tries().get(exercise.id, [])
        return len(tried) < MAX_TRIES * (hints + 1) or _blank_digest(lines) in tried[: MAX_TRIES * (hints + 1)]

    def _tries(self) -> dict[str, list[str]]:
        return self._data.setdefault("tries", {})

    def _write(self) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        temporary = self._path.with_name(f"{self._path.name}.{os.getpid()}")
        temporary.write_text(json.dumps(self._data, indent=1), encoding="utf-8")
        os.replace(temporary, self._path)


def _blank_digest(lines: list[str]) -> str:
    return hashlib.sha256("\n".join(line.rstrip() for line in lines).encode()).hexdigest()
