"""Whether the printed tables of the emulator, docs/results/cpu/*.txt, show the GPU times of the current results files.
The program that prints them reads those files when it runs (common/harness/recorded.cpp), so a new run on the GPU makes
them outdated.
"""

from __future__ import annotations

import re
from pathlib import Path

import results
from repository import ROOT, chapters

QUESTION = re.compile(r"^n = .*, input (?P<input>\w+), seed \d+(?:, (?P<options>.+))?$", re.M)
SOURCE = re.compile(r": recorded on a GPU \((?P<device>.+), (?P<date>[\d-]+), CUDA [^)]+\).*\nat n = (?P<n>\d+)")
MICROSECONDS = {"ns": 1e-3, "us": 1.0, "ms": 1e3, "s": 1e6}
ADVICE = "./tutorial bench --cpu, then ./tutorial docs"


def shown_times(text: str) -> dict[str, str]:
    """The recorded time of each row, "14.82 us" or "-": the last column but one, before the check. Or "skipped: …"."""
    lines = text.splitlines()
    head = next((i for i, line in enumerate(lines) if re.match(r"stage\s", line)), len(lines))
    times = {}
    for line in lines[head + 1 :]:
        if not line.strip():
            break
        cells = re.split(r"\s{2,}", line.strip())
        times[cells[0]] = cells[1] if cells[1].startswith("skipped:") else cells[-2]
    return times


def is_shown_as(microseconds: float | None, shown: str) -> bool:
    """Whether a time, or its absence, is printed like that."""
    if shown == "-" or microseconds is None:
        return shown == "-" and microseconds is None
    number, unit = shown.split()
    half_a_digit = 0.5 * 10.0 ** -len(number.partition(".")[2])
    return abs(microseconds / MICROSECONDS[unit] - float(number)) <= half_a_digit * 1.001


def recorded(files: list[results.Results], question: dict[str, str], source: dict[str, str]) -> dict[str, float]:
    """Cold times in microseconds by stage; of several seeds, the first."""
    times: dict[str, float] = {}
    for row in (row for file in files for row in file.rows):
        asked = (row["input"], row["options"]) == (question["input"], question["options"] or "")
        from_there = (row["device"], row["n"]) == (source["device"], source["n"])
        is_right = row["kind"] == "stage" and row["check"] == "ok" and row["date"].startswith(source["date"])
        if asked and from_there and is_right and row["cold_us"]:
            times.setdefault(row["stage"], float(row["cold_us"]))
    return times


def check_table(text: str, files: list[results.Results]) -> list[str]:
    """What is wrong with one printed table."""
    question, source = QUESTION.search(text), SOURCE.search(text)
    if not question or not source:
        return ["names no GPU whose times it shows"]
    times, shown = recorded(files, question.groupdict(), source.groupdict()), shown_times(text)
    where = f"{source['device']}, {source['date']}, n = {source['n']}"
    if not times:
        return [f"shows times of {where}; no results file has any"]
    return [
        f"{stage} has {time}; for {where} the results file has {times.get(stage, 'none')}"
        + (" us" if stage in times else "")
        for stage, time in shown.items()
        if not time.startswith("skipped:") and not is_shown_as(times.get(stage), time)
    ] + [f"has no row {stage}, for which a time is recorded" for stage in times if stage not in shown]


def check(root: Path = ROOT) -> list[str]:
    """What is wrong, a line each. Without a GPU's results file a chapter's table shows no times."""
    errors = []
    for folder in chapters(root):
        chapter = folder.name.split("_")[0]
        table = root / "docs" / "results" / "cpu" / f"{chapter}.txt"
        machines = sorted(path.parent.name for path in root.glob(f"docs/results/*/{chapter}.csv"))
        files = [results.load(chapter, machine, root) for machine in machines if machine != "cpu"]
        if table.exists() and files:
            wrong = check_table(table.read_text(encoding="utf-8"), files)
            errors += [f"{table.relative_to(root).as_posix()} {each}: {ADVICE}" for each in wrong]
    return errors
