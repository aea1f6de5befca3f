#!/usr/bin/env python3
"""Compares each chapter's counts (--explain --json) with those that were recorded on x86-64.

  .ci/aarch64_counts.py build/aarch64/bin     of the programs in this folder

All must be equal, except steps where STEPS_DIFFER says so (why: common/lab/README.md). Exit code: 0 all
right, 1 something differs, 2 a wrong option.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
RECORDED = ROOT / "docs" / "results" / "cpu"
STEPS = ("steps", "lane_steps", "longest_thread")
# Stages in which AArch64 takes fewer steps.
STEPS_DIFFER = {("ch05_merge_bitonic", "bitonic_best")}


def counts(program: Path) -> dict:
    """With one thread, as for the records: with several, chance decides which one takes a tile from a counter."""
    environment = dict(os.environ, TUTORIAL_CPU_WORKERS="1")
    command = [str(program), "--explain", "--json"]
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=False)
    if done.returncode != 0:
        sys.exit(f"aarch64_counts: {' '.join(command)} ended with {done.returncode}")
    return json.loads(done.stdout)


def without_steps(report: dict) -> dict:
    kernels = (
        [{k: v for k, v in kernel.items() if k not in STEPS} for kernel in stage["kernels"]]
        for stage in report["stages"]
    )
    stages = [dict(stage, kernels=each) for stage, each in zip(report["stages"], kernels)]
    return dict(report, stages=stages)


def stages_whose_steps_differ(chapter: str, here: dict, there: dict) -> set[tuple[str, str]]:
    return {
        (chapter, stage["stage"])
        for stage, other in zip(here["stages"], there["stages"])
        for kernel, its in zip(stage["kernels"], other["kernels"])
        if any(kernel[step] != its[step] for step in STEPS)
    }


def differs(chapter: str, folder: Path) -> bool:
    began = time.monotonic()
    here = counts(folder / f"{chapter}_lab")
    there = json.loads((RECORDED / f"{chapter.split('_')[0]}_explain.json").read_text(encoding="utf-8"))
    stages = stages_whose_steps_differ(chapter, here, there)
    wanted = {each for each in STEPS_DIFFER if each[0] == chapter}
    words = []
    if without_steps(here) != without_steps(there):
        words.append("accesses or launches DIFFER")
    if stages != wanted:
        words.append(f"steps differ in {sorted(stages)}, expected in {sorted(wanted)}")
    note = "equal" if not stages else f"equal except for steps in {', '.join(sorted(stage for _, stage in stages))}"
    print(f"{chapter}: {'; '.join(words) or note} ({time.monotonic() - began:.0f} s)", flush=True)
    return bool(words)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    chapters = sorted(path.parent.name for path in ROOT.glob("ch[0-9][0-9]_*/main.cu"))
    missing = [chapter for chapter in chapters if not (folder / f"{chapter}_lab").is_file()]
    if missing:
        parser.error(f"{folder} has no {missing[0]}_lab")
    bad = [chapter for chapter in chapters if differs(chapter, folder)]
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
