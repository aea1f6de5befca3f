"""A small tutorial in a folder of its own, with one exercise, for the tests."""

from __future__ import annotations

import tempfile
from pathlib import Path

import paths
from grading.files.exercise import Exercise

assert paths.COMMON.is_dir()

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


def small_tutorial() -> tuple[tempfile.TemporaryDirectory, Exercise]:
    """The folder, to be cleaned up, and its exercise; the learner's file is the stub."""
    folder = tempfile.TemporaryDirectory()
    root = Path(folder.name).resolve()
    for name in ("exercises", "solutions", "grading"):
        (root / "ch01_small" / name).mkdir(parents=True)
    (root / "common" / "harness").mkdir(parents=True)
    (root / "common" / "harness" / "cuda_check.hpp").write_text("#pragma once\n", encoding="utf-8")
    (root / "ch01_small" / "README.md").write_text("# Small\n\n## Twice\n", encoding="utf-8")
    exercise = Exercise(root, "ch01_small", "ex1_twice")
    exercise.solution.write_text(SOLUTION, encoding="utf-8")
    exercise.notes_file.write_text(NOTES, encoding="utf-8")
    exercise.learner.write_text(exercise.stub_text(), encoding="utf-8")
    return folder, Exercise(root, "ch01_small", "ex1_twice")  # it has not read its files yet
