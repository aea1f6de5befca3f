"""Does a text say which device its numbers are from, if a reader could take them for another's?

The numbers of the texts are those of one device, USUAL. A paragraph, an item of a list or a table with numbers of
another names it: "on an H100 …". With numbers of two devices it names both, including USUAL. What is generated as a
block (tables, counts) has a caption that names its device.
"""

from __future__ import annotations

import re
from pathlib import Path

from blocks import fenced_lines
from repository import ROOT

USUAL = "H200"

_MARKER = re.compile(r"<!-- (value|compare) (\S+) (\S+) .*?-->")
_ANY_MARKER = re.compile(r"<!--.*?-->")
_BLOCK_BEGIN = re.compile(r"^<!-- (table|excerpt|file|counts|exercises|devices|gallery|peers) ")
_BLOCK_END = re.compile(r"^<!-- end \w+ -->")
_ITEM = re.compile(r"^\s*([-*+]|\d+[.)])\s")


def device_of(machine: str) -> str:
    """The device of a folder of results, as a text names it: h200x2 -> H200, rtx-4090 -> RTX 4090."""
    return re.sub(r"x\d+$", "", machine).replace("-", " ").upper()


def paragraphs(text: str) -> list[tuple[int, str]]:
    """(line, text) of each paragraph, item of a list, table and heading; code and generated blocks are left out."""
    lines = text.split("\n")
    found: list[tuple[int, list[str]]] = []
    in_block, is_open = False, False
    for number, (line, code) in enumerate(zip(lines, fenced_lines(lines)), 1):
        if _BLOCK_END.match(line) and not code:
            in_block, is_open = False, False
            continue
        in_block = in_block or (not code and bool(_BLOCK_BEGIN.match(line)))
        if code or in_block or not line.strip():
            is_open = False
        elif is_open and not _ITEM.match(line):
            found[-1][1].append(line)
        else:
            found.append((number, [line]))
            is_open = True
    return [(number, "\n".join(part)) for number, part in found]


def unnamed(text: str) -> list[tuple[int, str]]:
    """(line, what is wrong) of each paragraph of a text that has numbers from a device and does not name it."""
    wrong = []
    for number, paragraph in paragraphs(text):
        machines = {machine for _, _, machine in _MARKER.findall(paragraph)} - {"cpu"}
        devices = sorted({device_of(machine) for machine in machines})
        shown = _ANY_MARKER.sub("", paragraph)
        missing = [device for device in devices if not re.search(rf"\b{re.escape(device)}(?!\w)", shown)]
        if missing and devices != [USUAL]:
            wrong.append(
                (number, f"numbers of the {' and the '.join(devices)} without the name {' and '.join(missing)}")
            )
    return wrong


def check(path: Path, root: Path = ROOT) -> list[str]:
    """One line for each paragraph of the text `path` that does not name a device."""
    shown = path.relative_to(root).as_posix()
    return [f"{shown}:{number}: {words}" for number, words in unnamed(path.read_text(encoding="utf-8"))]
