"""What a compiler says of a learner's file, without what it says of ours."""

from __future__ import annotations

import re
from pathlib import Path

_MOST_LINES = 40
_START = re.compile(r"^(?P<file>/[^:\n]+|[^\s:][^:\n]*\.\w+)[:(](?P<line>\d+)\)?:(?:\d+:)? *(?P<kind>fatal error|error|warning|note)")


def of_compiler(output: str, name: Path) -> str:
    """The errors of g++ or nvcc in the file `name`, by its short name; all of them if none is there."""
    blocks, current = [], []
    for line in output.splitlines():
        if re.match(r"^(In file included from|\s+from |[^:]+: In |[^:]+: At global scope)", line):
            continue
        if _START.match(line):
            current = [line]
            blocks.append(current)
        elif current:
            current.append(line)
    mine = []
    for block in blocks:
        head = _START.match(block[0])
        if Path(head.group("file")) == name and "error" in head.group("kind"):
            mine.append(block)
    kept = mine or [b for b in blocks if "error" in _START.match(b[0]).group("kind")] or [output.splitlines()]
    return _short("\n".join("\n".join(block) for block in kept), name)


def of_rewriter(output: str, merged: Path, name: Path) -> str:
    """The rewriter counts the lines of the merged file: this names the learner's."""
    found = re.match(r"^(.*?):(\d+): (error: .*)", output.strip(), re.DOTALL)
    if not found or Path(found.group(1)) != merged:
        return _short(output, name)
    file_line = 0
    for line in merged.read_text(encoding="utf-8").split("\n")[: int(found.group(2))]:
        directive = re.match(r'^#line (\d+) "', line)
        file_line = int(directive.group(1)) - 1 if directive else file_line + 1
    return f"{name.name}:{file_line}: {found.group(3)}"


def of_linker(output: str) -> str:
    """Functions that are asked for and not there."""
    missing = sorted(set(re.findall(r"undefined reference to [`'](.*?)'", output)))
    twice = sorted(set(re.findall(r"multiple definition of [`'](.*?)'", output)))
    lines = [f"{function} is not defined: has its name or have its parameters changed?" for function in missing]
    lines += [f"{function} is defined twice" for function in twice]
    return "\n".join(lines[:_MOST_LINES]) or "\n".join(output.splitlines()[-_MOST_LINES:])


def _short(text: str, name: Path) -> str:
    lines = text.replace(str(name), name.name).splitlines()
    if len(lines) > _MOST_LINES:
        lines = lines[:_MOST_LINES] + [f"… and {len(lines) - _MOST_LINES} more lines"]
    return "\n".join(lines)
