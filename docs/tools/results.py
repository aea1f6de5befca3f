"""Reads docs/results/<machine>/<chapter>.csv and derives what tables, figures and texts show.

The columns are described in docs/results/README.md. In this module times are in seconds.
"""

from __future__ import annotations

import csv
import functools
import re
from dataclasses import dataclass
from pathlib import Path

from errors import DocsError
from repository import ROOT, chapter


def parse_size(text: str) -> int:
    """1000, 64k, 1M, 2G (powers of 1024), 2^20, 2^20+3, 2^20-1: as with the chapters' --n."""
    body, sign, offset = text, 0, 0
    for mark in "+-":
        if mark in text:
            body, tail = text.split(mark, 1)
            sign, offset = (1 if mark == "+" else -1), int(tail)
    try:
        if "^" in body:
            base, power = body.split("^")
            value = int(base) ** int(power)
        elif body[-1:] in ("k", "M", "G"):
            value = int(body[:-1]) * 1024 ** (1 + "kMG".index(body[-1]))
        else:
            value = int(body)
    except ValueError:
        raise DocsError(f"{text} is not a size such as 1000, 64k or 2^20") from None
    return value + sign * offset


def number(text: str | None) -> float:
    """The number in a field; 0 if the field is empty or missing."""
    return float(text) if text else 0.0


def seconds(row: dict, clock: str = "cold") -> float:
    """A time of one row: cold, cold_min, hot, copies or ceiling; 0 if there is none."""
    return number(row.get(f"{clock}_us")) * 1e-6


# How far the true time may be from the median if a file does not say, or if only one process measured it: times have
# differed between processes by up to 6 %, cold, and 10 %, hot.
ASSUMED = {"cold": 0.03, "hot": 0.05}


def interval(row: dict, clock: str = "cold") -> tuple[float, float] | None:
    """The limits between which the median of a row's time is known to lie, in seconds; None if there are none."""
    low, high = number(row.get(f"{clock}_low_us")), number(row.get(f"{clock}_high_us"))
    return (low * 1e-6, high * 1e-6) if high else None


def known_to(row: dict, clock: str = "cold") -> float | None:
    """Half the width of that interval, as a fraction of the median."""
    between, median = interval(row, clock), seconds(row, clock)
    return (between[1] - between[0]) / 2 / median if between and median else None


def across_processes(row: dict, clock: str = "cold") -> tuple[float, float]:
    """The interval; a wider one if it is that of a single process, or not known."""
    median, assumed = seconds(row, clock), ASSUMED.get(clock, ASSUMED["cold"])
    low, high = interval(row, clock) or (median, median)
    if number(row.get("processes")) > 1:
        return low, high
    return min(low, median * (1 - assumed)), max(high, median * (1 + assumed))


def may_be_equal(row: dict, other: dict, clock: str = "cold", other_clock: str = "") -> bool:
    """Whether the intervals of two rows' times overlap. False if a file does not have them."""
    if not interval(row, clock) or not interval(other, other_clock or clock):
        return False
    a, b = across_processes(row, clock), across_processes(other, other_clock or clock)
    return row is not other and a[0] <= b[1] and b[0] <= a[1]


def relation(row: dict, other: dict, clock: str = "cold") -> tuple[str, str]:
    """How one row compares with another, and by how much: ("faster by", "6 %"), ("times as fast", "1.6"),
    ("equal", "") if the intervals overlap, ("slower by", "5 %"): its time is 5 % longer, ("times as long", "2.4")."""
    mine, others = seconds(row, clock), seconds(other, clock)
    if not mine or not others:
        raise DocsError(f"{clock} was not measured for {row['stage']} or {other['stage']}")
    a, b = across_processes(row, clock), across_processes(other, clock)
    if a[0] <= b[1] and b[0] <= a[1]:
        return "equal", ""
    ratio = max(mine, others) / min(mine, others)
    percent = f"{show_digits(100 * (ratio - 1), 1 if ratio < 1.1 else 2)} %"
    if mine < others:
        return ("faster by", percent) if ratio < 1.495 else ("times as fast", show_ratio(ratio))
    return ("slower by", percent) if ratio < 1.995 else ("times as long", show_ratio(ratio))


