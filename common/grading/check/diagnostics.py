"""A compiler's messages about a learner's file, without those about ours."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from ..files import code_text

_MAX_LINES = 40
_MAX_WIDTH = 1000  # of a line that is examined
_MAX_ERRORS = 3  # the others mostly follow from the first
_START = re.compile(
    r"^(?P<file>/[^:\n(]+|[^\s:(][^:\n(]*\.\w+)[:(](?P<line>\d+)\)?:(?:(?P<column>\d+):)? *"
    r"(?P<kind>fatal error|error|warning|note)\b(?P<rest>.*)$"
)
_OURS = re.compile(r"__shared__|<<<|__global__")  # what the rewriter turns into something else

# What the compiler says about the rewritten line, and what it means.
_MEANT = (
    (
        re.compile(r"is a variably modified type|array bound is not an integer constant"),
        re.compile(r"__shared__"),
        "the size of a __shared__ array must be a constant; memory whose size the launch gives is declared "
        "extern __shared__ float name[];",
    ),
    (
        re.compile(r"no match for call to .{1,3}emulator::TypedLaunch|could not convert .*TypedLaunch"),
        re.compile(r"<<<"),
        "the arguments of this launch do not fit the kernel's parameters",
    ),
    (
        re.compile(r"no matching (?:member )?function for call to .{1,3}(?:emulator::Launcher.*::)?configure"),
        re.compile(r"<<<"),
        "between <<< and >>> go: blocks, threads per block, bytes of dynamic shared memory, stream; "
        "the last three may be left out",
    ),
)
# What the tutorial itself has put before a name; the compiler's other messages only follow from it.
_REFUSED = re.compile(
    r": (?:.* is not on the emulator|.* was removed: .*|.*is for a GPU only: .*|.*Thrust is not installed.*)$"
)
_ADDRESS = re.compile(r"declared with attribute error: (?P<call>\w+) takes the address of the pointer")


@dataclass(frozen=True)
class _Block:
    """An error or a warning, with what the compiler adds to it."""

    head: re.Match[str]  # of its first line
    lines: list[str]


def of_compiler(output: str, name: Path, shown: str = "") -> str:
    """The first errors of g++ or nvcc in the file `name`, or errors elsewhere if it has none. The file is called
    `shown`, or by its name without the folder.
    """
    shown = shown or name.name
    blocks: list[_Block] = []
    for line in _cut_lines(output):
        if re.match(r"^(In file included from|\s+from |[^:]+: In |[^:]+: At global scope)", line):
            continue
        if head := _START.match(line):
            blocks.append(_Block(head, [line]))
        elif blocks:
            blocks[-1].lines.append(line)
    errors = [b for b in blocks if "error" in b.head.group("kind")]
    mine = [b for b in errors if Path(b.head.group("file")) == name]
    if not mine:
        return _short(
            "\n".join("\n".join(lines) for lines in [b.lines for b in errors[:_MAX_ERRORS]] or [_cut_lines(output)]),
            name,
            shown,
        )
    refused = [block for block in mine if _REFUSED.search(block.head.group("rest"))]
    if refused:
        places = sorted({(int(b.head.group("line")), b.head.group("rest").lstrip(": ")) for b in refused})
        return "\n".join(f"{shown}:{line}: error: {rest}" for line, rest in places[:_MAX_ERRORS])
    chosen = _first_of_each_line(mine, _lines(name))
    text = _short("\n".join("\n".join(block) for block in chosen[:_MAX_ERRORS]), name, shown)
    more = len(chosen) - _MAX_ERRORS
    return text + (f"\n… and {more} more error{'s' if more > 1 else ''}" if more > 0 else "")


def _cut_lines(output: str) -> list[str]:
    """The lines of what a program said; long ones are cut, as patterns may be slow on them."""
    return [line if len(line) <= _MAX_WIDTH else line[:_MAX_WIDTH] + " …" for line in output.splitlines()]


def _lines(name: Path) -> list[str]:
    try:
        return name.read_text(encoding="utf-8", errors="replace").split("\n")
    except OSError:
        return []


def _first_of_each_line(blocks: list[_Block], source: list[str]) -> list[list[str]]:
    """Of several errors in one line the first, as if it were about the learner's own line."""
    seen, found = set(), []
    for block in blocks:
        number = int(block.head.group("line"))
        if number in seen:
            continue
        seen.add(number)
        line = source[number - 1] if 0 < number <= len(source) else ""
        found.append(_as_written(block, line))
    return found


