"""Takes a function, a type or a constant out of a C++ or CUDA source, by its name and verbatim."""

from __future__ import annotations

import re
import textwrap

from errors import DocsError

_TOKEN = re.compile(
    r"""//[^\n]*                                 # comment to the end of the line
      | /\*.*?\*/                                # comment
      | R"(?P<tag>[^\s()\\]{0,16})\(.*?\)(?P=tag)"   # raw string
      | "(?:\\.|[^"\\\n])*"                      # string
      | (?<![0-9a-zA-Z_])'(?:\\.|[^'\\\n])+'     # character, not a digit separator
    """,
    re.VERBOSE | re.DOTALL,
)
_DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n\\]|\\.|\\\n)*", re.MULTILINE)
_BLANK = re.compile(r"[^\n]")
_OPEN = {"(": ")", "{": "}", "[": "]"}


def _masked(source: str) -> str:
    """The source with comments, strings and directives blanked; every offset stays the same."""

    def blank(match: re.Match) -> str:
        return _BLANK.sub(" ", match.group())

    text = _TOKEN.sub(blank, source)
    # A directive separates declarations: its last character becomes a semicolon.
    return _DIRECTIVE.sub(lambda m: blank(m)[:-1] + ";", text)


def _closing(text: str, opening: int) -> int:
    """Offset of the bracket that closes the one at `opening`, or -1."""
    stack = []
    for at in range(opening, len(text)):
        if text[at] in _OPEN:
            stack.append(_OPEN[text[at]])
        elif stack and text[at] == stack[-1]:
            stack.pop()
            if not stack:
                return at
    return -1


def _start_of_declaration(text: str, at: int) -> int:
    start = max(text.rfind(mark, 0, at) for mark in ";{}") + 1
    access = list(re.finditer(r"\b(?:public|private|protected)\s*:(?!:)", text[start:at]))
    if access:
        start += access[-1].end()
    return start + len(text[start:at]) - len(text[start:at].lstrip())


def _after(expression: str, text: str, at: int) -> int:
    """Where the match of an expression, which matches the empty string too, ends at `at`."""
    match = re.compile(expression).match(text, at)
    return match.end() if match else at


def _definitions(text: str, name: str):
    """Yields (start, end) of each definition of `name`; text is masked."""
    for match in re.finditer(rf"(?<![\w.>]){re.escape(name)}\b", text):
        rest = _after(r"\s*", text, match.end())
        start = _start_of_declaration(text, match.start())
        before = text[start : match.start()].strip()
        if re.search(r"\b(?:struct|class|enum|union|namespace)$", before):
            brace = _after(r"[^;{()]*", text, rest)
            if text[brace : brace + 1] == "{":
                close = _closing(text, brace)
                semicolon = re.compile(r"[^;{}]*;").match(text, close + 1)
                yield start, semicolon.end() if semicolon else close + 1
        elif text[rest : rest + 1] == "(" and before and not before.endswith(("=", ",", "(", "return")):
            close = _closing(text, rest)
            body = _after(r"(?:[\s\w:<>,&*]|->)*", text, close + 1) if close > 0 else -1
            if body > 0 and text[body : body + 1] == "{":
                yield start, _closing(text, body) + 1
        elif text[rest : rest + 1] in ("=", "[", "{") and before and "(" not in before:
            end = rest
            while end < len(text) and text[end] not in ";}":
                end = _closing(text, end) + 1 if text[end] in _OPEN else end + 1
                if end <= 0:
                    break
            if text[end : end + 1] == ";" and text[rest : rest + 2] != "==":
                yield start, end + 1


def _shown(source: str, at: int) -> str:
    """The line number of an offset, and the line."""
    number = source.count("\n", 0, at) + 1
    return f"line {number}: {source.split(chr(10))[number - 1].strip()}"


def _one_definition(source: str, name: str) -> tuple[int, int]:
    """Offsets of the one definition called `name`, or of the second of "name#2"."""
    name, _, number = name.partition("#")
    found = list(dict.fromkeys(_definitions(_masked(source), name)))
    index = int(number or 1) - 1
    if index >= len(found):
        raise DocsError(f"no definition of {name}" + (f" number {number}" if number else ""))
    if not number and len(found) > 1:
        places = "; ".join(_shown(source, start) for start, _ in found)
        raise DocsError(f"{name} is ambiguous: say {name}#1 to {name}#{len(found)} ({places})")
    return found[index]


def _span(source: str, name: str, comment: bool) -> tuple[int, int]:
    """Offsets of the whole lines of a definition, with the comment lines right above it or not."""
    start, end = _one_definition(source, name)
    start = source.rfind("\n", 0, start) + 1
    if source[end - 1] != "\n":
        newline = source.find("\n", end)
        end = len(source) if newline < 0 else newline
    if comment:
        above = source[:start].split("\n")[:-1]
        while above and above[-1].lstrip().startswith("//"):
            start -= len(above.pop()) + 1
    return start, end


def extract(source: str, name: str, first: str = "", last: str = "", comment: bool = False) -> str:
    """The definition of `name` in `source`, verbatim, moved to the left margin.

    `first` and `last` are regular expressions that narrow it to the lines from the first that
    matches `first` to the next that matches `last`. `comment` adds the comment lines right above.
    A name with a number behind it, "merge#2", is the second definition of that name.
    Raises DocsError where something is not found, or where a name without a number has several
    definitions.
    """
    start, end = _span(source, name, comment)
    lines = source[start:end].rstrip("\n").split("\n")
    if first:
        lines = lines[_first_match(lines, name, first) :]
    if last:
        lines = lines[: _first_match(lines, name, last) + 1]
    return textwrap.dedent("\n".join(lines))


def _search(expression: str, line: str) -> re.Match | None:
    try:
        return re.search(expression, line)
    except re.error as error:
        raise DocsError(f"/{expression}/ is no regular expression: {error}") from None


def _first_match(lines: list[str], name: str, expression: str) -> int:
    """Which of a definition's lines is the first that matches."""
    at = next((i for i, line in enumerate(lines) if _search(expression, line)), None)
    if at is None:
        raise DocsError(f"no line of {name} matches /{expression}/")
    return at


def _only_match(source: str, name: str, expression: str) -> tuple[int, re.Match]:
    """(line number, match) of the one line of a definition, or of the comment above it, that
    matches."""
    start, end = _span(source, name, comment=True)
    number = source.count("\n", 0, start) + 1
    lines = enumerate(source[start:end].split("\n"), number)
    found = [(at, match) for at, line in lines if (match := _search(expression, line))]
    if not found:
        raise DocsError(f"no line of {name} matches /{expression}/")
    if len(found) > 1:
        places = ", ".join(str(at) for at, _ in found)
        raise DocsError(f"/{expression}/ is ambiguous in {name}: lines {places}")
    return found[0]


def line_number(source: str, name: str, expression: str = "") -> int:
    """The number of the line where `name` is defined, or of its one line that matches."""
    if not expression:
        start, _ = _one_definition(source, name)
        return source.count("\n", 0, start) + 1
    return _only_match(source, name, expression)[0]


def quote(source: str, name: str, expression: str) -> str:
    """What the first group of the regular expression (or all of it) matches in `name`, its comment
    included: a number or a word that code and text must share."""
    match = _only_match(source, name, expression)[1]
    return match.group(1) if match.re.groups else match.group()
