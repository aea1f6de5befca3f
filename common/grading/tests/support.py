"""A small tutorial in a folder of its own, with one exercise, for the tests."""

from __future__ import annotations

import io
import tarfile
import tempfile
import unittest
import zipfile
from pathlib import Path

import paths  # puts the tool's folder on the path
from grading.files.exercise import Exercise

SOLUTION = """\
// Exercise 1.1: twice as much  (fill in the blank)
//
// Task: Double every item.
// Given: A number x.
// Required: The result is 2 x.
// Read: ../README.md
// Check: ./tutorial check ch01/ex1     Stuck? Add --hint
#include "../../common/harness/cuda_check.hpp"

int twice(int x) {
    // TODO (about 1 line): twice x.
    return 2 * x;
    // END
}
"""

NOTES = """\
# Twice as much

kind: write
level: 1   (1 easy, 2 middling, 3 hard)
read: README.md#twice
teaches: multiplying.
stub-fails: answer

## Blank
```cpp
    return x;
```

## Hint 1
Multiply.

## Hint 2
By two.

## Wrong: the square
fails: answer
says: expected 2
It is right for 0 and for 2.
```cpp
    return x * x;
```

## Wrong: one more
fails: answer
says: expected 0
It is right for 1.
```cpp
    return x + 1;
```
"""


def scratch(test: unittest.TestCase) -> Path:
    """A folder that is removed after the test."""
    folder = tempfile.TemporaryDirectory()
    test.addCleanup(folder.cleanup)
    return Path(folder.name).resolve()


def small_tutorial(test: unittest.TestCase) -> Exercise:
    """Its exercise, in a folder that is removed after the test; the learner's file is the stub."""
    root = scratch(test)
    for name in ("exercises", "solutions", "grading"):
        (root / "ch01_small" / name).mkdir(parents=True)
    (root / "common" / "harness").mkdir(parents=True)
    (root / "common" / "harness" / "cuda_check.hpp").write_text("#pragma once\n", encoding="utf-8")
    (root / "ch01_small" / "README.md").write_text("# Small\n\n## Twice\n", encoding="utf-8")
    exercise = Exercise(root, "ch01_small", "ex1_twice")
    exercise.solution.write_text(SOLUTION, encoding="utf-8")
    exercise.notes_file.write_text(NOTES, encoding="utf-8")
    exercise.learner.write_text(exercise.stub_text(), encoding="utf-8")
    return Exercise(root, "ch01_small", "ex1_twice")  # it has not read its files yet


def zipped(files: dict[str, bytes]) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return made.getvalue()


def tarred(files: dict[str, bytes], kind: str = "gz") -> bytes:
    """The files, and a link that leads out of the archive."""
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode=f"w:{kind}") as archive:
        for name, data in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
        link = tarfile.TarInfo("ch02_reduce_baseline/exercises/ex1_link.cu")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)
    return made.getvalue()
