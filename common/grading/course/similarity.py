"""Which students' blanks are alike, also where one of them was disguised; and how sure that is.

A blank is cut into its statements. Of each only what a disguise leaves alone is kept: names that the student has
chosen, types and qualifiers count for nothing, operands have no order, and `for` is the statements that it is
short for. Two blanks are alike if one of them contains nearly all statements of the other, in nearly the same order.

It says who should be asked, and proves nothing: there are not many ways to write a short blank.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import Collection, Mapping

from ..files import code_text

_TOKEN = re.compile(
    r"[A-Za-z_]\w*|\d[\w.']*|<<<|>>>|->|::|<<=|>>=|<<|>>|[-+*/%&|^=<>!]=|&&|\|\||\+\+|--|\S",
)
_LEAST = 30  # tokens: of shorter blanks many are equal by nature
_SIMILAR = 0.8  # of the tokens of the shorter one, by statements
_MAX_LENGTHENED = 2.5  # one that is so much longer than the other is another program
_SURE = 0.95
_MANY = 4  # answers of which more than half have a statement: it is what the exercise asks for

# They change nothing, or are another word for the same.
_DROPPED = frozenset(
    "const constexpr static inline volatile register unsigned signed int long short char float double bool auto size_t "
    "uint32_t uint64_t int32_t int64_t std for while do if ( ) , :".split()
)
_SAME = {">": "<", ">=": "<=", "++": "+= 1", "--": "-= 1"}
_CUDAS = re.compile(r"__\w+|(thread|block)Idx|(block|grid)Dim|warpSize|(atomic|cuda)\w+|min|max|return|break|continue")

COLUMNS = ("exercise", "alike", "students")


@dataclass(frozen=True)
class Alike:
    """Students whose answers to an exercise are alike; `share` of 1: equal but for names and spacing."""

    exercise: str
    share: float
    students: tuple[str, ...]

    @property
    def words(self) -> str:
        """How alike they are, and how sure it is that this is no accident."""
        if self.share == 1.0:
            return "equal"
        return f"{min(self.share, 0.99):.0%} ({'very likely' if self.share >= _SURE else 'likely'} one answer)"


Statement = tuple[str, ...]


@dataclass(frozen=True)
class _Answer:
    """An answer, and all students who have it."""

    students: tuple[str, ...]
    statements: list[Statement]


def tokens_of(lines: list[str]) -> tuple[str, ...]:
    """The blank's tokens; its names are numbered as they come."""
    names: dict[str, str] = {}
    tokens: list[str] = []
    for token in _tokens(lines):
        if re.match(r"[A-Za-z_]", token) and (not tokens or tokens[-1] not in (".", "->", "::")):
            token = names.setdefault(token, f"n{len(names)}")
        tokens.append(token)
    return tuple(tokens)


def _tokens(lines: list[str]) -> list[str]:
    return _TOKEN.findall(code_text.without_words("\n".join(lines), mark='""'))


def statements_of(lines: list[str], given: Collection[str] = ()) -> list[Statement]:
    """What each statement does, in no order. `given`: names that the exercise gives, and nobody can change."""
    found: list[Statement] = []
    now: list[str] = []
    for token in [*_tokens(lines), ";"]:
        if token in ("{", "}", ";"):
            if now:
                found.append(tuple(sorted(now)))
            now = []
        elif token not in _DROPPED:
            named = re.match(r"[A-Za-z_]", token) is not None
            kept = not named or token in given or _CUDAS.fullmatch(token)
            now += _SAME.get(token, token if kept else "name").split()
    return found


def find(
    blanks: dict[str, dict[str, list[str]]],
    official: dict[str, list[str]],
    given: Mapping[str, Collection[str]] | None = None,
) -> list[Alike]:
    """`blanks`: by exercise and student; `official`: the solutions' by exercise. The most alike first.

    `given`: by exercise the names that stand outside its blank.
    """
    found: list[Alike] = []
    for exercise, by_student in blanks.items():
        names = (given or {}).get(exercise, ())
        groups: dict[tuple[str, ...], list[str]] = {}
        for student, lines in by_student.items():
            tokens = tokens_of(lines)
            if len(tokens) >= _LEAST:
                groups.setdefault(tokens, []).append(student)
        solution = tokens_of(official.get(exercise, []))
        answers = []
        for tokens, students in groups.items():
            answers.append(_Answer(tuple(students), statements_of(by_student[students[0]], names)))
            if tokens == solution:
                students = [*sorted(students), "the solution"]
            if len(students) > 1:
                found.append(Alike(exercise, 1.0, tuple(students)))
        found += _similar(exercise, answers)
    return sorted(found, key=lambda one: (-one.share, one.exercise, one.students))


def _similar(exercise: str, answers: list[_Answer]) -> list[Alike]:
    """Pairs of answers of which one contains most of the other."""
    having = Counter(statement for answer in answers for statement in set(answer.statements))
    common = {s for s, times in having.items() if len(answers) > _MANY and 2 * times > len(answers)}
    told = [[s for s in answer.statements if s not in common] or answer.statements for answer in answers]
    found = []
    for i, one in enumerate(told):
        for j, other in enumerate(told[:i]):
            shorter, longer = sorted((_size(one), _size(other)))
            both = Counter(one) & Counter(other)
            if longer > _MAX_LENGTHENED * shorter or _size(list(both.elements())) < _SIMILAR * shorter:
                continue
            share = _in_order(one, other) / shorter
            if share >= _SIMILAR:
                students = tuple(sorted([*answers[i].students, *answers[j].students]))
                found.append(Alike(exercise, min(share, 0.999), students))
    return found


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
