#!/usr/bin/env python3
"""Refuses the sentences of sentences.txt in texts, messages and comments, and says what to write instead.

    sentences.py [PATH…]      all that is refused, or what is in files whose paths begin so: ch03
"""

from __future__ import annotations

import functools
import re
import sys
from pathlib import Path
from typing import NamedTuple

import terms
from blocks import fenced_lines
from repository import ROOT

LIST = Path(__file__).resolve().with_name("sentences.txt")
# "Thread 0 overwrites an item" is not a rate: there the number is a name.
_NAMES = "thread lane block warp bank step round item word sector process stage chapter level".split()
# Its first letters come before the lookbehinds, because they rule out most places.
COUNT = (
    r"\b(?=[\dtfsenhTFSENH])"
    + "".join(rf"(?<!(?i:{name})\W)" for name in _NAMES)
    + (r"(?i:\d[\d,.]*|two|three|four|five|six|seven|eight|nine|ten|twelve|sixteen|thirty-two|half)")
)
UNIT = (
    r"(?:thread|block|lane|warp|key|launch|step|request|tile|item|element|sector|multiprocessor|row|stage|word|digit|"
    r"pass|GPU|rank|process|half-step|round|comparison|bank|exercise|student|second|cycle|instruction|line|turn|minute|"
    r"place|level|file|page|answer|chapter)\b(?!')"
)
_SCRIPTS = {".py", ".cmake", ".sh", ".yml"}  # their comments begin with #
_SOURCES = {".cu", ".cuh", ".hpp", ".h", ".cpp", ".mjs", ".vue", *_SCRIPTS}
_SKIPPED = {"docs/tools/sentences.txt", "docs/tools/sentences.py", "docs/tools/tests/test_sentences.py"}
_NOT_SEEN = re.compile(r"(?:^|/)(?:tests|bench|\.ci)/")  # messages that only developers read
_MARKER = re.compile(r"<!--.*?-->")
_CODE = re.compile(r"(`+)(?!`).*?(?<!`)\1(?!`)")
_JS_STRING = re.compile(r"//[^\n]*|/\*.*?\*/|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`", re.DOTALL)
_BEGINS = r"(?<![\w-])"
_HOLE = re.compile(r"\$?\{[^{}\n]*\}")
_LEAD = re.compile(r"^(?://[/!]?<?|#|/\*+)")


class Sentence(NamedTuple):
    pattern: re.Pattern[str]
    instead: str


class Found(terms.Found):
    def __str__(self) -> str:
        return f"{self.file}:{self.line}: '{self.written}' is not how we put it: write {self.instead}"


def read(path: Path = LIST) -> list[Sentence]:
    """The list. Raises ValueError for a line that does not have the form that the file's head describes."""
    sentences = []
    for number, line in terms.entries(path):
        pattern, separator, instead = line.rpartition(" | ")
        if not separator or not instead.strip():
            raise ValueError(f"{path.name}:{number}: a line reads PATTERN | INSTEAD")
        pattern = pattern.strip().replace("{COUNT}", COUNT).replace("{UNIT}", UNIT).replace(" ", r"\s+")
        sentences.append(Sentence(re.compile(f"{_BEGINS}{pattern}" if pattern[0].isalnum() else pattern), instead))
    return sentences


@functools.lru_cache(maxsize=None)
def _anywhere(pattern: re.Pattern[str]) -> re.Pattern[str]:
    """The same, also within a word: what begins with letters is found many times as fast."""
    return re.compile(pattern.pattern.replace(_BEGINS, "", 1))


def _blank(match: re.Match[str]) -> str:
    return re.sub(r"[^\n]", "~", match.group())  # not a blank: what is on both sides of it is not one sentence


def prose_of(text: str) -> str:
    """A text with its code and its markers blanked; every line keeps its number."""
    lines = text.split("\n")
    shown = []
    for line, code in zip(lines, fenced_lines(lines)):
        if code or line.startswith("    "):
            shown.append("~" * len(line))
        else:
            shown.append(_CODE.sub(_blank, _MARKER.sub(_blank, line)))
    return "\n".join(shown)


def messages_of(text: str, suffix: str) -> str:
    """A source with everything blanked except its strings; every line keeps its number."""
    return _kept(text, suffix, is_comment=False)


def comments_of(text: str, suffix: str) -> str:
    """A source with everything blanked except its comments; every line keeps its number."""
    return _kept(text, suffix, is_comment=True)


def _kept(text: str, suffix: str, is_comment: bool) -> str:
    kept = ["~" if c != "\n" else c for c in text]
    strings = (
        terms.SCRIPT_OPAQUE if suffix in _SCRIPTS else _JS_STRING if suffix in (".mjs", ".vue") else terms.C_OPAQUE
    )
    end = 0
    for match in strings.finditer(text):
        shown = match.group()
        if (shown[0] not in "\"'`" or shown.startswith('"""')) != is_comment:
            continue
        # In a comment, the marks that begin its lines are not part of a sentence.
        blanked = _LEAD.sub(_spaces, shown) if is_comment else _HOLE.sub(lambda m: "~" * len(m.group()), shown)
        kept[slice(*match.span())] = _CODE.sub(_blank, blanked) if is_comment else blanked
        if not is_comment and end and not text[end : match.start()].strip("\n\t +f"):  # strings that become one
            kept[end - 1 : match.start() + 1] = re.sub(r"[^\n]", " ", text[end - 1 : match.start() + 1])
        end = match.end()
    # Adjacent comment lines are one text: there are only blanks between them.
    seen = re.sub(r"(?<=\n)~+(?= )", _spaces, "".join(kept)) if is_comment else "".join(kept)
    return re.sub("~+", "~", seen)


def _spaces(match: re.Match[str]) -> str:
    return " " * len(match.group())


def check(root: Path = ROOT, sentences: list[Sentence] | None = None, below: tuple[str, ...] = ("",)) -> list[Found]:
    """Every refused sentence in files whose paths begin so, in the order of files and lines."""
    sentences = read() if sentences is None else sentences
    found = set()
    for name in terms.files(root):
        suffix = ".cmake" if name.endswith("CMakeLists.txt") else Path(name).suffix
        if not name.startswith(below) or name in _SKIPPED or suffix not in (".md", *_SOURCES):
            continue
        text = (root / name).read_text(encoding="utf-8")
        if suffix == ".md":
            read_as = [prose_of(text)]
        else:
            read_as = [comments_of(text, suffix)]
            read_as += [] if _NOT_SEEN.search(name) else [messages_of(text, suffix)]
        for seen in read_as:
            for pattern, instead in sentences:
                if not _anywhere(pattern).search(seen):
                    continue
                for match in pattern.finditer(seen):
                    line = seen.count("\n", 0, match.start()) + 1
                    found.add(Found(name, line, " ".join(match.group().split()), instead))
    return sorted(found)


if __name__ == "__main__":
    refused = check(below=tuple(sys.argv[1:]) or ("",))
    print("\n".join(map(str, refused)) if refused else "no refused sentence")
    sys.exit(1 if refused else 0)
