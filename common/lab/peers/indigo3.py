"""Indigo3 (github.com/burtscher/Indigo3Suite): graph codes with a planted race, and the same codes without it.

The suite's own script makes the codes from its templates, in a copy of the checkout. We take those whose only bug is
"RaceBug", with one thread, warp or block per vertex or edge ("NonPersist"; the persistent ones differ only in the
loop around it), and, of the three methods of adding up, the one in global memory. Connected components and shortest
paths are left out: their codes are those of BFS, with labels or weights instead of levels. A code's twin has Atomic
or NoRaceBug in the name instead.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

from gpuverify import Program

CONFIGURATION = """
CODE:
    bug: {%s}
    pattern: {all}
    option: {%s}
    dataType: {IntType, FloatType}
"""
SMALL = (
    "undirected_graph_4n_12e_4095.egr",
    "undirected_graph_4n_6e_591.egr",
    "undirect2dim_rand_torus_100n_400e.egr",
)
# With a block of 512 threads per vertex, or all rounds of PageRank, these would take minutes.
LARGE = ("undirect_power_law_250n_2200e.egr", "undirect_binary_tree_1000n_1998e.egr")
NUMBERS = ("1", "0")  # of runs; with the source vertex, if there is one
ALGORITHMS = ("BFS", "MIS", "MST", "PR", "TC")


def bugs(name: str) -> set[str]:
    return {tag for tag in name.split("_") if tag.endswith("Bug") and not tag.startswith("No")}


def is_taken(name: str) -> bool:
    tags = name.split("_")
    if tags[0] not in ALGORITHMS:
        return False
    return bugs(name) == {"RaceBug"} and "NonPersist" in tags and not {"BlockAdd", "Reduction"} & set(tags)


def twin(name: str, right: set[str]) -> str:
    """The same code without the race: with the plain atomic functions."""
    for tag in ("Atomic", "NoRaceBug"):
        other = re.sub(r"_RaceBug(?=_|$)", f"_{tag}", name)
        if other in right:
            return other
    raise LookupError(f"{name} has no twin")


def generate(checkout: Path, work: Path, bug: str, option: str) -> dict[str, Path]:
    """The suite's codes by name, except those that its configuration leaves out."""
    copy = work / bug
    shutil.copytree(checkout, copy, ignore=shutil.ignore_patterns(".git", "generatedCodes"))
    file = copy / "codeGen" / "configure.txt"
    comment, _, _ = file.read_text(encoding="utf-8").rpartition("CODE:")
    file.write_text(comment + CONFIGURATION % (bug, option), encoding="utf-8")
    subprocess.run([sys.executable, "generate_all_codes.py", "CUDA"], cwd=copy, check=True, stdout=subprocess.DEVNULL)
    return {path.stem: path for path in sorted((copy / "generatedCodes").rglob("*.cu"))}


def programs(checkout: Path, work: Path) -> list[Program]:
    """Each racy code, followed by its twin."""
    racy = generate(checkout, work, "hasbug", "only_RaceBug")
    right = generate(checkout, work, "nobug", "all")
    made = []
    for name in filter(is_taken, racy):
        graphs = SMALL if {"Block", "PR"} & set(name.split("_")) else SMALL + LARGE
        inputs = tuple((str(checkout / "inputs" / graph), *NUMBERS) for graph in graphs)
        other = twin(name, set(right))
        for path, expects in (racy[name], "wrong"), (right[other], "right"):
            source = path.read_text(encoding="utf-8", errors="replace")
            made.append(Program(path.stem, expects, source, (f"-I{checkout / 'lib'}",), inputs, "race"))
    return made
