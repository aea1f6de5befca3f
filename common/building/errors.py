"""How a verb ends early."""

from __future__ import annotations

WRONG = 1  # a wrong result, a build or a test that failed
USAGE = 2  # a wrong option
MISSING = 3  # something is missing: a GPU, memory, a program, the right to write


class Refused(Exception):
    """One line for the user, and the exit code."""

    def __init__(self, code: int, text: str):
        super().__init__(text)
        self.code = code
