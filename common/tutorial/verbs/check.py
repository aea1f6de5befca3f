"""./tutorial check: grades exercises. common/grading reads the words and does the work."""

from __future__ import annotations

from .. import grading, play

SUMMARY = "grade your exercises: check [ch03 | ch03/ex2] [--watch | --hint | --solution | --reset | --play]"


def main(words: list[str]) -> int:
    if "--play" in words:
        return play.check([word for word in words if word != "--play"])
    from grading.check import check  # importing it takes as long as a small program takes to run

    return grading.run("check", check.main, words)
