#!/usr/bin/env python3
"""Chinese texts next to the English ones: which section each was made from, and which are older than their original.

  translations.py                      sections that are older than the English ones, or missing
  translations.py --json               the same for programs: {text: [anchor of a section that is old, …]}
  translations.py --stamp FILE [ID…]   says that the sections of FILE (all, or those with these anchors) agree
                                       with the English ones as they are now

`gpu.zh-Hant.md` is the Chinese of `gpu.md`. A heading there keeps the English anchor, and the line below it says
what it was made from:

  ## <a id="the-machine"></a>機器
  <!-- translates 0b1f22aa -->

The eight digits are a hash of the English section, without the parts that the tools write. A section that is older than
the English one is listed, and the book says so above it; that is not an error. exercises/README.zh-Hant.md also has a
section for each exercise, made from its title, its task and its hints (exercise_texts.py). Exit code: 0, 1 for a wrong
form, 2 for a wrong argument.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))

from blocks import fenced_lines, without_contents
from errors import DocsError
from exercise_texts import english
from links import sections
from repository import ROOT, TRANSLATED, translations

_STAMP = re.compile(r"^<!-- translates ([0-9a-f]{8}) -->$")
_HEADING = re.compile(r"^#{1,6} <a id=\"([^\"]+)\"></a>")
_CHINESE = re.compile(r"[\u3400-\u9fff]")
_ITEM = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s|^\s*[|>]|^#|^\s*<|^\[[^\]]+\]:|^!\[")


def original(path: Path) -> Path:
    """The English text of a translation."""
    return path.with_name(path.name[: -len(TRANSLATED)] + ".md")


def digests(path: Path) -> dict[str, str]:
    """The hash of each section of an English text, by its anchor, and of each exercise that it introduces: line breaks
    do not matter."""
    parts = _sections(path.read_text(encoding="utf-8"))
    if path.parent.name == "exercises":
        parts |= english(path.parent.parent)
    return {anchor: hashlib.sha256(" ".join(words.split()).encode()).hexdigest()[:8] for anchor, words in parts.items()}


def _sections(text: str) -> dict[str, str]:
    lines = without_contents(text).split("\n")
    heads = sections("\n".join(lines))
    ends = [at for at, _ in heads[1:]] + [len(lines)]
    return {anchor: " ".join(lines[at:end]) for (at, anchor), end in zip(heads, ends)}


def stamps(text: str) -> list[tuple[int, str, str]]:
    """(index of the heading's line, its anchor, the hash below it or "") of each section of a translation."""
    lines = text.split("\n") + [""]
    found = []
    for at, _ in sections(text):
        named, stamp = _HEADING.match(lines[at]), _STAMP.match(lines[at + 1])
        found.append((at, named.group(1) if named else "", stamp.group(1) if stamp else ""))
    return found


def stale(path: Path) -> tuple[list[str], list[str]]:
    """Anchors of a translation whose English section has changed or is gone, and of English sections that it
    does not have."""
    now = digests(original(path))
    there = {anchor: digest for _, anchor, digest in stamps(path.read_text(encoding="utf-8"))}
    return (
        [anchor for anchor, digest in there.items() if now.get(anchor) != digest],
        [anchor for anchor in now if anchor not in there],
    )


def check(path: Path, root: Path = ROOT) -> list[str]:
    """One line for each wrong form in a translation."""
    shown = path.relative_to(root).as_posix()
    if not original(path).is_file():
        return [f"{shown}: there is no {original(path).name} next to it"]
    text = path.read_text(encoding="utf-8")
    errors, seen = [], set()
    for at, anchor, digest in stamps(text):
        if not anchor:
            errors.append(f'{shown}:{at + 1}: a heading begins with <a id="…"></a>, the anchor of the English one')
        elif anchor in seen:
            errors.append(f"{shown}:{at + 1}: a second heading with the anchor {anchor}")
        elif not digest:
            errors.append(f"{shown}:{at + 1}: no hash below it: docs/tools/translations.py --stamp {shown} {anchor}")
        seen.add(anchor)
    lines = text.split("\n")
    code = fenced_lines(lines)
    for at in range(1, len(lines)):
        before, line = lines[at - 1 : at + 1]
        if code[at] or code[at - 1] or not before.strip() or not line.strip() or line.startswith("    "):
            continue
        if not _ITEM.match(line) and not re.match(r"#|<!-- |\s*\|", before):
            errors.append(f"{shown}:{at + 1}: a paragraph is one line: a browser would show a blank at a line break")
    for at, line in enumerate(lines):
        errors += [
            f"{shown}:{at + 1}: {sign} is not Traditional Chinese"
            for sign in _CHINESE.findall(line)
            if not _is_big5(sign)
        ]
    return errors


def _is_big5(sign: str) -> bool:
    """Whether a character is in the set of Taiwan, which lacks those that are Simplified only."""
    try:
        return bool(sign.encode("big5"))
    except UnicodeEncodeError:
        return False


def note(path: Path, root: Path = ROOT) -> str:
    """A line about the sections of a translation that are old or missing; empty if there are none."""
    old, missing = stale(path)
    parts = [
        f"{words}: {', '.join(f'#{anchor}' for anchor in anchors)}"
        for words, anchors in (("older than the English text", old), ("not translated", missing))
        if anchors
    ]
    return f"{path.relative_to(root).as_posix()}: {'; '.join(parts)}" if parts else ""


def stamp(path: Path, only: list[str]) -> None:
    """Writes the hash of the English section below each heading, or below those with these anchors. Raises DocsError
    for a file that is not a translation, and for an anchor that is not in both texts."""
    if not path.name.endswith(TRANSLATED) or not path.is_file() or not original(path).is_file():
        raise DocsError(f"{path.name} is not a *{TRANSLATED} with its English text next to it")
    now = digests(original(path))
    both = now.keys() & {anchor for _, anchor, _ in stamps(path.read_text(encoding="utf-8"))}
    if unknown := sorted(set(only) - both):
        raise DocsError(f"{path.name} and {original(path).name} do not both have #{unknown[0]}")
    lines = path.read_text(encoding="utf-8").split("\n")
    for at, anchor, digest in reversed(stamps("\n".join(lines))):
        if anchor in now and (not only or anchor in only):
            lines[at + 1 : at + 1 + bool(digest)] = [f"<!-- translates {now[anchor]} -->"]
    path.write_text("\n".join(lines), encoding="utf-8")


def main(words: list[str]) -> int:
    if words[:1] == ["--stamp"] and len(words) > 1:
        try:
            stamp(Path(words[1]).resolve(), words[2:])
        except DocsError as error:
            print(error, file=sys.stderr)
            return 2
        return 0
    if words == ["--json"]:
        print(json.dumps({path.relative_to(ROOT).as_posix(): stale(path)[0] for path in translations()}))
        return 0
    if words:
        print(__doc__, file=sys.stderr)
        return 2
    errors = [error for path in translations() for error in check(path)]
    for line in errors or [note(path) for path in translations()]:
        if line:
            print(line)
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
