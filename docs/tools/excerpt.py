"""Takes a definition out of a C++ or CUDA source, by its name and verbatim.

A definition is that of a kernel or another function, of a type, a namespace, or of a constant or
variable, at namespace scope or in a class. What a function contains is not a definition, and neither is a mention.
Several with the same name are told apart by how they begin: "greater_of(KeyWord a" or "Traits<float>".
"""

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
_SELECTOR = re.compile(r"(~?\w+(?:::~?\w+)*)(.*)", re.DOTALL)
# What comes before the brace of a class or a namespace: none of its brackets is a parameter list.
_ATTRIBUTES = re.compile(r"\b(?:alignas|__align__|__attribute__)\s*\((?:[^()]|\([^()]*\))*\)")
_CONTAINER = re.compile(r"\b(?:namespace|struct|class|union|enum)\b[^()]*$|\bextern\s*$")


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
    """Where the match at `at` ends, for an expression that also matches the empty string."""
    match = re.compile(expression).match(text, at)
    return match.end() if match else at


def _bodies(text: str) -> list[tuple[int, int]]:
    """Where functions and initialisers are: (opening, closing) of each brace that opens no class or namespace."""
    found, stack = [], []
    for match in re.finditer(r"[{}]", text):
        at = match.start()
        if match.group() == "{":
            head = _ATTRIBUTES.sub(" ", text[_start_of_declaration(text, at) : at])
            stack.append((at, _CONTAINER.search(head) is not None))
        elif stack:
            opening, is_container = stack.pop()
            if not is_container:
                found.append((opening, at))
    return found


def _definitions(text: str, name: str):
    """Yields (start, end, offset of the name) of each definition of `name`; text is masked."""
    bodies = _bodies(text)
    for match in re.finditer(rf"(?<![\w.>]){re.escape(name)}\b", text):
        if any(opening < match.start() < closing for opening, closing in bodies):
            continue
        found = _definition_at(text, match)
        if found:
            yield (*found, match.start())


def _definition_at(text: str, match: re.Match) -> tuple[int, int] | None:
    """(start, end) of the definition whose name is the match; None if it is not a definition."""
    rest = _after(r"\s*(?:<[\w\s:,*&]*>)?\s*", text, match.end())  # the arguments of a specialisation
    start = _start_of_declaration(text, match.start())
    before = text[start : match.start()].strip()
    if re.search(r"\b(?:struct|class|enum|union|namespace)$", _ATTRIBUTES.sub(" ", before).strip()):
        brace = _after(r"[^;{()]*", text, rest)
        if text[brace : brace + 1] == "{":
            close = _closing(text, brace)
            semicolon = re.compile(r"[^;{}]*;").match(text, close + 1)
            return start, semicolon.end() if semicolon else close + 1
    elif text[rest : rest + 1] == "(" and before and not before.endswith(("=", ",", "(", "return")):
        close = _closing(text, rest)
        body = _after(r"(?:[\s\w:<>,&*]|->)*", text, close + 1) if close > 0 else -1
        if body > 0 and text[body : body + 1] == "{":
            return start, _closing(text, body) + 1
    elif text[rest : rest + 1] in ("=", "[", "{") and before and "(" not in before:
        end = rest
        while end < len(text) and text[end] not in ";}":
            end = _closing(text, end) + 1 if text[end] in _OPEN else end + 1
            if end <= 0:
                return None
        if text[end : end + 1] == ";" and text[rest : rest + 2] != "==":
            return start, end + 1
    return None


def _shown(source: str, at: int) -> str:
    """The line number of an offset, and the line."""
    number = source.count("\n", 0, at) + 1
    return f"line {number}: {source.split(chr(10))[number - 1].strip()}"


def _plain(code: str) -> str:
    """Code without what does not matter when two beginnings are compared."""
    return re.sub(r"\s+", "", code)


def _one_definition(source: str, selector: str) -> tuple[int, int]:
    """Offsets of the one definition that `selector` chooses: a name, or how the definition begins from its name on."""
    parts = _SELECTOR.fullmatch(selector)
    if not parts or "#" in selector:
        raise DocsError(f"{selector} is not a name: a definition is chosen by its name, or by how it begins: f(int a")
    name = parts.group(1)
    masked = _masked(source)
    found = {
        (start, end): masked[at:end]
        for start, end, at in _definitions(masked, name)
        if _plain(masked[at:end]).startswith(_plain(selector))
    }
    if not found:
        raise DocsError(f"no definition of {selector}")
    if len(found) > 1:
        places = "; ".join(f'"{_beginning(code)}" ({_shown(source, start)})' for (start, _), code in found.items())
        raise DocsError(f"{selector} is ambiguous: say how the definition begins: {places}")
    return next(iter(found))


def _beginning(code: str) -> str:
    """A definition from its name to the end of its parameters, on one line."""
    end = re.search(r"[{=;]", code)
    return " ".join(code[: end.start() if end else None].split())


def _span(source: str, name: str, comment: bool) -> tuple[int, int]:
    """Offsets of the whole lines of a definition, with or without the comment lines right above it."""
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
    Raises DocsError if something is not found, or if there are several definitions of the name.
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
        raise DocsError(f"/{expression}/ is not a regular expression: {error}") from None


def _first_match(lines: list[str], name: str, expression: str) -> int:
    """The first line of a definition that matches."""
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
