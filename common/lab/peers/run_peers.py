#!/usr/bin/env python3
"""Runs the programs of other race detectors' suites with the lab, and compares the verdicts.

    run_peers.py BUILD gpuverify CHECKOUT     a checkout of mc-imperial/gpuverify, or its testsuite/CUDA
    run_peers.py BUILD indigo3 CHECKOUT       a checkout of burtscher/Indigo3Suite
        --only RE      programs whose name matches; prints their reports, and writes no table
        --table FILE   otherwise docs/results/cpu/peers.csv; rows of the other suite stay

Nothing is downloaded, and nothing of a suite is kept. Each program is compiled as `./tutorial explain --faults`
compiles one of your own, and run in three orders of threads. Columns: suite, program, expects (right, wrong,
assertion, or the error of the suite's own front end), says (what the lab finds), orders (in which it finds it),
verdict, reason. When suite and lab differ, reasons.csv says why; a difference without a reason is an error.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import gpuverify
import indigo3
from gpuverify import Program

ROOT = HERE.parents[2]
TABLE = ROOT / "docs" / "results" / "cpu" / "peers.csv"
COLUMNS = ("suite", "program", "expects", "says", "orders", "verdict", "reason")
ORDERS = ("forward", "reverse", "shuffle:1")
# Unrelated to the order of accesses: the codes' main() does not free what it has allocated.
NOT_COUNTED = {"leak"}
DIFFERENCES = ("silent", "blamed", "not run")  # verdicts that need a reason
SECONDS = 300


class Compiler:
    """What compiles a program so that the lab watches it; the emulator's header is read once for all programs."""

    def __init__(self, build: Path, folder: Path):
        self.kind = json.loads((build / "programs.json").read_text(encoding="utf-8"))["kinds"]["faults"]
        self.header = folder / "header.hpp"
        self.header.write_text('#include "gpuverify.hpp"\n#include <cuda/atomic>\n', encoding="utf-8")
        words = [f"-I{HERE}", "-x", "c++-header", str(self.header), "-o", f"{self.header}.gch"]
        subprocess.run([self.kind["compiler"], *self.kind["options"], *words], check=True)

    def program(self, source: Program, folder: Path) -> tuple[Path | None, str]:
        """The program, or why there is none."""
        file, rewritten, program = folder / "kernel.cu", folder / "kernel.cpp", folder / "program"
        file.write_text(source.source, encoding="utf-8")
        compiler, options = self.kind["compiler"], [*self.kind["options"], *source.options, f"-I{HERE}", "-w"]
        commands: tuple[list[str], ...] = (
            [*self.kind["rewrite"], str(file), str(rewritten), "--source-root", str(folder)]
            + ["--copies", str(folder / "copies"), *(word for word in source.options if word.startswith("-I"))],
            [compiler, "-include", str(self.header), *options, "-c", str(rewritten), "-o", str(folder / "kernel.o")],
            [compiler, str(folder / "kernel.o"), *self.kind["libraries"], "-o", str(program)],
        )
        for command in commands:
            done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
            if done.returncode:
                return None, done.stdout.strip()
        return program, ""


