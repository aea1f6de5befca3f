"""./tutorial map: chapters, sections and exercises, and which are solved."""

from __future__ import annotations

SUMMARY = "the whole way, chapter by chapter, and how far you are: map [ch03 | all]"


def main(words: list[str]) -> int:
    from .. import learning_map  # it takes as long to read as a small program takes to run

    return learning_map.main(words)
