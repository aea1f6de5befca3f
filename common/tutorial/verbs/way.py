"""./tutorial map: chapters, sections and exercises, and which are solved."""

from __future__ import annotations

SUMMARY = "the learning path, chapter by chapter, and your progress: map [ch03 | all]"


def main(words: list[str]) -> int:
    from .. import learning_map  # importing it takes as long as a small program takes to run

    return learning_map.main(words)
