#!/usr/bin/env python3
"""Does any stage of a chapter have a fault at any of many sizes, including small ones?

    fault_sizes.py PROGRAM [N...]     PROGRAM: a chapter's program with the lab, ch01_bubble_lab

A stage may be right at every size that fills its blocks and have a race if a loop ends early.
Exit code: 1 if PROGRAM finds a fault, or fails, at one of the sizes.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import os
import subprocess
import sys

# Sizes around those of warps, blocks and tiles, and so few items that most threads get none.
SIZES = (1, 2, 3, 31, 32, 33, 64, 72, 73, 255, 256, 257)


def faults_at(program: str, n: int) -> tuple[int, str]:
    """The exit code of `program --faults --n n`, and what it printed."""
    command = [program, "--faults", "--n", str(n)]
    done = subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300, check=False
    )
    return done.returncode, done.stdout


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("program")
    parser.add_argument("sizes", nargs="*", type=int, metavar="N", default=SIZES)
    arguments = parser.parse_args()
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = pool.map(lambda n: faults_at(arguments.program, n), arguments.sizes)
        for n, (code, output) in zip(arguments.sizes, results):
            if code != 0 or "no fault found" not in output:
                failed += 1
                print(f"n = {n}: exit code {code}\n{output}", flush=True)
    print(f"{len(arguments.sizes)} sizes, faults or failures at {failed}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
