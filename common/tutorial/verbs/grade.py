"""./tutorial grade: grades students' folders. common/grading reads the words and does the work."""

from __future__ import annotations

from .. import grading

SUMMARY = "grade a whole class: grade DIR… --csv FILE; see grade --help"


def main(words: list[str]) -> int:
    from grading.course import grade  # importing it takes as long as a small program takes to run

    return grading.run("grade", grade.main, words)
