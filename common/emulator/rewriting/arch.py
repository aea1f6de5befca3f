"""__CUDA_ARCH__: the modelled device's in device code, not defined in a function of the host.

nvcc compiles a file once for each side; here it is compiled once. So each place gets the value of its own side:
kernels, functions of the device and code outside functions see the device's value, functions of the host see none. A
function for both sides tests this at run time if that can be written (no declarations in the alternatives, or nothing
after them); otherwise it takes the device's alternative.
"""

from __future__ import annotations

import re

from rewriting.functions import Function, flatten
from rewriting.text import DIRECTIVE, OPAQUE, spaces

NAME = "__CUDA_ARCH__"
IS_DEFINED = re.compile(
    r"^[ \t]*#[ \t]*(?:ifdef[ \t]+__CUDA_ARCH__|if[ \t]+defined[ \t]*\(?[ \t]*__CUDA_ARCH__[ \t]*\)?)[ \t]*$"
)
NOT_DEFINED = re.compile(
    r"^[ \t]*#[ \t]*(?:ifndef[ \t]+__CUDA_ARCH__|"
    r"if[ \t]+![ \t]*defined[ \t]*\(?[ \t]*__CUDA_ARCH__[ \t]*\)?)[ \t]*$"
)
DECLARATION = re.compile(
    r"(?:^|[;{}])\s*(?:(?:const|static|unsigned|volatile|auto)\s+)*"
    r"(?!(?:return|throw|goto|delete|else)\b)[A-Za-z_][\w:]*(?:<[^;()]*>)?[\s*&]+[A-Za-z_]\w*\s*(?:[=;\[,]|\{)"
)


def directive_for(line: str, on_device: bool) -> str:
    """A preprocessor line in which the name is replaced by what it is on that side."""
    value = "CPU_CUDA_ARCH" if on_device else "0"
    known = "1" if on_device else "0"
    line = re.sub(rf"#([ \t]*)ifdef[ \t]+{NAME}\b", rf"#\1if {known}", line)
    line = re.sub(rf"#([ \t]*)ifndef[ \t]+{NAME}\b", rf"#\1if !{known}", line)
    line = re.sub(rf"\bdefined[ \t]*\(?[ \t]*{NAME}\b[ \t]*\)?", lambda m: known, line)
    return re.sub(rf"\b{NAME}\b", value, line)


def function_at(functions: list[Function], position: int) -> Function | None:
    for function in functions:
        if function.start <= position <= function.end:
            return function
    return None


def ask_when_it_runs(text: str, lines: list[tuple[int, int, str]], first: int, function: Function) -> dict[int, str]:
    """Replacements, by line, of #ifdef ... #else ... #endif by an `if`; none if that is not possible."""
    depth = 0
    middle = last = -1
    for i in range(first, len(lines)):
        word = re.match(r"[ \t]*#[ \t]*(\w+)", lines[i][2])
        name = word.group(1) if word else ""
        if name.startswith("if"):
            depth += 1
        elif name == "elif" and depth == 1:
            return {}
        elif name == "else" and depth == 1:
            middle = i
        elif name == "endif":
            depth -= 1
            if depth == 0:
                last = i
                break
    if last < 0 or lines[last][1] > function.end or lines[first][0] < function.body:
        return {}
    # What a branch declares is known only within it: that suffices if nothing follows it.
    is_the_end = not flatten(text[lines[last][1] : function.end]).strip(" \t\n}")
    marks = [first, middle, last] if middle >= 0 else [first, last]
    for before, behind in zip(marks, marks[1:]):
        begin, end = lines[before][1], lines[behind][0]
        branch = flatten(text[begin:end]).strip()
        if branch.count("{") != branch.count("}") or not branch.endswith((";", "}")):
            return {}
        if DECLARATION.search(branch) and not is_the_end:
            return {}
    condition = "::emulator::in_kernel()" if IS_DEFINED.match(lines[first][2]) else "!::emulator::in_kernel()"
    replaced = {first: f"if ({condition}) {{", last: "}"}
    if middle >= 0:
        replaced[middle] = "} else {"
    return replaced


def rewrite_arch(text: str, functions: list[Function]) -> str:
    if NAME not in text:
        return text
    visible = OPAQUE.sub(lambda m: spaces(m) if m.group(0)[0] == "/" else m.group(0), text)
    lines = [(m.start(), m.end(), visible[m.start() : m.end()]) for m in DIRECTIVE.finditer(visible)]
    replaced: dict[int, str] = {}
    for i, (start, _, line) in enumerate(lines):
        if NAME not in line or i in replaced:
            continue
        function = function_at(functions, start)
        on_device = function is None or function.runs_on_device
        if function is not None and function.runs_on_device and function.runs_on_host:
            if IS_DEFINED.match(line) or NOT_DEFINED.match(line):
                replaced.update(ask_when_it_runs(text, lines, i, function))
        if i not in replaced and re.match(r"[ \t]*#[ \t]*(?:if|ifdef|ifndef|elif)\b", line):
            replaced[i] = directive_for(line, on_device)
    pieces = []
    done = 0
    for i in sorted(replaced):
        start, end, _ = lines[i]
        pieces += [text[done:start], replaced[i], "\n" * (text.count("\n", start, end) - replaced[i].count("\n"))]
        done = end
    text = "".join(pieces) + text[done:]
    # As a number, in code that runs on the device.
    return re.sub(rf"(?<!defined )(?<!defined\()\b{NAME}\b", "CPU_CUDA_ARCH", text)
