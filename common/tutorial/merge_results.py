"""Merges rows that several processes measured into one file; docs/results/README.md describes its columns.

One process knows the spread of its own samples, but not what differs from process to process: where memory is, or the
GPU's clock at that moment. So rows to be compared are measured in several processes, each of which goes through all
sizes, so that there are minutes between them.
"""

from __future__ import annotations

import csv
from pathlib import Path
from statistics import median
from typing import Callable

Row = dict[str, str]

FIELDS_OF_A_RUN = ("n", "input", "seed", "options")
TIMES = ("cold", "hot")
SLOWEST_RIVAL = 2.0  # times as long as the fastest stage
SLOWEST_LIBRARY = 10.0
LONGEST_US = 50e3  # slower rows get enough samples in one process


def split_stages(words: list[str]) -> tuple[list[str], list[str]]:
    """Options without --stage, and the stages that it names: none means all."""
    options: list[str] = []
    stages: list[str] = []
    in_stages = False
    for word in words:
        if word.startswith("--"):
            in_stages = word == "--stage" or word.startswith("--stage=")
            if in_stages:
                stages += [word.partition("=")[2]] if "=" in word else []
                continue
        (stages if in_stages else options).append(word)
    return options, stages


def rivals(rows: list[Row]) -> list[str]:
    """Which rows of one run are worth measuring again: the stages about as fast as the fastest, and the libraries."""
    right = [row for row in rows if row["check"] == "ok" and row["kind"] != "host" and row["cold_us"]]
    stages = [_number(row, "cold_us") for row in right if row["kind"] == "stage"]
    if not stages:
        return []
    most = {"stage": SLOWEST_RIVAL * min(stages), "library": SLOWEST_LIBRARY * min(stages)}
    return [row["stage"] for row in right if _number(row, "cold_us") <= min(most[row["kind"]], LONGEST_US)]


def read(file: Path) -> list[Row]:
    with file.open(newline="", encoding="utf-8") as stream:
        return list(csv.DictReader(stream))


def write(file: Path, rows: list[Row]) -> None:
    with file.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, fieldnames=list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def merged(processes: list[list[Row]]) -> list[Row]:
    """The first process's rows of one run, each joined with the same row of the others."""
    first, *others = processes
    rows = [_joined([row, *_same(row, others)]) for row in first]
    _compare(rows)
    return rows


def _same(row: Row, others: list[list[Row]]) -> list[Row]:
    keys = ("stage", *FIELDS_OF_A_RUN)
    return [other for rows in others for other in rows if all(other[key] == row[key] for key in keys)]


def _joined(rows: list[Row]) -> Row:
    """Medians of the processes' medians and quartiles; the interval from the lowest to the highest of theirs."""
    joined = dict(rows[0])
    timed = [row for row in rows if row["check"] == "ok" and row["cold_us"]]
    if not rows[0]["cold_us"] or len(timed) < 2:
        return joined

    def put(column: str, pick: Callable[[list[float]], float], of: list[Row] = timed) -> None:
        values = [_number(row, column) for row in of if row.get(column)]
        if values:
            joined[column] = f"{pick(values):.7g}"

    for time in TIMES:
        for column in (f"{time}_us", f"{time}_q1_us", f"{time}_q3_us"):
            put(column, median)
        put(f"{time}_low_us", min)
        put(f"{time}_high_us", max)
    put("cold_min_us", min)
    put("samples", sum)
    for column in ("copies_us", "launch_overhead_us", "hot_launch_overhead_us", "programmatic_overhead_us"):
        put(column, median)
    # The ceiling is the best value that any of them measured.
    put("ceiling_us", min)
    put("read_gb_per_s", max)
    put("copy_gb_per_s", max)
    joined["stopped"] = "time" if any(row["stopped"] == "time" for row in timed) else "stable"
    joined["processes"] = str(len(timed))
    return joined


def _compare(rows: list[Row]) -> None:
    """What follows from the times of a run: rates, and how many times as fast as other rows."""
    least = min((_number(row, "ceiling_us") for row in rows if row["ceiling_us"]), default=0.0)
    for row in rows:
        cold = _number(row, "cold_us")
        if least:
            row["ceiling_us"] = f"{least:.7g}"
        if not cold or row["check"] != "ok":
            continue
        if row["bytes_needed"]:
            row["gb_per_s"] = f"{_number(row, 'bytes_needed') / cold / 1e3:.7g}"
        row["items_per_s"] = f"{_number(row, 'n') / cold * 1e6:.7g}" if _number(row, "n") else ""
        if least and row["kind"] != "host":
            row["percent_of_ceiling"] = f"{100 * least / cold:.7g}"
        for name, column in (("first", "x_first"), ("library", "x_library")):
            other = next((r for r in rows if row[name] and r["stage"] == row[name]), None)
            if other and other["cold_us"]:
                row[column] = f"{_number(other, 'cold_us') / cold:.7g}"


def _number(row: Row, column: str) -> float:
    return float(row[column]) if row.get(column) else 0.0
