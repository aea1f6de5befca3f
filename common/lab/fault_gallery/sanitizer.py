#!/usr/bin/env python3
"""sanitizer.py [--arch sm_90] [NAME...]: each program of the gallery under compute-sanitizer's four tools.

Needs a GPU. Writes docs/results/gallery_sanitizer.csv: one row for each program, one column for each
tool. With names, only those programs run, and the other rows stay.
"""

from __future__ import annotations

import argparse
import csv
import datetime
import functools
import os
import re
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

GALLERY = Path(__file__).resolve().parent
ROOT = GALLERY.parents[2]
FILE = ROOT / "docs/results/gallery_sanitizer.csv"
BUILD = ROOT / "build/gallery_sanitizer"
TOOLS: dict[str, list[str]] = {
    "memcheck": ["--leak-check", "full"],
    "racecheck": ["--racecheck-report", "all"],
    "initcheck": [],
    "synccheck": [],
}
COLUMNS = ("date", "cuda", "device", "folder", "program", *TOOLS)
OPTIONS = ["-std=c++17", "-lineinfo", "--extended-lambda"]
SECONDS = 30  # a program that waits forever is ended
_BANNER = re.compile(r"COMPUTE-SANITIZER|ERROR SUMMARY|RACECHECK SUMMARY|LEAK SUMMARY|^=+\s*$")
_REPORTS = re.compile(r"(?:ERROR SUMMARY: (\d+)|RACECHECK SUMMARY: (\d+))")


def output(command: list[str]) -> str:
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def read_report(text: str) -> str:
    """nothing, or found: and the first line of the first report."""
    counts = [int(errors or hazards) for errors, hazards in _REPORTS.findall(text)]
    if not counts:
        return f"failed: {text.strip().split(chr(10))[-1][:100]}"
    if not any(counts):
        return "nothing"
    lines = [line for line in text.split("\n") if line.startswith("=========") and not _BANNER.search(line)]
    return f"found: {re.sub(r'^=+ *', '', lines[0])}" if lines else "found"


def under(tool: str, program: Path | None) -> str:
    if not program:
        return "not compiled"
    command = ["compute-sanitizer", "--tool", tool, *TOOLS[tool], str(program)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", start_new_session=True
    ) as process:
        try:
            text, _ = process.communicate(timeout=SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            return f"no end: ended after {SECONDS} s"
    return read_report(text)


def compiled(source: Path, architecture: str) -> Path | None:
    program = BUILD / f"{source.parent.name}_{source.stem}"
    command = ["nvcc", *OPTIONS, f"-arch={architecture}", "-o", str(program), str(source)]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        print(f"{source.name}: nvcc refuses it: {done.stdout.strip().split(chr(10))[0]}", file=sys.stderr)
        return None
    return program


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--arch", default="sm_90", help="the GPU's architecture")
    parser.add_argument("names", nargs="*", help="programs without .cu (default: all)")
    arguments = parser.parse_args()
    BUILD.mkdir(parents=True, exist_ok=True)
    sources = [source for folder in (".", "more") for source in sorted((GALLERY / folder).glob("*.cu"))]
    if unknown := set(arguments.names) - {source.stem for source in sources}:
        parser.error(f"no program of the gallery is called {', '.join(sorted(unknown))}")
    if arguments.names:
        sources = [source for source in sources if source.stem in arguments.names]
    device = output(["nvidia-smi", "--query-gpu=name", "--format=csv,noheader"]).split("\n")[0]
    release = re.search(r"release (\d+\.\d+)", output(["nvcc", "--version"]))
    same = [datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d"), release.group(1) if release else ""]
    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        programs = list(pool.map(lambda source: compiled(source, arguments.arch), sources))
    with ThreadPoolExecutor(max_workers=12) as pool:  # each has a context of its own on the GPU
        found = {tool: pool.map(functools.partial(under, tool), programs) for tool in TOOLS}
        results = zip(sources, *found.values())
    rows = {}
    if arguments.names:
        with FILE.open(newline="", encoding="utf-8") as file:
            rows = {(row[3], row[4]): row for row in list(csv.reader(file))[1:]}
    for source, *said in results:
        folder = "" if source.parent == GALLERY else source.parent.name
        rows[folder, source.stem] = [*same, device, folder, source.stem, *said]
    with FILE.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([COLUMNS, *(rows[key] for key in sorted(rows))])
    print(f"{len(sources)} programs, {len(TOOLS)} tools: {FILE.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
