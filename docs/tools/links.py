"""Do the relative links, anchors and images of the texts lead somewhere?"""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import unquote

from blocks import fenced_lines, outside_code
from repository import ROOT

_INLINE = re.compile(r"\]\(\s*<?([^()\s<>]*(?:\([^()\s]*\)[^()\s<>]*)*)>?(?:\s+\"[^\"]*\")?\s*\)")
_REFERENCE = re.compile(r"^ {0,3}\[[^\]]+\]:\s*<?(\S+?)>?(?:\s|$)")
_HTML = re.compile(r"""<(?:img|a|source)\b[^>]*?\b(?:src|href|srcset)\s*=\s*["']([^"']+)["']""")
_ELSEWHERE = re.compile(r"^(?:[a-z][a-z0-9+.-]*:|//)", re.IGNORECASE)


def targets(text: str) -> list[tuple[int, str]]:
    """(line number, target) of every link and image outside code."""
    found, lines = [], text.split("\n")
    for number, (line, code) in enumerate(zip(lines, fenced_lines(lines)), 1):
        if code:
            continue
        plain = "".join(line[start:end] + " " for start, end in outside_code(line))
        # A link's text may hold backticks: `](` still follows outside them.
        for pattern in (_INLINE, _REFERENCE, _HTML):
            found += [(number, match.group(1)) for match in pattern.finditer(plain)]
    return found


def anchors(text: str) -> set[str]:
    """The anchors that GitHub gives to the headings of a text."""
    found, counts, lines = set(), {}, text.split("\n")
    for line, code in zip(lines, fenced_lines(lines)):
        heading = re.match(r"^ {0,3}#{1,6}\s+(.*?)\s*#*$", line)
        if code or not heading:
            continue
        title = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading.group(1)).replace("`", "").lower()
        slug = re.sub(r"[^\w\- ]", "", title).replace(" ", "-")
        count = counts.get(slug, 0)
        counts[slug] = count + 1
        found.add(f"{slug}-{count}" if count else slug)
    found.update(re.findall(r"""<a\s[^>]*?\b(?:id|name)\s*=\s*["']([^"']+)["']""", text))
    return found


def check(path: Path, root: Path = ROOT) -> list[str]:
    """One line for each link of the text `path` that leads nowhere."""
    errors = []
    shown = path.relative_to(root).as_posix()
    for number, target in targets(path.read_text(encoding="utf-8")):
        if _ELSEWHERE.match(target):
            continue
        name, _, anchor = unquote(target).partition("#")
        file = (path.parent / name).resolve() if name else path
        if name.startswith("/") or (root.resolve() not in file.parents and file != root.resolve()):
            errors.append(f"{shown}:{number}: the link {target} leaves the repository")
        elif not file.exists():
            errors.append(f"{shown}:{number}: the link {target} leads nowhere")
        elif anchor and file.suffix == ".md" and anchor not in anchors(file.read_text(encoding="utf-8")):
            errors.append(f"{shown}:{number}: {name or 'this text'} has no heading #{anchor}")
    return errors
