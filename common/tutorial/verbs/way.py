"""./tutorial map: chapters, sections and exercises, and which are solved. common/grading does the work."""

from __future__ import annotations

from .. import grading

SUMMARY = "the whole way, chapter by chapter, and how far you are: map [ch03 | all]"


def main(words: list[str]) -> int:
    return grading.run_without_build("map", words)
