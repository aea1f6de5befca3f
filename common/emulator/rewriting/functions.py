"""Which functions a file defines, where they begin and end, and on which side they run."""

from __future__ import annotations

import re

from rewriting.text import blank

# Parentheses in a function's head that are not its parameters.
NOT_PARAMETERS = re.compile(
    r"\b(?:__launch_bounds__|__attribute__|__align__|alignas|noexcept|decltype|__declspec|explicit|__cluster_dims__)"
    r"\s*(?=\()"
)
SCOPE = re.compile(r'\b(?:namespace|class|struct|union)\b|\bextern\s*"_*"\s*$')
WORD_BEFORE_PARAMETERS = re.compile(r"(operator\s*[^\s\w(]+|operator\s*\(\s*\)|~?\w+)\s*(?:<[^()]*>\s*)?\(")


class Function:
    """A function's definition; offsets are into the text that was scanned.

    No dataclass: that module takes longer to import than most files take to be rewritten.
    """

    __slots__ = ("start", "body", "end", "name", "head", "parameters", "is_member")

    def __init__(self, start: int, body: int, end: int, name: str, head: str, parameters: str, is_member: bool):
        self.start = start  # where its head begins
        self.body = body  # of {
        self.end = end  # of }
        self.name = name
        self.head = head  # with its template parameters and specifiers, up to {
        self.parameters = parameters
        self.is_member = is_member

    @property
    def is_kernel(self) -> bool:
        return "__global__" in self.head

    @property
    def runs_on_device(self) -> bool:
        return self.is_kernel or re.search(r"\b__device__\b", self.head) is not None

    @property
    def runs_on_host(self) -> bool:
        """On the host, perhaps on both sides, as with __host__ __device__ or constexpr."""
        return not self.runs_on_device or re.search(r"\b(?:__host__|constexpr)\b", self.head) is not None

    @property
    def is_plain_host(self) -> bool:
        """Whether no word could make it a function of the device: no macro, no constexpr."""
        words = re.findall(r"\b[A-Za-z_]\w*\b", self.head.split("(")[0])
        return not self.runs_on_device and not any(
            word == "constexpr" or word == "friend" or (word.upper() == word and len(word) > 1 and word != self.name)
            for word in words
        )


def flatten(text: str) -> str:
    """The text without comments, strings' contents and preprocessor lines, each in its place."""
    # A macro is blanked first: blank() would keep its body as code.
    kept = re.sub(
        r"^([ \t]*)#([ \t]*)define\b",
        lambda found: f"{found.group(1)}#{found.group(2)}dropit",
        text,
        flags=re.MULTILINE,
    )
    return blank(kept)


def without_alternatives(text: str) -> str:
    """The text with everything between #else or #elif and #endif blanked: otherwise braces may not match."""
    lines = text.split("\n")
    hidden = 0
    stack: list[bool] = []
    for number, line in enumerate(lines):
        found = re.match(r"[ \t]*#[ \t]*(if|ifdef|ifndef|else|elif|endif)\b", line)
        if found:
            word = found.group(1)
            if word.startswith("if"):
                stack.append(False)
            elif word in ("else", "elif") and stack and not stack[-1]:
                stack[-1] = True
                hidden += 1
            elif word == "endif" and stack and stack.pop():
                hidden -= 1
            continue
        if hidden:
            lines[number] = " " * len(line)
    return "\n".join(lines)


def closing_brace(code: str, opening: int) -> int:
    """Offset of the } that closes the { at `opening`, or -1."""
    depth = 0
    for found in re.finditer(r"[{}]", code[opening:]):
        depth += 1 if found.group(0) == "{" else -1
        if depth == 0:
            return opening + found.start()
    return -1


def without_template(head: str) -> str:
    """The head after its template<...>, which may contain parentheses and equal signs."""
    found = re.match(r"\s*template\s*<", head)
    while found:
        depth = 0
        for i in range(found.end() - 1, len(head)):
            if head[i] == "<":
                depth += 1
            elif head[i] == ">" and head[i - 1] != "-":
                depth -= 1
                if depth == 0:
                    head = head[i + 1 :]
                    break
        else:
            return head
        found = re.match(r"\s*template\s*<", head)
    return head


def blank_parentheses(head: str) -> str:
    """The head without __launch_bounds__(...) and the like."""
    while True:
        found = NOT_PARAMETERS.search(head)
        if not found:
            return head
        depth = 0
        end = found.end()
        while end < len(head):
            depth += (head[end] == "(") - (head[end] == ")")
            end += 1
            if depth == 0:
                break
        head = head[: found.start()] + " " + head[end:]


def read_head(head: str) -> tuple[str, str] | None:
    """Name and parameters if this is the head of a function, else None."""
    plain = blank_parentheses(without_template(head))
    paren = plain.find("(")
    if paren < 0:
        return None
    if re.search(r"(?<![=!<>])=(?!=)", plain[:paren]) and "operator" not in plain[:paren]:
        return None
    found = WORD_BEFORE_PARAMETERS.search(plain)
    if not found or found.group(1) in ("if", "for", "while", "switch", "return", "catch"):
        return None
    depth = 0
    for i in range(found.end() - 1, len(plain)):
        depth += (plain[i] == "(") - (plain[i] == ")")
        if depth == 0:
            return found.group(1), plain[found.end() : i]
    return None


def scan(code: str) -> list[Function] | None:
    """The functions of flattened code, in order; None if its braces do not match."""
    functions: list[Function] = []
    scopes: list[bool] = []  # whether each open scope is a class
    begin = position = 0
    while True:
        found = re.compile(r"[;{}]").search(code, position)
        if not found:
            return functions if not scopes else None
        at = found.start()
        position = at + 1
        if found.group(0) == ";":
            begin = position
        elif found.group(0) == "}":
            if not scopes:
                return None
            scopes.pop()
            begin = position
        else:
            head = re.sub(r"^\s*(?:public|private|protected)\s*:(?!:)", lambda m: " " * len(m.group(0)), code[begin:at])
            first = without_template(head)
            scope = SCOPE.search(first)
            read = None if scope and "(" not in blank_parentheses(first) else read_head(head)
            if read is None and scope and "=" not in first:
                scopes.append(not re.search(r"\bnamespace\b|\bextern\b", first))
                begin = position
                continue
            close = closing_brace(code, at)
            if close < 0:
                return None
            if read is not None:
                start = begin + len(head) - len(head.lstrip())
                functions.append(Function(start, at, close, read[0], head, read[1], any(scopes)))
                begin = close + 1
            position = close + 1
    return functions


def functions_of(text: str) -> list[Function]:
    """The functions that a file defines; none if it cannot be read."""
    found = scan(flatten(text))
    if found is None:
        found = scan(flatten(without_alternatives(text)))
    return found or []
