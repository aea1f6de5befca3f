"""Puts the two sides together: a line for each stage, kernel and quantity."""

import csv
import os
import sys

from lab_side import PATTERNS, launch_text
from quantities import QUANTITIES, derived, value

COLUMNS = ["program", "stage", "kernel", "n", "launch", "quantity", "lab", "ncu", "difference_percent", "within", "why"]
REASONS = os.path.join(os.path.dirname(os.path.realpath(__file__)), "reasons.csv")


def read_reasons():
    """{(program, kernel, quantity): why}. The reasons were found by reading the machine code."""
    reasons = {}
    with open(REASONS, newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            for quantity in row["quantities"].split("; "):
                if quantity not in QUANTITIES:
                    sys.exit(f"compare.py: reasons.csv: there is no quantity '{quantity}'")
                for kernel in row["kernels"].split("; "):
                    reasons[(row["program"], kernel, quantity)] = row["why"]
    return reasons


def key(shape):
    return (*shape["grid"], *shape["block"], shape["dynamic_bytes"])


def has_same_launches(ours, theirs):
    """Whether both launched the kernel with the same shapes; otherwise their counts cannot be compared."""

    def all_of(shapes):
        sums = {}
        for shape in shapes:
            sums[key(shape)] = sums.get(key(shape), 0) + shape["launches"]
        return sums

    if theirs.get("first_shape_only"):
        return key(ours["shapes"][0]) == key(theirs["shapes"][0])
    return all_of(ours["shapes"]) == all_of(theirs["shapes"])


def counts_of(kernel):
    """Everything that the lab may count; 0 for what it has not seen."""
    names = (name for pair in QUANTITIES.values() for name in pair[:2] if name)
    return {**dict.fromkeys(names, 0), **kernel["counts"]}


def lines_of(kernel, theirs):
    """(quantity, lab, ncu, difference in percent, whether that is close enough)"""
    counts = counts_of(kernel)
    gpu = derived(theirs["counts"])
    for quantity, (dividend, divisor, percent) in QUANTITIES.items():
        lab, ncu = value(counts, dividend, divisor), value(gpu, dividend, divisor)
        if not lab and not ncu:
            continue
        lab, ncu = lab or 0.0, ncu or 0.0
        difference = 100.0 * (lab - ncu) / ncu if ncu else 100.0
        yield quantity, lab, ncu, difference, abs(difference) <= percent


def faults_of(rows, reasons):
    """What is wrong with the lines of a table: a difference without a reason, or a reason without a difference."""
    different = [row for row in rows if row[9] == "no"]
    faults = [f"{', '.join(row[:3])}, {row[5]}: lab {row[6]}, ncu {row[7]}" for row in different if not row[10]]
    idle = set(reasons) - {(row[0], row[2], row[5]) for row in different}
    return faults + [f"{', '.join(reason)}: a reason without a difference" for reason in sorted(idle)]


def join(looked, measured):
    """The lines of the table, and what is wrong with them."""
    reasons, rows = read_reasons(), []
    by_program = {each["program"]: each for each in measured}
    for program in looked:
        name = program["program"]
        if name not in by_program:
            sys.exit(f"compare.py: {name} was not measured")
        stages = {stage["stage"]: stage for stage in by_program[name]["stages"]}
        if program["n"] != by_program[name]["n"]:
            sys.exit(f"compare.py: {name}: the lab and the GPU used different n")
        for stage in program["stages"]:
            theirs = {kernel["kernel"]: kernel for kernel in stages[stage["stage"]]["kernels"]}
            for kernel in stage["kernels"]:
                where = f"{name}, {stage['stage']}, {kernel['kernel']}"
                if kernel["kernel"] not in theirs:
                    sys.exit(f"compare.py: {where}: the GPU did not run it")
                shown = [name, stage["stage"], kernel["kernel"], program["n"], launch_text(kernel["shapes"])]
                is_same = has_same_launches(kernel, theirs[kernel["kernel"]])
                for quantity, lab, ncu, difference, within in lines_of(kernel, theirs[kernel["kernel"]]):
                    if not is_same:
                        why = OTHER_LAUNCH.format(launch_text(theirs[kernel["kernel"]]["shapes"]))
                        rows.append([*shown, quantity, f"{lab:.6g}", "", "", "", why])
                        continue
                    found = [f"{ncu:.6g}", f"{difference:.2f}", "yes" if within else "no"]
                    why = "" if within else reasons.get((name, kernel["kernel"], quantity), "")
                    rows.append([*shown, quantity, f"{lab:.6g}", *found, why])
    return rows, faults_of(rows, reasons)


def differences_from(recorded, looked):
    """How many of the lab's counts are in the table, and a line for each that differs or is missing on one side."""
    table = {(row["program"], row["stage"], row["kernel"], row["quantity"]): row["lab"] for row in recorded}
    missing = set(table)
    checked, different = 0, []
    for program in looked:
        for stage in program["stages"]:
            for kernel in stage["kernels"]:
                counts = counts_of(kernel)
                for quantity, (dividend, divisor, _) in QUANTITIES.items():
                    where = (program["program"], stage["stage"], kernel["kernel"], quantity)
                    today = f"{value(counts, dividend, divisor) or 0.0:.6g}"
                    if where not in table and today != "0":
                        different.append(f"{', '.join(where)}: {today} today, not in the table")
                    elif where in table:
                        missing.discard(where)
                        checked += 1
                        if table[where] != today:
                            different.append(f"{', '.join(where)}: {today} today, {table[where]} in the table")
    different += [f"{', '.join(where)}: in the table, not counted today" for where in sorted(missing)]
    return checked, different


NOT_MEASURED = "not measured on a GPU yet"
# The emulator, which knows no registers, takes 32 for each thread.
OTHER_LAUNCH = "not compared: the GPU launches {}, as the kernel's registers leave room for"


def recount(recorded, looked):
    """The table's rows with the lab's current counts and reasons, and what is wrong with them. A kernel that was
    measured with the same shapes keeps the GPU's counts; the row of one that was not has none, and says so."""
    table = {(row["program"], row["stage"], row["kernel"], row["quantity"]): row for row in recorded}
    reasons, rows = read_reasons(), []
    for program in looked:
        for stage in program["stages"]:
            for kernel in stage["kernels"]:
                counts, launch = counts_of(kernel), launch_text(kernel["shapes"])
                for quantity, (dividend, divisor, percent) in QUANTITIES.items():
                    where = (program["program"], stage["stage"], kernel["kernel"], quantity)
                    lab, row = value(counts, dividend, divisor) or 0.0, table.get(where)
                    is_measured = row is not None and row["launch"] == launch and row["ncu"] != ""
                    if not lab and not is_measured:
                        continue
                    is_other = row is not None and row["launch"] == launch and row["ncu"] == ""
                    ncu, difference, within, why = "", "", "", row["why"] if is_other else NOT_MEASURED
                    if is_measured:
                        ncu = row["ncu"]
                        percent_off = 100.0 * (lab - float(ncu)) / float(ncu) if float(ncu) else 100.0
                        is_near = abs(percent_off) <= percent
                        why = "" if is_near else reasons.get((where[0], where[2], quantity), "")
                        difference, within = f"{percent_off:.2f}", "yes" if is_near else "no"
                    shown = [*where[:3], program["n"], launch, quantity, f"{lab:.6g}"]
                    rows.append([*shown, ncu, difference, within, why])
    return rows, faults_of(rows, reasons)


def summary_of(rows):
    """How many lines there are of each quantity, and how many agree; how many kernels were not measured."""
    missing = {tuple(row[:3]) for row in rows if row[10] == NOT_MEASURED}
    others = {tuple(row[:3]) for row in rows if row[7] == ""} - missing
    rows = [row for row in rows if row[7] != ""]
    lines = [
        f"{'':<32}  {'patterns':^16}  {'stages':^16}",
        f"{'':<32}  {'kernels':>7} {'agree':>8}  {'kernels':>7} {'agree':>8}",
    ]
    for quantity, (_, _, percent) in QUANTITIES.items():
        cells = []
        for is_pattern in (True, False):
            mine = [row for row in rows if row[5] == quantity and (row[0] == PATTERNS) == is_pattern]
            cells += [len(mine), sum(row[9] == "yes" for row in mine)]
        if cells[0] + cells[2]:
            lines.append(
                f'{quantity + f" ({percent:g} %)":<32}  {cells[0]:>7} {cells[1]:>8}  ' f"{cells[2]:>7} {cells[3]:>8}"
            )
    if missing:
        lines.append(f"Not measured on a GPU yet: {len(missing)} of the stages' kernels.")
    if others:
        lines.append(f"Launched with other blocks on a GPU, so not compared: {len(others)} of the stages' kernels.")
    return "\n".join(line.rstrip() for line in lines) + "\n"
