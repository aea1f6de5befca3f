#!/usr/bin/env python3
"""check_example.py NAME FAULTS COUNT: is an example right, and its improved kernel worth what its comment says?

FAULTS and COUNT are the program with the lab: one looks for faults, the other counts.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

# The naive kernel does at least this many times as much in global memory as all others together.
WORTH = {
    "matmul": ("load", "sectors", 4),
    "transpose": ("store", "sectors", 5),
    "histogram": ("atomic", "lanes", 30),
    "dot_product": ("atomic", "lanes", 1000),
    "scan": ("load", "sectors", 8),
    "softmax": ("load", "sectors", 5),
    "stencil": ("load", "sectors", 5),
}
ALONE = {"empty"}  # one kernel, nothing to compare
CONFLICT_FREE = {"transpose"}


def run(program: str, **environment: str) -> str:
    """Its output; it must succeed, which means that its results are right and no fault was found."""
    command = subprocess.run(
        [program], stdout=subprocess.PIPE, text=True, env={**os.environ, **environment}, check=True
    )
    return command.stdout


def count(program: str) -> list[dict[str, Any]]:
    """The kernels of a run."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "counts.json"
        run(program, TUTORIAL_COUNTS=str(file))
        return json.loads(file.read_text(encoding="utf-8"))["kernels"]


def total(kernels: list[dict[str, Any]], operation: str, quantity: str) -> int:
    rows = (row for kernel in kernels for row in kernel["rows"])
    return sum(row[quantity] for row in rows if (row["space"], row["operation"]) == ("global", operation))


def main() -> int:
    name, faults, counting = sys.argv[1:]
    for order in ("forward", "reverse", "shuffle:1"):
        printed = run(faults, TUTORIAL_CPU_ORDER=order)
        if not re.fullmatch(r"[^\n]* 0 [^\n]* wrong\nNo fault found[.]\nChecked: [^\n]*\n[^\n]*\n", printed):
            print(f"in order {order} it printed {printed!r}")
            return 1
    kernels = count(counting)
    if name in ALONE:
        return 0 if len(kernels) == 1 else 1
    operation, quantity, factor = WORTH[name]
    naive = [kernel for kernel in kernels if kernel["kernel"] == f"{name}_naive_kernel"]
    improved = [kernel for kernel in kernels if kernel not in naive]
    counted = [total(part, operation, quantity) for part in (naive, improved)]
    print(f"{quantity} of global {operation}s: {counted[0]} and {counted[1]}")
    conflicts = [
        f"line {row['line']}: {row['wavefronts']} wavefronts, {row['least_wavefronts']} at least"
        for kernel in improved
        for row in kernel["rows"]
        if name in CONFLICT_FREE and row["wavefronts"] > row["least_wavefronts"]
    ]
    print("\n".join(conflicts), end="")
    return 0 if counted[1] and counted[0] >= factor * counted[1] and not conflicts else 1


if __name__ == "__main__":
    sys.exit(main())
