"""How a verb ends early."""

from __future__ import annotations

import difflib
from typing import Iterable

WRONG = 1  # a wrong result, a build or a test that failed
USAGE = 2  # a wrong option
MISSING = 3  # something is missing: a GPU, memory, a program, permission to write


class Refused(Exception):
    """One line for the user, and the exit code."""

    def __init__(self, code: int, text: str):
        super().__init__(text)
        self.code = code


def did_you_mean(word: str, names: Iterable[str]) -> str:
    """ " (did you mean test?)" for tset; empty if no name is similar."""
    like = difflib.get_close_matches(word, list(names), 1)
    return f" (did you mean {like[0]}?)" if like else ""
