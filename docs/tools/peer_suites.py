"""What the lab says about the programs of other race detectors' suites, from docs/results/cpu/peers.csv, which
common/lab/peers/run_peers.py writes.
"""

from __future__ import annotations

import csv
from pathlib import Path

import markdown_table
from errors import DocsError
from repository import ROOT

FILE = Path("docs/results/cpu/peers.csv")
NAMES = {"gpuverify": "GPUVerify's testsuite/CUDA", "indigo3": "Indigo3"}
_SHOWN = 3  # names of programs with the same reason, before "and 5 more"


def _rows(root: Path) -> list[dict[str, str]]:
    with (root / FILE).open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def _short(program: str) -> str:
    """A name from Indigo3 without the bugs that the program does not have."""
    return "_".join(word for word in program.split("_") if not (word.startswith("No") and word.endswith("Bug")))


def _counted(rows: list[dict[str, str]], verdict: str, expects: str = "") -> int:
    return sum(row["verdict"] == verdict and expects in ("", row["expects"]) for row in rows)


def _names(programs: list[str]) -> str:
    shown = ", ".join(f"`{_short(program)}`" for program in programs[:_SHOWN])
    more = len(programs) - _SHOWN
    return f"{shown} and {more} more" if more > 0 else shown


def table(words: list[str], root: Path = ROOT) -> str:
    """The body of a `peers` marker: counts, or differences (with the reason of each)."""
    rows = _rows(root)
    if words == ["counts"]:
        lines = []
        for suite in dict.fromkeys(row["suite"] for row in rows):
            own = [row for row in rows if row["suite"] == suite]
            found, silent = _counted(own, "found"), _counted(own, "silent")
            right, blamed = _counted(own, "agreed right"), _counted(own, "blamed")
            rest = len(own) - found - silent - right - blamed
            numbers = [len(own), f"{found} of {found + silent}", f"{right} of {right + blamed}", rest]
            lines.append([NAMES[suite], *map(str, numbers)])
        return markdown_table.table(["suite", "programs", "wrong: found", "right: silent", "not compared"], lines)
    if words == ["differences"]:
        together: dict[tuple[str, str, str], list[str]] = {}
        for row in rows:
            if row["reason"]:
                together.setdefault((row["suite"], row["verdict"], row["reason"]), []).append(row["program"])
        lines = [
            [NAMES[suite], verdict, _names(programs), reason] for (suite, verdict, reason), programs in together.items()
        ]
        return markdown_table.table(["suite", "", "programs", "why"], lines)
    raise DocsError("a peers marker names one of counts, differences")
