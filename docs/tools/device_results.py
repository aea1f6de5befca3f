"""What was compiled, run and checked on which machine: docs/results/devices.csv and its tables. The scripts in .ci/
write the file, one row for each of their programs; docs/devices.md shows it.
"""

from __future__ import annotations

import csv
from dataclasses import asdict, dataclass, fields
from pathlib import Path

import markdown_table
from errors import DocsError
from repository import ROOT

FILE = Path("docs/results/devices.csv")

# Compute capability, and boards that have it.
ARCHITECTURES = {
    "75": "7.5: T4, RTX 20",
    "80": "8.0: A100",
    "86": "8.6: A10, RTX 30",
    "89": "8.9: L4, RTX 40",
    "90": "9.0: H100, H200",
    "100": "10.0: B200",
    "120": "12.0: RTX 50",
}


@dataclass(frozen=True)
class Result:
    """One program on one machine. Fields that do not apply are empty."""

    date: str  # of the run, UTC
    what: str  # compile, run, jit (run, compiled again from PTX of that architecture), sanitizer, host
    toolkit: str  # "CUDA 13.0"; of `host` the compiler: "g++ 11.3"
    architecture: str  # of a GPU: "75"; of `host`: "x86-64"
    program: str
    result: str  # ok, failed
    device: str = ""  # that it ran on
    kernels: str = ""
    spilling: str = ""  # kernels that spill
    spilled_bytes: str = ""  # stored by one thread of each of them, summed
    note: str = ""

    @property
    def key(self) -> tuple[str, ...]:
        return (self.what, self.toolkit, self.architecture, self.program, self.device)


def read(root: Path = ROOT) -> list[Result]:
    path = root / FILE
    if not path.exists():
        return []
    with path.open(newline="", encoding="utf-8") as file:
        try:
            return [Result(**row) for row in csv.DictReader(file)]
        except TypeError as error:
            raise DocsError(f"{FILE}: {error}") from None


def record(results: list[Result], root: Path = ROOT) -> None:
    """Writes these results, replacing older ones of the same programs."""
    by_key = {result.key: result for result in [*read(root), *results]}
    with (root / FILE).open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, [f.name for f in fields(Result)], lineterminator="\n")
        writer.writeheader()
        for key in sorted(by_key, key=lambda k: (k[0], k[1], k[2].zfill(8), *k[3:])):
            writer.writerow(asdict(by_key[key]))


def _summary(results: list[Result], programs: set[str]) -> str:
    """One cell: which of these programs are not ok or missing, and the date of the oldest."""
    if not results:
        return "-"
    bad = sorted({result.program for result in results if result.result != "ok"})
    date = min(result.date for result in results)
    if bad:
        return f"{', '.join(bad)} failed, {date}"
    devices = sorted({result.device for result in results if result.device})
    missing = sorted(programs - {result.program for result in results})
    parts = []
    if len(missing) > 2:
        parts.append(f"{len(programs) - len(missing)} of {len(programs)} programs")
    elif missing:
        parts.append(f"all but {' and '.join(missing)}")
    return ", ".join([*parts, date, *devices[:1]])


def _architectures(results: list[Result]) -> str:
    toolkits = sorted(
        {r.toolkit for r in results if r.what == "compile"}, key=lambda t: [int(p) for p in t[5:].split(".")]
    )
    head = ["compute capability", *(f"compiled, {t}" for t in toolkits), "run", "run from its PTX", "sanitizer"]
    rows = []

    # The first kernel has no tests of its own on a GPU, and the harness is not run under the sanitizer.
    every = {r.program for r in results if r.what == "compile"}
    needed = {"compile": every, "run": every - {"first_kernel"}, "jit": every - {"first_kernel"}}
    needed["sanitizer"] = every - {"first_kernel", "harness"}

    def cell(here: list[Result], what: str, toolkit: str = "") -> str:
        return _summary([r for r in here if r.what == what and toolkit in ("", r.toolkit)], needed[what])

    for architecture, boards in ARCHITECTURES.items():
        here = [r for r in results if r.architecture == architecture]
        cells = [cell(here, "compile", t) for t in toolkits]
        cells += [cell(here, what) for what in ("run", "jit", "sanitizer")]
        rows.append([boards, *cells])
    return markdown_table.table(head, rows)


def _spills(results: list[Result]) -> str:
    """For the newest toolkit: kernels that spill, and the sum of the bytes that one thread of each stores."""
    compiled = [r for r in results if r.what == "compile"]
    newest = max((r.toolkit for r in compiled), key=lambda t: [int(p) for p in t[5:].split(".")])
    compiled = [r for r in compiled if r.toolkit == newest]
    names = sorted({r.program for r in compiled})
    rows = []
    for name in names:
        cells = []
        for architecture in ARCHITECTURES:
            one = next((r for r in compiled if (r.program, r.architecture) == (name, architecture)), None)
            if one is None:
                cells.append("-")
            elif one.spilling == "0":
                cells.append("0")
            else:
                cells.append(f"{one.spilling} of {one.kernels}, {one.spilled_bytes} B")
        rows.append([name, *cells])
    return markdown_table.table(["program", *ARCHITECTURES], rows)


def _hosts(results: list[Result]) -> str:
    host = [r for r in results if r.what == "host"]
    rows = [[r.toolkit, r.architecture, r.program, r.note or r.result, r.date] for r in host]
    return markdown_table.table(["compiler", "machine", "what", "result", "day"], rows)


def _measured(root: Path) -> str:
    """Which results file was measured on which machine, a folder each, and on which date (UTC)."""
    days: dict[tuple[str, str], list[str]] = {}
    for path in root.glob("docs/results/*/*.csv"):
        if path.parent.name != "cpu":
            with path.open(newline="", encoding="utf-8") as file:
                days[path.stem, path.parent.name] = sorted({row["date"][:10] for row in csv.DictReader(file)})
    machines = sorted({machine for _, machine in days})
    rows = []
    for name in sorted({name for name, _ in days}):
        found = [days.get((name, machine), ["-"]) for machine in machines]
        rows.append([f"`{name}.csv`", *(" to ".join(dict.fromkeys((d[0], d[-1]))) for d in found)])
    return markdown_table.table(["file", *(f"`{machine}/`" for machine in machines)], rows)


def table(words: list[str], root: Path = ROOT) -> str:
    """The body of a `devices` marker: architectures, spills or hosts; measured: the one about the results files."""
    if words == ["measured"]:
        return _measured(root)
    makers = {"architectures": _architectures, "spills": _spills, "hosts": _hosts}
    if len(words) != 1 or words[0] not in makers:
        raise DocsError(f"a devices marker names one of {', '.join(makers)}, measured")
    results = read(root)
    if not results:
        raise DocsError(f"{FILE} holds nothing")
    return makers[words[0]](results)
