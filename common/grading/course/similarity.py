"""Which students' blanks are alike, even if one of them was disguised; and how certain that is.

Blanks whose text is the same except for names and spacing are equal. The others are compared by what a
compiler has made of them (compiled.py), without the statements that the blank has when it is handed out. Two
are alike if one of them contains nearly all statements of the other, in nearly the same order.

It says whom to ask, but proves nothing: there are only a few ways to write a short blank.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace
from typing import Collection, Mapping

from ..files import code_text
from .compiled import Statement

_TOKEN = re.compile(
    r"[A-Za-z_]\w*|\d[\w.']*|<<<|>>>|->|::|<<=|>>=|<<|>>|[-+*/%&|^=<>!]=|&&|\|\||\+\+|--|\S",
)
_CUDAS = re.compile(r"__\w+|(thread|block)Idx|(block|grid)Dim|warpSize|(atomic|cuda)\w+|min|max")
_LEAST = 30  # tokens: many shorter blanks are alike by chance
_SIMILAR = 0.8  # of the tokens of the shorter one, by statements
_MAX_LENGTHENED = 1.6  # one that is this much longer is a different program
_SURE = 0.95
_MANY = 4  # answers: what more than half of this many contain is what the exercise asks for

COLUMNS = ("exercise", "alike", "students")


@dataclass(frozen=True)
class Alike:
    """Students whose answers to an exercise are alike; `share` of 1: equal except for names and spacing."""

    exercise: str
    share: float
    students: tuple[str, ...]
    is_most: bool = False  # of more than half the class

    @property
    def words(self) -> str:
        """How alike they are, and how certain it is that this is not an accident."""
        most = "; more than half the class: is there another way to write it?" if self.is_most else ""
        if self.share == 1.0:
            return f"equal{most}"
        sure = "very likely" if self.share >= _SURE else "likely"
        return f"{min(self.share, 0.99):.0%} ({sure} one answer{most})"


@dataclass(frozen=True)
class _Answer:
    """An answer, and all students who have it."""

    students: tuple[str, ...]
    statements: list[Statement]


def tokens_of(lines: list[str]) -> tuple[str, ...]:
    """The blank's tokens; its names, except CUDA's, are numbered in order of appearance."""
    names: dict[str, str] = {}
    tokens: list[str] = []
    for token in _tokens(lines):
        if (
            re.match(r"[A-Za-z_]", token)
            and not _CUDAS.fullmatch(token)
            and (not tokens or tokens[-1] not in (".", "->", "::"))
        ):
            token = names.setdefault(token, f"n{len(names)}")
        tokens.append(token)
    return tuple(tokens)


def _tokens(lines: list[str]) -> list[str]:
    return _TOKEN.findall(code_text.without_words("\n".join(lines), mark='""'))


def different(by_student: Mapping[str, list[str]]) -> dict[tuple[str, ...], list[str]]:
    """The answers, no two of them the same except for names and spacing, each with the students who have it."""
    groups: dict[tuple[str, ...], list[str]] = {}
    for student, lines in by_student.items():
        tokens = tokens_of(lines)
        if len(tokens) >= _LEAST:
            groups.setdefault(tokens, []).append(student)
    return groups


def find(
    blanks: Mapping[str, Mapping[str, list[str]]],
    official: Mapping[str, list[str]],
    compiled: Mapping[str, Mapping[str, list[Statement]]],
) -> list[Alike]:
    """`blanks`: by exercise and student; `official`: the solutions' by exercise. The most alike first.

    `compiled`: the statements of the blank by exercise and student; one is enough for all whose text is the same.
    """
    found: list[Alike] = []
    for exercise, by_student in blanks.items():
        solution = tokens_of(official.get(exercise, []))
        answers = []
        for tokens, students in different(by_student).items():
            made = next((s for s in map(compiled.get(exercise, {}).get, students) if s), None)
            if made:
                answers.append(_Answer(tuple(students), made))
            is_most = _is_most(students, by_student)
            if tokens == solution:
                students = [*sorted(students), "the solution"]
            if len(students) > 1:
                found.append(Alike(exercise, 1.0, tuple(students), is_most))
        alike = _similar(exercise, answers)
        found += [replace(one, is_most=_is_most(one.students, by_student)) for one in alike]
    return sorted(found, key=lambda one: (-one.share, one.exercise, one.students))


def _is_most(students: Collection[str], of: Collection[str]) -> bool:
    return len(of) > _MANY and 2 * len(students) > len(of)


def _similar(exercise: str, answers: list[_Answer]) -> list[Alike]:
    """Answers of which one contains most of another: those that are surely alike together, others in pairs."""
    having = Counter(statement for answer in answers for statement in set(answer.statements))
    common = {s for s, times in having.items() if len(answers) > _MANY and 2 * times > len(answers)}
    whole = [answer.statements for answer in answers]
    told = [[s for s in statements if s not in common] for statements in whole]
    pairs = []
    for i in range(len(answers)):
        for j in range(i):
            # What most have written does not count; but if two whole answers are the same, most may have copied.
            share = max(_share(told[i], told[j]), _share(whole[i], whole[j], _SURE))
            if share >= _SIMILAR:
                pairs.append((min(share, 0.999), i, j))
    group = list(range(len(answers)))  # for each answer a number; answers that are surely alike share one
    shares: dict[int, float] = {}
    for share, i, j in sorted(pairs, reverse=True):
        if share >= _SURE:
            low, high = sorted((group[i], group[j]))
            shares[low] = share
            group = [low if number == high else number for number in group]
    found = [(share, [a for a, n in zip(answers, group) if n == low]) for low, share in shares.items() if low in group]
    found += [(share, [answers[i], answers[j]]) for share, i, j in pairs if group[i] != group[j]]
    made = []
    for share, alike in found:
        students = tuple(sorted(student for answer in alike for student in answer.students))
        made.append(Alike(exercise, share, students))
    return made


def _share(one: list[Statement], other: list[Statement], least: float = _SIMILAR) -> float:
    """How much of the shorter one is in the other; 0 if that is less than `least`, or if the other is much longer."""
    shorter, longer = sorted((_size(one), _size(other)))
    both = Counter(one) & Counter(other)
    if not shorter or longer > _MAX_LENGTHENED * shorter or _size(list(both.elements())) < least * shorter:
        return 0.0
    share = _in_order(one, other) / shorter
    return share if share >= least else 0.0


def _size(statements: list[Statement]) -> int:
    return sum(len(statement) for statement in statements)


def _in_order(one: list[Statement], other: list[Statement]) -> float:
    """Tokens of the statements that both have; one that has moved counts half."""
    row = [0] * (len(other) + 1)
    for statement in one:
        last = row
        row = [0]
        for at, its in enumerate(other):
            row.append(last[at] + len(its) if its == statement else max(last[at + 1], row[at]))
    moved = _size(list((Counter(one) & Counter(other)).elements())) - row[-1]
    return row[-1] + moved / 2
