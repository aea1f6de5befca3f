"""Reads an exercise's notes, grading/exK_name.md: kind, level, stub, hints and wrong answers.

The form is described in README.md.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from ..grading_error import GradingError

KINDS = {
    "write": "fill in the blank",
    "fault": "find the bug",
    "predict": "predict a number",
    "faster": "make it faster",
}
REASONS = (
    "compile forbidden answer prediction count time race out_of_bounds misaligned read_only escaped "
    "uninitialised host_pointer device_pointer unused leak backend cuda_error crash time_limit memory_limit "
    "no_verdict grader"
).split()
_KEYS = ("kind", "level", "read", "teaches", "stub-fails")


@dataclass(frozen=True)
class Wrong:
    """A plausible wrong answer."""

    title: str
    fails: str  # the reason code that must come out
    says: str  # what the failure's text must contain
    why: str
    blank: list[str]


@dataclass(frozen=True)
class Notes:
    title: str
    kind: str
    level: int
    read: str  # a link, relative to the chapter's folder
    teaches: str
    stub_fails: str
    blank: list[str]  # the stub's
    hints: list[str]
    wrong: list[Wrong]


def parse(path: Path, shown: str) -> Notes:
    """Reads the notes; GradingError, with `shown` for the file's name, if something is missing."""

    def wrong_file(text: str) -> GradingError:
        return GradingError(f"{shown}: {text}")

    title, front, sections = _sections(path.read_text(encoding="utf-8").split("\n"))
    if not title:
        raise wrong_file("the first line must be '# ' and the title")
    fields = {}
    for line in front:
        key, colon, value = line.partition(":")
        if not colon or key not in _KEYS:
            raise wrong_file(f"'{line}' is not one of the lines {', '.join(_KEYS)}")
        fields[key] = value.strip()
    for key in _KEYS:
        if not fields.get(key):
            raise wrong_file(f"the line '{key}:' is missing")
    if fields["kind"] not in KINDS:
        raise wrong_file(f"kind: {fields['kind']} is not one of {', '.join(KINDS)}")
    if fields["level"][0] not in "123":
        raise wrong_file(f"level: {fields['level']} is not one of 1, 2, 3")
    if fields["stub-fails"] not in REASONS:
        raise wrong_file(f"stub-fails: {fields['stub-fails']} is not one of {', '.join(REASONS)}")

    blank: list[str] | None = None
    hints: list[str] = []
    wrong: list[Wrong] = []
    for heading, body in sections:
        if heading == "Blank":
            blank = _code(body)
            if blank is None:
                raise wrong_file("the section Blank has no ```cpp block")
        elif re.fullmatch(r"Hint \d+", heading):
            if heading != f"Hint {len(hints) + 1}":
                raise wrong_file(f"'{heading}' follows {len(hints)} hints")
            hints.append("\n".join(body).strip())
        elif heading.startswith("Wrong: "):
            wrong.append(_wrong(heading[len("Wrong: ") :], body, wrong_file))
        else:
            raise wrong_file(f"the section '{heading}' is not one of Blank, Hint 1, Hint 2, Wrong: …")
    if blank is None:
        raise wrong_file("the section Blank is missing")
    return Notes(
        title,
        fields["kind"],
        int(fields["level"][0]),
        fields["read"],
        fields["teaches"],
        fields["stub-fails"],
        blank,
        hints,
        wrong,
    )


def _sections(lines: list[str]) -> tuple[str, list[str], list[tuple[str, list[str]]]]:
    """The title, the lines below it, and heading and lines of each section of level 2."""
    title, fenced = "", False
    front: list[str] = []
    sections: list[tuple[str, list[str]]] = []
    for line in lines:
        if line.startswith("```"):
            fenced = not fenced
        if not fenced and line.startswith("# ") and not title:
            title = line[2:].strip()
        elif not fenced and line.startswith("## "):
            sections.append((line[3:].strip(), []))
        elif sections:
            sections[-1][1].append(line)
        elif line.strip():
            front.append(line.strip())
    return title, front, sections


def _code(body: list[str]) -> list[str] | None:
    """The lines of the section's fenced block."""
    fences = [i for i, line in enumerate(body) if line.startswith("```")]
    return body[fences[0] + 1 : fences[1]] if len(fences) == 2 else None


def _wrong(title: str, body: list[str], wrong_file) -> Wrong:
    fields = {"fails": "", "says": ""}
    words = []
    for line in body:
        if line.startswith("```"):
            break
        key, colon, value = line.partition(":")
        if colon and key in fields and not fields[key]:
            fields[key] = value.strip()
        else:
            words.append(line)
    blank = _code(body)
    why = " ".join(" ".join(words).split())
    if blank is None:
        raise wrong_file(f"'Wrong: {title}' has no ```cpp block")
    if fields["fails"] not in REASONS:
        raise wrong_file(f"'Wrong: {title}': fails: {fields['fails'] or '?'} is not one of {', '.join(REASONS)}")
    if not fields["says"] or not why:
        raise wrong_file(f"'Wrong: {title}' has no {'line says:' if why else 'sentence that says why'}")
    return Wrong(title, fields["fails"], fields["says"], why, blank)
