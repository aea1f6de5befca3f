"""Tables of the fault gallery: what is wrong with a program, what the lab says about it, and which of
compute-sanitizer's tools found something, from docs/results/gallery_sanitizer.csv.

What is wrong is the first line of NAME.cu, what the lab says the first words of NAME.txt.
"""

from __future__ import annotations

import csv
import functools
import re
from dataclasses import dataclass
from pathlib import Path

import markdown_table
from errors import DocsError
from repository import ROOT

GALLERY = Path("common/lab/fault_gallery")
FILE = Path("docs/results/gallery_sanitizer.csv")
# The first line of a report names a line of the source, or indented lines follow it; a program's output, which stands
# before the reports, does neither.
_REPORT = re.compile(r"^(\S.*(?:\.cu:\d.*|\n  )|kernel \w+ called printf\(\))", re.MULTILINE)
_REST = re.compile(r"(?: (?:in|at|on|of kernel|from cudaMalloc|was|\d+ times)\b|[,:(] ?\w|: ).*")
TOOLS = ("memcheck", "racecheck", "initcheck", "synccheck")


@dataclass(frozen=True)
class Program:
    """One program of the gallery. `found` holds the tools that reported something; a program that
    is not recorded was not run."""

    name: str
    folder: str  # "" or "more"
    about: str
    says: str
    found: tuple[str, ...]
    ends: bool  # under all tools
    is_recorded: bool
    is_refused: bool  # by nvcc

    @property
    def is_right(self) -> bool:
        return self.name.startswith("right_")

    @property
    def is_missed(self) -> bool:
        return self.name.startswith("missed_")

    @property
    def sanitizer(self) -> str:
        if not self.is_recorded:
            return "not run yet"
        if self.is_refused:
            return "nvcc refuses it"
        return ", ".join(self.found) or ("nothing" if self.ends else "does not end")


@functools.lru_cache(maxsize=None)
def read(root: Path = ROOT) -> tuple[list[Program], dict[str, str]]:
    """All programs by name, and where and when the sanitizer has run: each column's values."""
    with (root / FILE).open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    recorded = {(row["folder"], row["program"]): row for row in rows}
    programs = []
    for folder in ("", "more"):
        for source in sorted((root / GALLERY / folder).glob("*.cu")):
            mine = recorded.get((folder, source.stem), {})
            results = [mine.get(tool, "").split(":")[0] for tool in TOOLS]
            about = _first_sentence(source.read_text(encoding="utf-8"))
            report = _REPORT.search(source.with_suffix(".txt").read_text(encoding="utf-8"))
            if not report and not source.stem.startswith(("right_", "missed_")):
                raise DocsError(
                    f"{source.stem}.txt has no report: the name of such a program begins with right_ or missed_"
                )
            first = report[1].rstrip() if report else ""
            found = tuple(tool for tool, result in zip(TOOLS, results) if result == "found")
            ends, refused = "no end" not in results, "not compiled" in results
            says = _REST.sub("", first).rstrip(".:")
            programs.append(Program(source.stem, folder, about, says, found, ends, bool(mine), refused))
    return programs, {column: " and ".join(sorted({row[column] for row in rows})) for column in rows[0]}


def _first_sentence(source: str) -> str:
    comment = re.match(r"(?://.*\n)+", source)
    text = " ".join(line[2:].strip() for line in comment.group().splitlines()) if comment else ""
    sentence = re.split(r"[.;] ", text + " ")[0].rstrip(" .")
    text = sentence.removeprefix("Right: ")
    # A sentence that begins in lower case begins with code, such as sizeof.
    is_code = text == sentence or re.match(r"\w*[_A-Z(]", text) is not None
    return text if is_code else text[:1].upper() + text[1:]


def table(words: list[str], root: Path = ROOT) -> str:
    """The body of a `gallery` marker: faults, more, right or missed."""
    programs, run = read(root)
    wrong = [p for p in programs if not p.is_right and not p.is_missed]
    caption = f"\n\nOn {run['device']}, CUDA {run['cuda']}, {run['date']}."
    if words == ["faults"]:
        rows = [[p.name, p.says, p.sanitizer] for p in wrong if not p.folder]
        return markdown_table.table(["program", "the lab says", "compute-sanitizer"], rows) + caption
    if words == ["more"]:
        rows = [[p.name, p.about, p.says, p.sanitizer] for p in wrong if p.folder]
        return markdown_table.table(["program", "what is wrong", "the lab says", "compute-sanitizer"], rows)
    if words == ["right"]:
        rows = [[p.name, p.about, p.sanitizer] for p in programs if p.is_right and p.folder]
        return markdown_table.table(["program", "why it is correct", "compute-sanitizer"], rows)
    if words == ["missed"]:
        rows = [[p.name, p.about, p.sanitizer] for p in programs if p.is_missed]
        return markdown_table.table(["program", "what is wrong", "compute-sanitizer"], rows)
    raise DocsError("a gallery marker names one of faults, more, right, missed")


def number(words: list[str], root: Path = ROOT) -> str:
    """The text of a `gallery_count` marker. For all programs: found (by the lab), correct, all_wrong. For those that
    compute-sanitizer has run: wrong, right, blamed (although right), sanitizer and each tool, lab."""
    every, _ = read(root)
    programs = [p for p in every if p.is_recorded and not p.is_refused]
    wrong = [p for p in programs if not p.is_right]
    counts = {
        "found": sum(not p.is_right and not p.is_missed for p in every),
        "correct": sum(p.is_right for p in every),
        "all_wrong": sum(not p.is_right for p in every),
        "wrong": len(wrong),
        "lab": sum(not p.is_missed for p in wrong),
        "right": len(programs) - len(wrong),
        "blamed": sum(bool(p.found) for p in programs if p.is_right),
        "sanitizer": sum(bool(p.found) for p in wrong),
        **{tool: sum(tool in p.found for p in wrong) for tool in TOOLS},
    }
    if len(words) != 1 or words[0] not in counts:
        raise DocsError(f"a gallery_count marker names one of {', '.join(counts)}")
    return str(counts[words[0]])
