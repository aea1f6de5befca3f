"""The blank of an exercise's file: finding it, and putting a learner's text into the official file.

Only the blank is taken from a learner. Everything else comes from the solution's file, so that the task
cannot be changed.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Collection

from ..grading_error import GradingError

BEGIN = re.compile(r"^[ \t]*// ?TODO \(about \d+ lines?\)")
END = re.compile(r"^[ \t]*// ?END[ \t]*$")
MAX_BLANK_LINES, MAX_BLANK_BYTES = 2000, 64 << 10  # the longest solution has 40 lines
# Headers of CUDA and of C++ that a learner may include: in the blank, or among the file's other includes.
HEADERS = frozenset(
    """
    cuda_runtime.h cooperative_groups.h cooperative_groups/reduce.h cuda/atomic cuda_fp16.h algorithm array cassert
    cfloat climits cmath cstddef cstdint cstdio cstdlib cstring functional initializer_list iterator limits numeric
    tuple type_traits utility vector assert.h float.h limits.h math.h stddef.h stdint.h stdio.h stdlib.h string.h
""".split()
)
_INCLUDE = re.compile(r"^[ \t]*#[ \t]*include[ \t]*<[ \t]*([^>\s]{1,80})[ \t]*>[ \t]*(//.*)?$")
_GROUPS = re.compile(r"^[ \t]*namespace[ \t]+\w{1,80}[ \t]*=[ \t]*cooperative_groups[ \t]*;[ \t]*(//.*)?$")


@dataclass(frozen=True)
class Parts:
    """A file, cut at its blank: the markers belong to `before` and `after`. Lists of lines."""

    before: list[str]
    blank: list[str]
    after: list[str]

    @property
    def blank_line(self) -> int:
        """The number of the blank's first line."""
        return len(self.before) + 1

    @property
    def end_line(self) -> int:
        """The number of the line with the END marker."""
        return len(self.before) + len(self.blank) + 1


@dataclass(frozen=True)
class Merged:
    """The official text with those parts of a learner's file that count: `text` is what is compiled."""

    text: str
    # The learner's pieces of it: the number of the first line in the learner's file, and lines
    # of `text`. The last piece is the blank.
    pieces: tuple[tuple[int, list[str]], ...]

    @property
    def blank(self) -> tuple[int, list[str]]:
        """The first line's number, and the lines."""
        return self.pieces[-1]


def lines_of(text: str) -> list[str]:
    """The lines of a text, the same on any machine: without byte-order mark and CR."""
    # A CR alone ends a line for some readers but not for others; here it does.
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if text.startswith("\ufeff"):
        text = text[1:]
    return text[:-1].split("\n") if text.endswith("\n") else text.split("\n")


def cut(text: str, name: str) -> Parts:
    """Cuts the text of the file `name` at its blank; GradingError unless it has exactly one."""
    lines = lines_of(text)
    begins = [i for i, line in enumerate(lines) if BEGIN.match(line)]
    ends = [i for i, line in enumerate(lines) if END.match(line)]
    if len(begins) != 1:
        found = "none" if not begins else f"{len(begins)}, in the lines {', '.join(str(i + 1) for i in begins)}"
        raise GradingError(f"{name}: there must be one marker '// TODO (about N lines)', but there is {found}")
    following = [i for i in ends if i > begins[0]]
    if not following:
        raise GradingError(f"{name}: the marker '// END' below line {begins[0] + 1} is missing")
    if len(ends) != 1:
        raise GradingError(
            f"{name}: there must be one marker '// END', but there are {len(ends)}, "
            f"in the lines {', '.join(str(i + 1) for i in ends)}"
        )
    begin, end = begins[0] + 1, following[0]
    size = sum(len(line) + 1 for line in lines[begin:end])
    if end - begin > MAX_BLANK_LINES or size > MAX_BLANK_BYTES:
        raise GradingError(
            f"{name}: the blank has {end - begin} lines and {size} characters; at most {MAX_BLANK_LINES} lines and "
            f"{MAX_BLANK_BYTES} characters are graded"
        )
    return Parts(lines[:begin], lines[begin:end], lines[end:])


def _is_header(line: str) -> bool:
    found = _INCLUDE.match(line)
    return found is not None and found.group(1) in HEADERS and not _is_continued(line)