def findings(program: Path, arguments: tuple[str, ...], order: str, report: Path) -> tuple[list[dict], str]:
    """What the lab reports about one run (notes excluded), and the text that it prints."""
    report.unlink(missing_ok=True)
    environment = dict(os.environ, TUTORIAL_CPU_ORDER=order, TUTORIAL_FAULTS=str(report))
    environment.setdefault("TUTORIAL_CPU_TIME_LIMIT", "10")
    try:
        done = subprocess.run(
            [program, *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            env=environment,
            timeout=SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return [{"kind": "no end", "line": 0}], f"no end within {SECONDS} s"
    if not report.exists():
        return [{"kind": "no report", "line": 0}], done.stdout
    found = json.loads(report.read_text(encoding="utf-8"))
    if not found and done.returncode:
        return [{"kind": f"exit code {done.returncode}", "line": 0, "is_note": False}], done.stdout
    return [each for each in found if not each["is_note"] and each["kind"] not in NOT_COUNTED], done.stdout


def outcome(source: Program, compiler: Compiler, folder: Path, shown: bool) -> tuple[str, str]:
    """What the lab says about a program, and in which orders: ("race at 12", "forward reverse")."""
    folder.mkdir()
    program, refusal = compiler.program(source, folder)
    if program is None:
        if shown:
            print(refusal)
        return "refused: " + refused_for(refusal), ""
    said: dict[str, None] = {}
    orders = []
    for order in ORDERS:
        found: list[dict] = []
        for arguments in source.inputs:
            new, text = findings(program, arguments, order, folder / "report.json")
            found += new
            if shown:
                print(f"== {source.name}, {order}, {' '.join(arguments)}\n{text}")
            if source.expects == "wrong" and any(source.kind in each["kind"] for each in new):
                break  # found: larger inputs only take longer
        if found:
            orders.append(order)
            said.update(dict.fromkeys(f"{each['kind']} at {each['line']}" for each in found))
    return "; ".join(sorted(said)) or "nothing", " ".join(orders)


def refused_for(text: str) -> str:
    """The first error in a compiler's or the translator's output, without its location."""
    found = re.search(r"error: (.*)|undefined reference to (.*)", text)
    line = (found[1] or f"undefined reference to {found[2]}") if found else (text.split("\n") or [""])[0]
    return re.sub(r"^\S+:\d+: ", "", line)[:120]


def verdict(expects: str, says: str, kind: str = "") -> str:
    """Which of the two reports a fault; for a wrong program, one of this kind."""
    if says.startswith("refused"):
        return "not run"
    if expects not in ("right", "wrong"):
        return "not compared"
    if expects == "wrong":
        return "found" if says != "nothing" and kind in says else "silent"
    return "agreed right" if says == "nothing" else "blamed"


def reasons() -> dict[tuple[str, str], str]:
    """Why suite and lab differ, by suite and program (a regular expression for the whole name)."""
    with (HERE / "reasons.csv").open(newline="", encoding="utf-8") as file:
        return {(row["suite"], row["program"]): row["reason"] for row in csv.DictReader(file)}


def reason_of(suite: str, name: str, known: dict[tuple[str, str], str]) -> str:
    return next((why for (of, program), why in known.items() if of == suite and re.fullmatch(program, name)), "")


def run(suite: str, sources: list[Program], build: Path, work: Path, shown: bool) -> list[dict[str, str]]:
    """A row for each program."""
    compiler, known = Compiler(build, work), reasons()

    def row(numbered: tuple[int, Program]) -> dict[str, str]:
        number, source = numbered
        says, orders = outcome(source, compiler, work / f"program{number}", shown)
        judged = verdict(source.expects, says, source.kind)
        why = reason_of(suite, source.name, known) if judged in DIFFERENCES else ""
        print(f"{judged:12}  {source.name}: {says}", file=sys.stderr, flush=True)
        return dict(zip(COLUMNS, (suite, source.name, source.expects, says, orders, judged, why)))

    with ThreadPoolExecutor(1 if shown else os.cpu_count()) as pool:
        return list(pool.map(row, enumerate(sources)))


def write(table: Path, suite: str, rows: list[dict[str, str]]) -> None:
    """The suite's rows replaced, all others kept."""
    kept = []
    if table.exists():
        with table.open(newline="", encoding="utf-8") as file:
            kept = [row for row in csv.DictReader(file) if row["suite"] != suite]
    with table.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(sorted(kept + rows, key=lambda row: row["suite"]))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=Path, help="a build folder with lab_faults, such as build/cpu")
    parser.add_argument("suite", choices=("gpuverify", "indigo3"))
    parser.add_argument("checkout", type=Path)
    parser.add_argument("--only", metavar="RE")
    parser.add_argument("--table", type=Path, default=TABLE)
    arguments = parser.parse_args()
    if not arguments.checkout.is_dir():
        parser.error(f"there is no folder '{arguments.checkout}'")
    with tempfile.TemporaryDirectory() as folder:
        work, checkout = Path(folder), arguments.checkout.resolve()
        if arguments.suite == "gpuverify":
            sources = gpuverify.programs(checkout)
        else:
            sources = indigo3.programs(checkout, work)
        if arguments.only:
            sources = [source for source in sources if re.search(arguments.only, source.name)]
        if not sources:
            parser.error(f"no program of {arguments.suite} in '{arguments.checkout}'")
        rows = run(arguments.suite, sources, arguments.build, work, bool(arguments.only))
    if arguments.only:
        return 0
    write(arguments.table, arguments.suite, rows)
    differ = [row for row in rows if row["verdict"] in DIFFERENCES]
    unexplained = [row["program"] for row in differ if not row["reason"]]
    for name in unexplained:
        print(f"no reason in reasons.csv: {name}", file=sys.stderr)
    return 1 if unexplained else 0


if __name__ == "__main__":
    sys.exit(main())
