"""The blank of an exercise's file: finding it, and putting a learner's text into the official file.

Only the blank is taken from a learner. What stands outside comes from the solution's file, so that
nobody can change what is asked for.
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
MARKERS = "a line '// TODO (about N lines)' and, below it, a line '// END'"


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


def lines_of(text: str) -> list[str]:
    """The lines of a text, as they would be on any machine: without byte-order mark and CR."""
    # A CR alone ends a line for some readers and not for others: here it does.
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if text.startswith("\ufeff"):
        text = text[1:]
    return text[:-1].split("\n") if text.endswith("\n") else text.split("\n")


def cut(text: str, name: str) -> Parts:
    """Cuts the text of the file `name` at its blank; GradingError where it has not exactly one."""
    lines = lines_of(text)
    begins = [i for i, line in enumerate(lines) if BEGIN.match(line)]
    ends = [i for i, line in enumerate(lines) if END.match(line)]
    if len(begins) != 1:
        found = "none" if not begins else f"{len(begins)}, in the lines {', '.join(str(i + 1) for i in begins)}"
        raise GradingError(f"{name}: there must be one marker '// TODO (about N lines)', and there is {found}")
    following = [i for i in ends if i > begins[0]]
    if not following:
        raise GradingError(f"{name}: the marker '// END' below line {begins[0] + 1} is missing")
    if len(ends) != 1:
        raise GradingError(
            f"{name}: there must be one marker '// END', and there are {len(ends)}, "
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


def changed_line(parts: Parts, official: Parts) -> int | None:
    """The first line of a learner's file that differs outside the blank, or None."""
    for first, mine, theirs in ((1, parts.before, official.before), (parts.end_line, parts.after, official.after)):
        for number, line in enumerate(mine, first):
            at = number - first
            if at >= len(theirs) or line.rstrip() != theirs[at].rstrip():
                # Empty lines at the end of the file do not matter.
                if any(rest.strip() for rest in mine[at:]) or at < len(theirs):
                    return number
                break
        if len(mine) < len(theirs):
            return first + len(mine) - 1
    return None


def merge(official: Parts, blank: list[str], shown: Parts, name: str, folder: Path, headers: Collection[str]) -> str:
    """The official text with the learner's blank in it, as a compiler should see it.

    `#line` makes it name the file `name` (absolute), whose lines are those of `shown`. Files
    included with quotes are looked for in `folder` first, as if the text stood there, if they are
    among `headers`: no other path that a learner writes is looked at.
    """

    quoted = name.replace("\\", "\\\\").replace('"', '\\"')

    def directive(number: int) -> str:
        return f'#line {number} "{quoted}"'

    def resolved(line: str) -> str:
        found = re.match(r'^([ \t]*#[ \t]*include[ \t]*)"([^"]{1,255})"(.*)$', line)
        path = os.path.normpath(folder / found.group(2)) if found else ""
        return f'{found.group(1)}"{path}"{found.group(3)}' if found and path in headers else line

    lines = [directive(max(1, len(shown.before) - len(official.before) + 1))]
    lines += [resolved(line) for line in official.before]
    lines += [directive(shown.blank_line), *[resolved(line) for line in blank]]
    # A blank that ends inside a macro must not swallow the directive.
    if blank and blank[-1].endswith("\\"):
        lines.append("")
    lines += [directive(shown.end_line), *[resolved(line) for line in official.after]]
    return "\n".join(lines) + "\n"
