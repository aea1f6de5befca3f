"""The GPU's side: the same stages under Nsight Compute.

Each launch is read separately, and must have the kernel and the shape that the lab saw there. A stage of hundreds of
launches is read as a whole instead: the chapter's program marks where a
stage begins and ends. For such a stage, the shape of the first launch is compared.
"""

import csv
import os
import re
import subprocess
import sys
import time

from lab_side import PATTERNS, base_name
from quantities import METRICS

MAX_LAUNCHES = 150  # of a stage that is read launch by launch
SHAPE = {"bytes": "launch__shared_mem_per_block_dynamic"}


def number(text):
    try:
        return float((text or "").replace(",", ""))
    except ValueError:
        return 0.0


def extents(text):
    """'(2048, 1, 1)' or '2048,1,1' -> [2048, 1, 1]"""
    return [int(digits) for digits in re.findall(r"\d+", text or "")]


def ncu(options, command):
    """What Nsight Compute says about a program: one dict for each launch, or each range."""
    whole = (
        ["ncu", "--csv", "--page", "raw", "--print-units", "base", "--cache-control", "none", "--clock-control", "none"]
        + options
        + command
    )
    done = subprocess.run(whole, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    lines = done.stdout.splitlines()
    head = next((i for i, line in enumerate(lines) if line.startswith('"ID"')), None)
    if head is None:
        sys.exit(
            f"compare.py: ncu reported nothing for {' '.join(command)}:\n{done.stdout[-600:]}\n{done.stderr[-600:]}"
        )
    rows = list(csv.DictReader(lines[head:]))
    return [row for row in rows if row.get("ID")]  # the line below the head has units


def shape_of(row):
    return {
        "grid": extents(row.get("Grid Size")),
        "block": extents(row.get("Block Size")),
        "dynamic_bytes": int(number(row.get(SHAPE["bytes"]))),
        "launches": 1,
    }


def add_launch(kernel, row):
    for name, metric in METRICS.items():
        kernel["counts"][name] = kernel["counts"].get(name, 0) + number(row.get(metric))
    shape = shape_of(row)
    for known in kernel["shapes"]:
        if all(known[field] == shape[field] for field in ("grid", "block", "dynamic_bytes")):
            known["launches"] += 1
            return
    kernel["shapes"].append(shape)


def launch_by_launch(command, stages):
    """Assigns the launches to the stages, in order."""
    rows = [
        row
        for row in ncu(
            ["--metrics", ",".join([*METRICS.values(), *SHAPE.values()])]
            + (["--profile-from-start", "off"] if "--once" in command else []),
            command,
        )
        if base_name(row.get("Kernel Name", ""))
    ]
    found = []
    for stage in stages:
        kernels = {}
        for _ in range(sum(kernel["launches"] for kernel in stage["kernels"])):
            if not rows:
                sys.exit(f"compare.py: {command[0]}: stage {stage['stage']}: the GPU ran fewer launches than the lab")
            name = base_name(rows[0]["Kernel Name"])
            kernel = kernels.setdefault(name, {"kernel": name, "shapes": [], "counts": {}})
            add_launch(kernel, rows.pop(0))
        found.append({"stage": stage["stage"], "kernels": list(kernels.values())})
    if rows:
        sys.exit(f"compare.py: {command[0]}: the GPU ran {len(rows)} more launches than the lab")
    return found


def as_a_whole(command, stage):
    """A stage of one kernel and many launches."""
    name = stage["kernels"][0]["kernel"]
    one = ncu(["--profile-from-start", "off", "--launch-count", "1", "--metrics", ",".join(SHAPE.values())], command)[0]
    whole = ncu(["--replay-mode", "app-range", "--metrics", ",".join(METRICS.values())], command)
    counts = {metric: sum(number(row.get(theirs)) for row in whole) for metric, theirs in METRICS.items()}
    return {
        "stage": stage["stage"],
        "kernels": [{"kernel": name, "shapes": [shape_of(one)], "counts": counts, "first_shape_only": True}],
    }


def measure_program(programs, looked):
    """One program of the lab's list, on the GPU: the same list with the GPU's counts."""
    program, n = looked["program"], looked["n"]
    if program == PATTERNS:
        return launch_by_launch([os.path.join(programs, program)], looked["stages"])
    begin = [os.path.join(programs, program + "_cuda"), "--once", "--n", str(n)]
    few, many = [], []
    for stage in looked["stages"]:
        launches = sum(kernel["launches"] for kernel in stage["kernels"])
        (many if launches > MAX_LAUNCHES and len(stage["kernels"]) == 1 else few).append(stage)
    found = launch_by_launch(begin + ["--stage"] + [stage["stage"] for stage in few], few)
    found += [as_a_whole(begin + ["--stage", stage["stage"]], stage) for stage in many]
    order = [stage["stage"] for stage in looked["stages"]]
    return sorted(found, key=lambda stage: order.index(stage["stage"]))


def measure(programs, looked, only):
    measured = []
    for each in looked:
        if only and each["program"] not in only:
            continue
        began = time.time()
        measured.append({"program": each["program"], "n": each["n"], "stages": measure_program(programs, each)})
        print(f"{each['program']}: {len(each['stages'])} stages, {time.time() - began:.0f} s", flush=True)
    return measured
