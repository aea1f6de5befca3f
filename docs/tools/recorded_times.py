"""Whether the printed tables of the CPU backend, docs/results/cpu/*.txt, show the GPU's times of today's results files.

The program that prints them reads those files when it runs. So a new run on the GPU makes them old.
"""

from __future__ import annotations

import csv
import re
from pathlib import Path

from repository import ROOT, chapters

FOOT = re.compile(r"^.+: recorded on a GPU \((?P<device>.+), (?P<date>[\d-]+), CUDA [^)]+\).*\nat n = (?P<n>\d+)", re.M)
MICROSECONDS = {"ns": 1e-3, "us": 1.0, "ms": 1e3, "s": 1e6}
ADVICE = "./tutorial bench --cpu, then ./tutorial docs"


def table_rows(text: str) -> list[list[str]]:
    """The cells of each row of the table, without its head."""
    lines = text.splitlines()
    heads = [i for i, line in enumerate(lines) if re.match(r"stage\s", line)]
    rows = []
    for line in lines[heads[0] + 1 :] if heads else []:
        if not line.strip():
            break
        rows.append(re.split(r"\s{2,}", line.strip()))
    return rows


def is_shown_as(microseconds: float, shown: str) -> bool:
    """Whether a time is printed like that: 14.82 us."""
    number, unit = shown.split()
    half_a_digit = 0.5 * 10.0 ** -len(number.partition(".")[2])
    return abs(microseconds / MICROSECONDS[unit] - float(number)) <= half_a_digit * 1.001


def recorded(root: Path, chapter: str, device: str, date: str, n: str) -> dict[str, list[float]]:
    """Cold times in microseconds by stage: what that device took for so many items in runs of that day."""
    times: dict[str, list[float]] = {}
    for path in sorted(root.glob(f"docs/results/*/{chapter}.csv")):
        with path.open(newline="", encoding="utf-8") as file:
            for row in csv.DictReader(file):
                is_meant = (row["device"], row["n"]) == (device, n) and row["date"].startswith(date)
                if is_meant and row.get("cold_us"):
                    times.setdefault(row["stage"], []).append(float(row["cold_us"]))
    return times


def check(root: Path = ROOT) -> list[str]:
    """What is wrong, a line each."""
    errors = []
    for folder in chapters(root):
        chapter = folder.name.split("_")[0]
        path = root / "docs" / "results" / "cpu" / f"{chapter}.txt"
        if not path.exists():
            continue
        name = path.relative_to(root).as_posix()
        text = path.read_text(encoding="utf-8")
        foot = FOOT.search(text)
        if not foot:
            errors.append(f"{name}: names no GPU whose times it shows: {ADVICE}")
            continue
        times = recorded(root, chapter, foot["device"], foot["date"], foot["n"])
        shown = {row[0]: row[-2] for row in table_rows(text) if len(row) > 2 and row[-2] != "-"}
        if not shown:
            errors.append(f"{name}: shows no time of {foot['device']}: {ADVICE}")
        for stage, time in shown.items():
            if not any(is_shown_as(each, time) for each in times.get(stage, [])):
                errors.append(
                    f"{name}: {stage} has taken {time} on {foot['device']}, {foot['date']}, n = {foot['n']}; "
                    f"no results file says so today: {ADVICE}"
                )
    return errors