def comparison(row: dict, other: dict, clock: str = "cold") -> str:
    """The same as words between "is" and the other name: "6 % faster than", "about as fast as"."""
    how, amount = relation(row, other, clock)
    return {
        "equal": "about as fast as",
        "faster by": f"{amount} faster than",
        "times as fast": f"{amount} times as fast as",
        "slower by": f"{amount} slower than",
        "times as long": f"slower by a factor of {amount} than",
    }[how]


def skipped(row: dict) -> str:
    """Why the row did not run, its numbers as show_n() shows them; empty if it did."""
    if row["check"]:
        return ""
    return re.sub(r"(?<![\w^,.-])\d{4,}\b", lambda m: show_n(int(m.group())), row.get("message") or "no reason given")


@dataclass
class Run:
    """The rows of one run of a chapter: one n, one input, the same options."""

    rows: list[dict]

    def first(self) -> dict | None:
        """The first stage that ran: what "x first" compares with."""
        return next((r for r in self.rows if r["kind"] == "stage" and seconds(r)), None)

    def library(self) -> dict | None:
        """The first library row that ran: what "x library" compares with."""
        return next((r for r in self.rows if r["kind"] == "library" and seconds(r)), None)


class Results:
    """One results file."""

    def __init__(self, rows: list[dict], name: str):
        self.rows = rows
        self.name = name

    def select(self, **filters: str) -> list[dict]:
        """Rows whose columns have these values. A filter may name several, "1k,64k"; one on a name
        that is not a column is looked up in the column `options`; a flag there is "yes", and "no"
        where it is absent. Without one on `seed`, rows with the seed of the file's first row."""
        rows = self.rows
        if "seed" not in filters:
            rows = [r for r in rows if r.get("seed") == rows[0].get("seed")]
        for column, wanted in filters.items():
            values = wanted.split(",")
            if column == "n":
                sizes = {parse_size(v) for v in values}
                rows = [r for r in rows if int(r["n"]) in sizes]
            elif rows and column in rows[0]:
                rows = [r for r in rows if r[column] in values]
            else:
                rows = [r for r in rows if _has_option(r.get("options", "").split(), column, values)]
        if not rows:
            asked = " ".join(f"{k}={v}" for k, v in filters.items())
            raise DocsError(f"{self.name} has no row for {asked or 'anything'}")
        return rows

    def run_of(self, row: dict) -> Run:
        wanted = _run_key(row)
        same = [r for r in self.rows if r["n"] == row["n"] and _run_key(r) == wanted]
        return Run(same)

    def one_run(self, **filters: str) -> Run:
        """The run that the filters single out. Raises DocsError if they leave several."""
        rows = self.select(**filters)
        keys = sorted({_run_key(r) for r in rows})
        if len(keys) > 1:
            raise DocsError(f"{self.name} has several such runs ({_different(keys)}): choose one")
        return Run(rows)

    def caption(self, rows: list[dict]) -> str:
        """Names the machine, the CUDA version and the day, and n if there is only one."""
        parts = [_one(rows, "device")]
        if _one(rows, "cuda"):
            parts.append(f"CUDA {_one(rows, 'cuda')}")
        parts.append(_one(rows, "date")[:10])
        if len({r["n"] for r in rows}) == 1:
            parts.append(f"n = {show_n(int(rows[0]['n']))}")
        for name, label in (("input", "{} input"), ("options", "{}")):
            values = {r.get(name, "") for r in rows}
            if len(values) == 1 and values != {""}:
                parts.append(label.format(values.pop()))
        return ", ".join(parts)


