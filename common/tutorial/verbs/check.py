"""./tutorial check: grades exercises. common/grading/tool reads the words and does the work."""

from __future__ import annotations

from .. import grading

SUMMARY = "grade your exercises: check [ch03 | ch03/ex2] [--watch | --hint | --solution | --reset]"


def main(words: list[str]) -> int:
    return grading.run("check", words)
