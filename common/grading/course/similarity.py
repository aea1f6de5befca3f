"""Which students' blanks are alike: equal but for names, spacing and comments, or nearly so.

It says who should be asked, and proves nothing: there are not many ways to write a short blank.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

from ..check import code_text

_TOKEN = re.compile(r"[A-Za-z_]\w*|\d[\w.']*|<<<|>>>|->|::|<<|>>|[-+*/%&|^=<>!]=|&&|\|\||\+\+|--|\S")
_RUN = 6  # tokens that are compared together
_LEAST = 30  # tokens: of shorter blanks many are equal by nature
_SIMILAR = 0.8  # of the runs of the two together

COLUMNS = ("exercise", "alike", "students")


@dataclass(frozen=True)
class Alike:
    """Students whose answers to an exercise are alike; `share` of 1: equal."""

    exercise: str
    share: float
    students: tuple[str, ...]


def tokens_of(lines: list[str]) -> tuple[str, ...]:
    """The blank's tokens; its names are numbered as they come."""
    names: dict[str, str] = {}
    tokens: list[str] = []
    for token in _TOKEN.findall(code_text.without_words("\n".join(lines), mark='""')):
        if re.match(r"[A-Za-z_]", token) and (not tokens or tokens[-1] not in (".", "->", "::")):
            token = names.setdefault(token, f"n{len(names)}")
        tokens.append(token)
    return tuple(tokens)


def find(blanks: dict[str, dict[str, list[str]]], official: dict[str, list[str]]) -> list[Alike]:
    """`blanks`: by exercise and student; `official`: the solutions' by exercise. The most alike first."""
    found: list[Alike] = []
    for exercise, by_student in blanks.items():
        groups: dict[tuple[str, ...], list[str]] = {}
        for student, lines in by_student.items():
            tokens = tokens_of(lines)
            if len(tokens) >= _LEAST:
                groups.setdefault(tokens, []).append(student)
        solution = tokens_of(official.get(exercise, []))
        for tokens, students in groups.items():
            if tokens == solution:
                students = [*sorted(students), "the solution"]
            if len(students) > 1:
                found.append(Alike(exercise, 1.0, tuple(students)))
        found += _similar(exercise, groups)
    return sorted(found, key=lambda one: (-one.share, one.exercise, one.students))


def _similar(exercise: str, groups: dict[tuple[str, ...], list[str]]) -> list[Alike]:
    """Pairs of groups that share most of their runs of tokens."""
    every = [(students, _runs(tokens)) for tokens, students in groups.items()]
    found = []
    for i, (one, runs) in enumerate(every):
        for other, others in every[i + 1 :]:
            most = max(sum(runs.values()), sum(others.values()))
            if min(sum(runs.values()), sum(others.values())) < _SIMILAR * most:
                continue
            common, together = sum((runs & others).values()), sum((runs | others).values())
            if common >= _SIMILAR * together:
                found.append(Alike(exercise, common / together, tuple(sorted([*one, *other]))))
    return found


def _runs(tokens: tuple[str, ...]) -> Counter:
    return Counter(tokens[i : i + _RUN] for i in range(len(tokens) - _RUN + 1))
