#!/usr/bin/env python3
"""How long programs take on the emulator and under the lab, compared with the last release.

    own_programs.py --release FOLDER [--rounds 3] [--out docs/results/cpu/own_programs.csv]

FOLDER is another checkout of this repository, at the last release. It measures the processor time in
user mode, which other programs on the machine hardly affect: the minimum of several runs, alternating with the
release's. The programs are in own/: each is run, explained and searched for faults, and own/plain.cpp does the same
work in plain C++ (-O2).
"""

from __future__ import annotations

import argparse
import csv
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
PROGRAMS = Path(__file__).resolve().parent / "own"
MODES = ("run", "explain", "faults")
COLUMNS = ("program", "mode", "plain_s", "release", "release_s", "now_s", "times_as_fast")

# Builds a program as ./tutorial does, in whichever checkout it runs, and prints where it is.
BUILD = """
import sys
sys.path.insert(0, "common")
from building import backend
from tutorial import own_program
from building.build import Build
mode, file = sys.argv[1:]
request = own_program.parse([file], "run" if mode == "run" else "explain")
build = Build(backend.choose("cpu"), out=sys.stderr).prepare("explain")
kind = {"run": "cpu", "explain": "count", "faults": "faults"}[mode]
print(own_program.OwnProgram(request, build, kind, sys.stderr).make())
"""


def built(folder: Path, mode: str, source: Path) -> str:
    command = [sys.executable, "-B", "-c", BUILD, mode, str(source)]
    return subprocess.run(command, cwd=folder, check=True, stdout=subprocess.PIPE, text=True).stdout.split()[-1]


def user_seconds(command: list[str]) -> float:
    """The processor time in user mode of a command, which must succeed."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def version(folder: Path) -> str:
    command = [str(folder / "tutorial"), "--version"]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.split()[-1]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--release", type=Path, required=True, help="a checkout of the last release")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "results" / "cpu" / "own_programs.csv")
    arguments = parser.parse_args()
    release = arguments.release.resolve()
    if not (release / "tutorial").is_file():
        parser.error(f"--release {arguments.release}: there is no ./tutorial in it")
    if arguments.rounds < 1:
        parser.error("--rounds: at least 1")
    rows = []
    with tempfile.TemporaryDirectory() as temporary:
        plain = str(Path(temporary) / "plain")
        subprocess.run(["c++", "-std=c++17", "-O2", "-o", plain, str(PROGRAMS / "plain.cpp")], check=True)
        for source in sorted(PROGRAMS.glob("*.cu")):
            plain_seconds = min(user_seconds([plain, source.stem]) for _ in range(arguments.rounds))
            for mode in MODES:
                programs = [built(folder, mode, source) for folder in (release, ROOT)]
                times = [[user_seconds([program]) for program in programs] for _ in range(arguments.rounds)]
                before, now = (min(each) for each in zip(*times))
                rows.append(
                    (
                        source.stem,
                        mode,
                        f"{plain_seconds:.3f}",
                        version(release),
                        f"{before:.2f}",
                        f"{now:.2f}",
                        f"{before / now:.1f}",
                    )
                )
                print(*rows[-1], flush=True)
    with arguments.out.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        writer.writerows(rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