def _is_continued(line: str) -> bool:
    """Whether a compiler joins the next line to it: such a line is never moved or removed."""
    return line.rstrip().endswith("\\")


def taken_along(parts: Parts, official: Parts) -> dict[int, str]:
    """Lines above the blank that count as well, by number: further headers, a short name for cooperative_groups."""
    theirs = {line.strip() for line in official.before}
    return {
        number: line
        for number, line in enumerate(parts.before, 1)
        if (_is_header(line) or (_GROUPS.match(line) and not _is_continued(line))) and line.strip() not in theirs
    }


def what_counts(parts: Parts, official: Parts) -> list[str]:
    """All lines of a learner's file that a verdict depends on."""
    return [*taken_along(parts, official).values(), *parts.blank]


def changed_line(parts: Parts, official: Parts) -> int | None:
    """The first line of a learner's file that differs outside the blank, and does not count; or None."""
    taken = taken_along(parts, official)
    begin = [(number, line) for number, line in enumerate(parts.before, 1) if number not in taken]
    end = list(enumerate(parts.after, parts.end_line))
    for numbered, theirs in ((begin, official.before), (end, official.after)):
        mine = [line for _, line in numbered]
        for at, (number, line) in enumerate(numbered):
            if at >= len(theirs) or line.rstrip() != theirs[at].rstrip():
                # Empty lines at the end of the file do not matter.
                if any(rest.strip() for rest in mine[at:]) or at < len(theirs):
                    return number
                break
        if len(mine) < len(theirs):
            return numbered[-1][0] if numbered else 1
    return None


def outside(official: Parts, changed: int) -> str:
    """Says that a change outside the blank is ignored, and where a learner may put functions."""
    in_function = official.before[-1].startswith((" ", "\t"))
    helpers = "a helper may be placed in the blank" + (", as a lambda" if in_function else "")
    return (
        f"Line {changed} is outside the blank and was changed: only the blank counts, and "
        f"#include <...> lines; {helpers}."
    )


def is_same(mine: list[str], stub: list[str]) -> bool:
    """Whether a blank is as it was handed out."""
    return [line.rstrip() for line in mine if line.strip()] == [line.rstrip() for line in stub if line.strip()]


def merge(official: Parts, blank: list[str], shown: Parts, name: str, folder: Path, headers: Collection[str]) -> Merged:
    """The official text with the learner's blank in it, as a compiler should see it, and which parts are the learner's.

    `#line` makes it name the file `name` (absolute), whose lines are those of `shown`. Files
    included with quotes are looked for in `folder` first, as if the text were there, if they are among `headers`: no
    other path that a learner writes is tried. Headers of HEADERS that the learner includes are moved to the includes at
    the top: a blank may be a function's body.
    """

    quoted = name.replace("\\", "\\\\").replace('"', '\\"')

    def directive(number: int) -> str:
        return f'#line {number} "{quoted}"'

    def resolved(line: str) -> str:
        found = re.match(r'^([ \t]*#[ \t]*include[ \t]*)"([^"]{1,255})"(.*)$', line)
        path = os.path.normpath(folder / found.group(2)) if found else ""
        return f'{found.group(1)}"{path}"{found.group(3)}' if found and path in headers else line

    first_line = max(1, len(shown.before) - len(official.before) + 1)
    top = 1 + max((at for at, line in enumerate(official.before) if line.startswith("#include")), default=-1)
    more = taken_along(shown, official)
    more.update((number, line) for number, line in enumerate(blank, shown.blank_line) if _is_header(line))
    lines = [directive(first_line), *[resolved(line) for line in official.before[:top]]]
    pieces = []
    for number in sorted(more, key=lambda each: (not _is_header(more[each]), each)):
        lines += [directive(number), more[number]]
        pieces.append((number, lines[-1:]))
    lines += [directive(first_line + top), *[resolved(line) for line in official.before[top:]]]
    pieces.append((shown.blank_line, ["" if _is_header(line) else resolved(line) for line in blank]))
    lines += [directive(shown.blank_line), *pieces[-1][1]]
    # A blank that ends inside a macro must not swallow the directive.
    if blank and blank[-1].endswith("\\"):
        lines.append("")
    lines += [directive(shown.end_line), *[resolved(line) for line in official.after]]
    return Merged("\n".join(lines) + "\n", tuple(pieces))
