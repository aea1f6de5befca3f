"""Do the relative links, anchors, line numbers and images of the texts lead somewhere?"""

from __future__ import annotations

import functools
import re
from pathlib import Path
from urllib.parse import unquote

from blocks import lines_outside_code, outside_code
from repository import ROOT

_INLINE = re.compile(r"\]\(\s*<?([^()\s<>]*(?:\([^()\s]*\)[^()\s<>]*)*)>?(?:\s+\"[^\"]*\")?\s*\)")
_REFERENCE = re.compile(r"^ {0,3}\[[^\]]+\]:\s*<?(\S+?)>?(?:\s|$)")
_USE = re.compile(r"\[[^\[\]]+\]\[([^\[\]]*)\]")
_LINES = re.compile(r"^L(\d+)(?:-L(\d+))?$")
_HTML = re.compile(r"""<(?:img|a|source)\b[^>]*?\b(?:src|href|srcset)\s*=\s*["']([^"']+)["']""")
_ELSEWHERE = re.compile(r"^(?:[a-z][a-z0-9+.-]*:|//)", re.IGNORECASE)


def targets(text: str) -> list[tuple[int, str]]:
    """(line number, target) of every link and image outside code."""
    found = []
    for number, line in lines_outside_code(text):
        plain = "".join(line[start:end] + " " for start, end in outside_code(line))
        # A link's text may hold backticks: `](` still follows outside them.
        for pattern in (_INLINE, _REFERENCE, _HTML):
            found += [(number, match.group(1)) for match in pattern.finditer(plain)]
    return found


def undefined(text: str) -> list[tuple[int, str]]:
    """(line number, name) of every [text][name] whose name no line `[name]: target` defines."""
    lines = lines_outside_code(text)
    names = [re.match(r"^ {0,3}\[([^\]]+)\]:", line) for _, line in lines]
    defined = {match.group(1).lower() for match in names if match}
    found = []
    for number, line in lines:
        plain = "".join(line[start:end] + " " for start, end in outside_code(line))
        found += [(number, m.group(1)) for m in _USE.finditer(plain) if m.group(1).lower() not in defined]
    return found


def _wrong_anchor(file: Path, anchor: str, name: str) -> str:
    """Why `anchor` does not exist in `file`; empty if it does."""
    if not file.is_file():
        return f"{name} is a folder and has no #{anchor}"
    text = file.read_text(encoding="utf-8")
    if file.suffix == ".md":
        return "" if anchor in anchors(text) else f"{name or 'this text'} has no heading #{anchor}"
    lines = _LINES.match(anchor)
    if not lines:
        return f"{name} is not a text, so #{anchor} can only be a line: #L12 or #L12-L20"
    first, last = int(lines.group(1)), int(lines.group(2) or lines.group(1))
    count = len(text.splitlines())
    return "" if 1 <= first <= last <= count else f"{name} has {count} lines, so #{anchor} leads nowhere"


def sections(text: str) -> list[tuple[int, str]]:
    """(index of its line, anchor as GitHub makes it) of every heading of a text."""
    found: list[tuple[int, str]] = []
    counts: dict[str, int] = {}
    for number, line in lines_outside_code(text):
        heading = re.match(r"^ {0,3}#{1,6}\s+(.*?)\s*#*$", line)
        if not heading:
            continue
        title = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading.group(1)).replace("`", "").lower()
        slug = re.sub(r"[^\w\- ]", "", title).replace(" ", "-")
        count = counts.get(slug, 0)
        counts[slug] = count + 1
        found.append((number - 1, f"{slug}-{count}" if count else slug))
    return found


@functools.lru_cache(maxsize=None)
def anchors(text: str) -> set[str]:
    """All anchors of a text: of its headings, and those that it names itself."""
    named = re.findall(r"""<a\s[^>]*?\b(?:id|name)\s*=\s*["']([^"']+)["']""", text)
    return {anchor for _, anchor in sections(text)}.union(named)


def check(path: Path, root: Path = ROOT) -> list[str]:
    """One line for each link of the text `path` that leads nowhere."""
    errors = []
    shown = path.relative_to(root).as_posix()
    text = path.read_text(encoding="utf-8")
    for number, target in targets(text):
        if _ELSEWHERE.match(target):
            continue
        name, _, anchor = unquote(target).partition("#")
        file = (path.parent / name).resolve() if name else path
        if name.startswith("/") or (root.resolve() not in file.parents and file != root.resolve()):
            errors.append(f"{shown}:{number}: the link {target} leaves the repository")
        elif not file.exists():
            errors.append(f"{shown}:{number}: the link {target} leads nowhere")
        elif anchor and (wrong := _wrong_anchor(file, anchor, name)):
            errors.append(f"{shown}:{number}: {wrong}")
    for number, name in undefined(text):
        errors.append(f"{shown}:{number}: no line defines the link [{name}]")
    return errors
