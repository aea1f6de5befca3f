"""Reading C++ as text: what is code, which brackets match, where pieces begin."""

import re

# What no rewrite may look into: comments, raw strings, strings, characters, preprocessor lines.
OPAQUE = re.compile(
    r"//(?:\\\n|[^\n])*"
    r"|/\*.*?\*/"
    r'|\b(?:u8|[uUL])?R"(?P<tag>[^\s()\\]{0,16})\(.*?\)(?P=tag)"'
    r'|"(?:\\.|[^"\\\n])*"'
    r"|(?<![0-9A-Za-z_])(?:u8|[uUL])?'(?:\\.|[^'\\\n])*'",
    re.DOTALL,
)
DIRECTIVE = re.compile(r"^[ \t]*#(?:\\\n|//[^\n]*|/\*.*?\*/|[^\n])*", re.DOTALL | re.MULTILINE)
OPENING = {"(": ")", "[": "]", "{": "}"}
CLOSING = {close: open_ for open_, close in OPENING.items()}


class RewriteError(Exception):
    """Source that cannot be rewritten; `position` is an offset into the text."""

    def __init__(self, position, message):
        super().__init__(message)
        self.position = position
        self.message = message


def spaces(match):
    """As many blanks, and the line breaks."""
    return re.sub(r"[^\n]", " ", match.group(0))


def blank(text):
    """The text with everything opaque replaced by spaces; lengths and lines stay."""

    def keep_quotes(match):
        inner = match.group(0)
        if inner.startswith(("//", "/*")):
            return spaces(match)
        # A string stays visible as something, so that an argument is not taken for empty.
        return '"' + re.sub(r"[^\n]", "_", inner[1:-1]) + '"'

    text = OPAQUE.sub(keep_quotes, text)

    def directive(match):
        body = match.group(0)
        # The body of a macro is code like any other.
        if re.match(r"[ \t]*#[ \t]*define\b", body):
            return re.sub(r"\\\n", " \n", body.replace("#", " "))
        return spaces(match)

    return DIRECTIVE.sub(directive, text)


def match_forward(code, start, position):
    """Offset of the bracket that closes the one at `start`."""
    stack = []
    for i in range(start, len(code)):
        c = code[i]
        if c in OPENING:
            stack.append(OPENING[c])
        elif c in CLOSING:
            if not stack or stack.pop() != c:
                break
            if not stack:
                return i
    raise RewriteError(position, f"'{code[start]}' without its '{OPENING[code[start]]}'")


def match_backward(code, end, position):
    """Offset of the bracket that opens the one at `end`; '>' counts as a bracket."""
    pairs = dict(CLOSING)
    pairs[">"] = "<"
    stack = []
    i = end
    while i >= 0:
        c = code[i]
        inside_parentheses = any(open_ != "<" for open_ in stack)
        if c == ">" and not inside_parentheses and code[i - 1] != "-":
            stack.append("<")
        elif c == "<" and not inside_parentheses:
            if not stack or stack.pop() != "<":
                break
        elif c in CLOSING:
            stack.append(pairs[c])
        elif c in OPENING:
            if not stack or stack.pop() != c:
                break
        if not stack:
            return i
        i -= 1
    raise RewriteError(position, f"'{code[end]}' without its '{pairs[code[end]]}'")


def one_line(text):
    return re.sub(r"\s+", " ", text.replace("\\\n", " ")).strip()


def in_string(text):
    return one_line(text).replace("\\", "\\\\").replace('"', '\\"')


def newlines(text, code_is_macro):
    """The line breaks of a piece that has moved, so that the code after it stays on its line."""
    return ("\\\n" if code_is_macro else "\n") * text.count("\n")


def split_top(code, start, end, separator):
    """Offsets of pieces of code[start:end] between separators outside brackets and <...>."""
    pieces = []
    depth = angle = 0
    begin = start
    for i in range(start, end):
        c = code[i]
        if c in OPENING:
            depth += 1
        elif c in CLOSING:
            depth -= 1
        elif c == "<" and depth == 0:
            angle += 1
        elif c == ">" and depth == 0 and angle > 0:
            angle -= 1
        elif c == separator and depth == 0 and angle == 0:
            pieces.append((begin, i))
            begin = i + 1
    pieces.append((begin, end))
    return pieces


def is_in_macro(text, position):
    """Whether the position lies in a #define, whose lines end with a backslash."""
    start = text.rfind("\n", 0, position) + 1
    while start >= 2 and text[start - 2 : start] == "\\\n":
        start = text.rfind("\n", 0, start - 1) + 1
    return re.match(r"[ \t]*#", text[start:]) is not None


def drop_stray_backslashes(text):
    """A backslash followed by a comment at the end of a line: nvcc joins the lines, g++ refuses them. In a macro both
    refuse them.
    """
    if "\\" not in text:
        return text
    for found in re.finditer(r"\\(?=[ \t]+$)", blank(text), re.MULTILINE):
        if not is_in_macro(text, found.start()):
            text = f"{text[: found.start()]} {text[found.end() :]}"
    return text