@functools.lru_cache(maxsize=None)
def _rows(path: Path, _time: int, _size: int) -> list[dict[str, str]]:
    """A file's rows, read once for each state of the file: texts ask for them a thousand times."""
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def load(name: str, machine: str, root: Path = ROOT) -> Results:
    """Results of the chapter `name` (ch01 or ch01_bubble) on `machine` (h200), or of a
    chapter's additional experiment, whose file has that name (ch03_ablations)."""
    path = root / "docs" / "results" / machine / f"{name}.csv"
    if not path.exists():
        path = path.with_name(f"{chapter(name, root).name.split('_')[0]}.csv")
    shown = path.relative_to(root).as_posix()
    if not path.exists():
        raise DocsError(f"{shown} does not exist: ./tutorial bench writes it")
    stat = path.stat()
    rows = _rows(path, stat.st_mtime_ns, stat.st_size)
    if not rows:
        raise DocsError(f"{shown} has no rows")
    for column in ("device", "date", "n", "stage", "kind", "cold_us", "check"):
        if column not in rows[0]:
            raise DocsError(f"{shown} has no column {column}")
    return Results(rows, shown)


def _has_option(options: list[str], name: str, values: list[str]) -> bool:
    given = any(option == name or option.startswith(f"{name}=") for option in options)
    return (
        any(f"{name}={value}" in options for value in values)
        or (name in options and "yes" in values)
        or (not given and "no" in values)
    )


def _run_key(row: dict) -> tuple:
    return int(row["n"]), row.get("input", ""), row.get("seed", ""), row.get("options", "")


def _different(keys: list[tuple]) -> str:
    shown = []
    for name, values in zip(("n", "input", "seed", "options"), zip(*keys)):
        if len(set(values)) > 1:
            shown.append(f"{name} " + ", ".join(str(v) or "none" for v in sorted(set(values))))
    return "; ".join(shown)


def _one(rows: list[dict], column: str) -> str:
    """The value of a column that must be the same in all rows (dates: the last)."""
    values = sorted({r.get(column, "") for r in rows})
    if len(values) > 1 and column != "date":
        raise DocsError(f"rows of several values of {column} ({', '.join(values)}) in one table")
    return values[-1]


# ---- How a quantity is shown -----------------------------------------------------------------


def show_n(n: int) -> str:
    """1,024 and 1,000,000; powers of two from 2^16 as 2^16."""
    if n >= 1 << 16 and n & (n - 1) == 0:
        return f"2^{n.bit_length() - 1}"
    return f"{n:,}"


def show_digits(value: float, digits: int = 3) -> str:
    """`digits` significant digits, never in scientific notation: 65.4, 1,234, 0.0123."""
    if value == 0:
        return "0"
    exponent = int(f"{abs(value):.{digits - 1}e}".split("e")[1])
    decimals = max(0, digits - 1 - exponent)
    return f"{value:,.{decimals}f}"


def show_seconds(value: float) -> str:
    """65.4 us."""
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        # The smallest value whose three digits still reach the unit.
        if value >= 0.9995 * scale:
            return f"{show_digits(value / scale)} {unit}"
    return f"{show_digits(value / 1e-9)} ns"


def show_ratio(value: float) -> str:
    """1.04, 7.0, 24, 310, 0.014: two digits, three near 1."""
    if value >= 9.95:
        return f"{value:,.0f}"
    if value < 0.0995:
        return show_digits(value, 2)
    return f"{value:.1f}" if value >= 1.95 else f"{value:.2f}"


def show_comparable(value: float, may_be_one: bool) -> str:
    """A ratio of two times; with a ≈ if the two cannot be told apart."""
    return ("≈" if may_be_one else "") + show_ratio(value)