def _as_written(block: _Block, line: str) -> list[str]:
    """Without columns and marks if the compiler saw something other than the learner's line."""
    place = f"{block.head.group('file')}:{block.head.group('line')}"
    for said, where, meant in _MEANT:
        if said.search(block.head.group("rest")) and where.search(line):
            return [f"{place}: error: {meant}", f"    {line.strip()}"]
    if address := _ADDRESS.search(block.head.group("rest")):
        call = address.group("call")
        given = re.search(rf"\b{call}\s*\(\s*(\w+)\s*,", line)
        pointer = given.group(1) if given else "pointer"
        return [
            f"{place}: error: {call} takes the address of the pointer, which it sets: &{pointer}",
            f"    {line.strip()}",
        ]
    if not line or not _OURS.search(line) and int(block.head.group("column") or 0) <= len(line) + 1:
        return block.lines
    kept = [re.sub(r":(\d+):\d+: ", r":\1: ", block.lines[0], count=1)]
    return kept + [text.rstrip() for text in block.lines[1:] if not re.match(r"^\s*\|", text)]


def of_braces(blank: list[str], official: list[str]) -> str:
    """A line about unbalanced braces; the compiler notices them only far below, in our lines."""

    more = code_text.braces("\n".join(blank))[0] - code_text.braces("\n".join(official))[0]
    if more == 0:
        return ""
    braces = f"{abs(more)} brace{'s' if abs(more) > 1 else ''}"
    return f"The blank {'opens' if more > 0 else 'closes'} {braces} more than it {'closes' if more > 0 else 'opens'}.\n"


def of_rewriter(output: str, merged: Path, name: Path) -> str:
    """The rewriter counts the lines of the merged file: this names the learner's."""
    output = "\n".join(_cut_lines(output))
    found = re.match(r"^([^:\n]*):(\d+): (error: .*)", output.strip(), re.DOTALL)
    if not found or Path(found.group(1)) != merged:
        return _short(output, name)
    file_line = 0
    for line in merged.read_text(encoding="utf-8").split("\n")[: int(found.group(2))]:
        directive = re.match(r'^#line (\d+) "', line)
        file_line = int(directive.group(1)) - 1 if directive else file_line + 1
    return f"{name.name}:{file_line}: {found.group(3)}"


def undefined(output: str) -> list[str]:
    """Names that a linker has not found."""
    return sorted(set(re.findall(r"undefined reference to [`'](.*?)'", output)))


def defined_twice(output: str) -> list[str]:
    """Names that a linker has found more than once."""
    return sorted(set(re.findall(r"multiple definition of [`'](.*?)'", output)))


def of_linker(output: str) -> str:
    """Functions that are called but missing."""
    output = "\n".join(_cut_lines(output))
    lines = [
        f"{function} is not defined: has its name or have its parameters changed?" for function in undefined(output)
    ]
    lines += [f"{function} is defined twice" for function in defined_twice(output)]
    return "\n".join(lines[:_MAX_LINES]) or "\n".join(output.splitlines()[-_MAX_LINES:])


def _short(text: str, name: Path, shown: str = "") -> str:
    lines = text.replace(str(name), shown or name.name).splitlines()
    if len(lines) > _MAX_LINES:
        lines = lines[:_MAX_LINES] + [f"… and {len(lines) - _MAX_LINES} more lines"]
    return "\n".join(lines)
