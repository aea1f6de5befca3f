"""C++ as text: without comments and literals, in time proportional to its length."""

from __future__ import annotations

import re

_QUOTES = "\"'"
# Matched whole, as compilers do, because the meaning of a quote after them depends on that. In a number, each quote
# followed by something separates digits.
_WORD_OR_NUMBER = re.compile(r"(?P<word>[^\W\d][\w$]*|\$[\w$]*)|\.?\d(?:[eEpP][+-]|'(?=[\w$])|[\w$.])*")
_PREFIXES, _RAW_PREFIXES = ("L", "u", "U", "u8"), ("R", "LR", "uR", "UR", "u8R")
_DIGITS = re.compile(r"(0[xX])?[\da-fA-F]('?[\da-fA-F])*[uUlLzZ]*|\.?\d('?\d)*(\.(\d('?\d)*)?)?([eE][+-]?\d+)?[fFlL]?")


def without_comments(text: str) -> str:
    """The code with its string literals; every line stays where it is."""
    return without_words(text, None)


def without_words(text: str, mark: str | None = " ") -> str:
    """The code alone: comments, strings and characters become blanks, and every line stays where it is. `mark`: what
    replaces a string; None: strings and characters stay as they are.
    """
    out: list[str] = []
    at, size = 0, len(text)
    word = ""  # that ends at `at`
    while at < size:
        is_text = is_literal = False
        if text.startswith("//", at):
            end = _line_end(text, at)
        elif text.startswith("/*", at):
            found = text.find("*/", at + 2)
            end = size if found < 0 else found + 2
        elif text[at] == '"' and word in _RAW_PREFIXES:
            end, is_text, is_literal = _raw_end(text, at), True, True
        elif text[at] in _QUOTES:
            end, is_text, is_literal = _quote_end(text, at), text[at] == '"', True
        else:
            found_word = _WORD_OR_NUMBER.match(text, at)
            end = found_word.end() if found_word else at + 1
            word = (found_word.group("word") or "") if found_word else ""
            out.append(text[at:end])
            at = end
            continue
        if is_text and word in _RAW_PREFIXES and mark is not None:
            out.pop()
        if is_literal and mark is None:
            out.append(text[at:end])
        else:
            out.append((mark if is_text and mark else " ") + "\n" * text.count("\n", at, end))
        at, word = end, ""
    return "".join(out)


def doubtful_quote(text: str) -> int | None:
    """The position of a quote that compilers and this reader may understand differently; None if there is none. These
    are raw strings, in which a backslash joins no lines, and unusual quotes in or after numbers and words. `text` is as
    without_comments() gives it.
    """
    at, size, before = 0, len(text), ""
    while at < size:
        if text[at] in _QUOTES:
            if before[-1:] == "R" or (text[at] == "'" and before and before not in _PREFIXES):
                return at
            at, before = _quote_end(text, at), '"'
            continue
        found = _WORD_OR_NUMBER.match(text, at)
        end = found.end() if found else at + 1
        before = found.group() if found else ""
        if "'" in before and not _DIGITS.fullmatch(before):
            return at
        at = end
    return None


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
    """The position after a raw string whose first quote is at `at`."""
    opened = text.find("(", at, at + 18)
    if opened < 0:
        return at + 1
    found = text.find(")" + text[at + 1 : opened] + '"', opened)
    return len(text) if found < 0 else found + opened - at + 1


def _quote_end(text: str, at: int) -> int:
    """The position after the closing quote; a literal ends with its line at the latest."""
    quote, end = text[at], at + 1
    while end < len(text) and text[end] != "\n":
        if text[end] == quote:
            return end + 1
        end += 2 if text[end] == "\\" else 1
    return min(end, len(text))


def braces(text: str) -> tuple[int, int]:
    """How many braces are open at the end, and how far below zero the count goes before."""
    depth, least = 0, 0
    for character in without_words(text):
        if character == "{":
            depth += 1
        elif character == "}":
            depth -= 1
            least = min(least, depth)
    return depth, least
