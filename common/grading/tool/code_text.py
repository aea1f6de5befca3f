"""C++ as text: without comments and literals, in time that grows with its length and no faster."""

from __future__ import annotations

import re

_QUOTES = "\"'"
_RAW_PREFIX = re.compile(r"(^|[^\w])(u8|u|U|L)?$")  # before the R of a raw text


def without_comments(text: str) -> str:
    """The code with its texts; every line stays where it is."""
    return without_words(text, None)


def without_words(text: str, mark: str | None = " ") -> str:
    """The code alone: comments, texts and characters become blanks, and every line stays where it is.

    `mark`: what stands for a text; None: texts and characters stay as they are.
    """
    out: list[str] = []
    at, size = 0, len(text)
    while at < size:
        is_text = is_literal = False
        if text.startswith("//", at):
            end = _line_end(text, at)
        elif text.startswith("/*", at):
            found = text.find("*/", at + 2)
            end = size if found < 0 else found + 2
        elif text.startswith('R"', at) and _RAW_PREFIX.search(text, max(0, at - 3), at):
            end, is_text, is_literal = _raw_end(text, at), True, True
        elif text[at] in _QUOTES and not _is_separator(text, at):
            end, is_text, is_literal = _quote_end(text, at), text[at] == '"', True
        else:
            out.append(text[at])
            at += 1
            continue
        if is_literal and mark is None:
            out.append(text[at:end])
        else:
            out.append((mark if is_text and mark else " ") + "\n" * text.count("\n", at, end))
        at = end
    return "".join(out)


def _line_end(text: str, at: int) -> int:
    """The end of the line, which a backslash continues."""
    while True:
        found = text.find("\n", at)
        if found < 0:
            return len(text)
        if text[found - 1] != "\\":
            return found
        at = found + 1


def _raw_end(text: str, at: int) -> int:
    opened = text.find("(", at, at + 19)
    if opened < 0:
        return at + 2
    found = text.find(")" + text[at + 2 : opened] + '"', opened)
    return len(text) if found < 0 else found + opened - at


def _quote_end(text: str, at: int) -> int:
    """Behind the closing quote; a literal ends with its line at the latest."""
    quote, end = text[at], at + 1
    while end < len(text) and text[end] != "\n":
        if text[end] == quote:
            return end + 1
        end += 2 if text[end] == "\\" else 1
    return min(end, len(text))


def _is_separator(text: str, at: int) -> bool:
    """Whether the quote stands between digits: 1'000."""
    return (
        text[at] == "'"
        and at > 0
        and at + 1 < len(text)
        and (text[at - 1].isdigit() or text[at - 1] in "abcdefABCDEF")
        and text[at + 1].isalnum()
        and _begins_with_digit(text, at)
    )


def _begins_with_digit(text: str, at: int) -> bool:
    start = at
    while start > 0 and at - start < 40 and (text[start - 1].isalnum() or text[start - 1] in "_'"):
        start -= 1
    return text[start].isdigit()


def braces(text: str) -> tuple[int, int]:
    """How many braces stay open at the end, and how far below zero the count goes on the way."""
    depth, least = 0, 0
    for character in without_words(text):
        if character == "{":
            depth += 1
        elif character == "}":
            depth -= 1
            least = min(least, depth)
    return depth, least