def show_rate(value: float, is_bytes: bool) -> str:
    """Bytes: 4,650 GB/s. Items: 51.2 M/s, 1.23 G/s."""
    if is_bytes:
        return f"{show_digits(value / 1e9)} GB/s"
    for unit, scale in (("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if value >= 0.9995 * scale:
            return f"{show_digits(value / scale)} {unit}/s"
    return f"{show_digits(value)} /s"


# Heads of columns.
HEADINGS = {
    "stage": "stage",
    "time": "time",
    "min": "least time",
    "hot": "time, hot",
    "copies": "time with copies",
    "rate": "rate",
    "hot_rate": "rate, hot",
    "ceiling": "of ceiling",
    "hot_ceiling": "of ceiling, hot",
    "ceiling_rate": "ceiling",
    "launch_overhead": "launch overhead",
    "hot_launch_overhead": "launch overhead, hot",
    "programmatic_overhead": "launch overhead, hot, overlapped",
    "above": "above launch overhead and ceiling",
    "known": "known to",
    "hot_known": "known to, hot",
    "first": "x first",
    "library": "x library",
    "check": "check",
}
QUANTITIES = HEADINGS.keys() - {"stage", "check"}
TIMES = ("time", "min", "hot", "copies", "launch_overhead", "hot_launch_overhead", "programmatic_overhead", "above")


def quantity(results: Results, row: dict, name: str) -> float | None:
    """A quantity of one row as a plain number, or None if it was not measured.

    time, min, hot, copies: seconds. rate, hot_rate: bytes per second, or items per second if the
    chapter gives no bytes. ceiling, hot_ceiling: fraction of the ceiling reached. ceiling_rate:
    what the ceiling allows, bytes or items per second. launch_overhead, hot_launch_overhead,
    programmatic_overhead: seconds of an empty kernel. above: what the cold time is above launch
    overhead and ceiling, seconds. known, hot_known: half the width of the interval of the median,
    as a fraction of it. first, library: how many times as fast as the first stage, as the first
    library row (above 1: faster). Any other name is a column of the file.
    """
    run = results.run_of(row)
    measured = seconds(row, "hot" if name.startswith("hot") else "cold")
    least = seconds(row, "ceiling")
    work = number(row.get("bytes_needed")) or float(row["n"])
    if name in ("time", "hot"):
        return measured or None
    if name in ("min", "copies"):
        return seconds(row, "cold_min" if name == "min" else name) or None
    if name in ("rate", "hot_rate"):
        return work / measured if measured else None
    if name in ("ceiling", "hot_ceiling"):
        # The device's ceiling says nothing about a row that runs on the host.
        return least / measured if measured and least and row["kind"] != "host" else None
    if name in ("launch_overhead", "hot_launch_overhead", "programmatic_overhead"):
        return seconds(row, name) or None
    if name == "above":
        floor = seconds(row, "launch_overhead")
        return measured - floor - least if measured and floor and least else None
    if name in ("known", "hot_known"):
        return known_to(row, "hot" if name == "hot_known" else "cold")
    if name == "ceiling_rate":
        return work / least if least else None
    if name in ("first", "library"):
        other = run.first() if name == "first" else run.library()
        return seconds(other) / measured if other and measured else None
    if name not in row:
        raise DocsError(f"{results.name} has no column and the tools no quantity called {name}")
    try:
        return float(row[name]) if row[name] else None
    except ValueError:
        raise DocsError(f"{name} is text, not a number") from None


def show(results: Results, row: dict, name: str) -> str:
    """The same, as a text shows it: with its unit, or a dash if there is none."""
    if name in row and name not in QUANTITIES:
        try:
            plain = float(row[name])
        except (TypeError, ValueError):
            return row[name] or "–"
        return show_seconds(plain * 1e-6) if name.endswith("_us") else f"{plain:,g}"
    value = quantity(results, row, name)
    if value is None:
        return "–"
    if name in TIMES:
        return show_seconds(value)
    if name in ("known", "hot_known"):
        return f"±{show_digits(100 * value, 2)} %"
    if name in ("rate", "hot_rate", "ceiling_rate"):
        return show_rate(value, bool(number(row.get("bytes_needed"))))
    if name in ("ceiling", "hot_ceiling"):
        return f"{show_digits(100 * value, 2 if value < 0.0995 else 3)} %"
    run = results.run_of(row)
    other = run.first() if name == "first" else run.library()
    return show_comparable(value, bool(other) and may_be_equal(row, other or row))
