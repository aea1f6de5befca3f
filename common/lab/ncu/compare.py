#!/usr/bin/env python3
"""Compares the lab's counts with Nsight Compute's, stage by stage, kernel by kernel.

    compare.py lab --programs build/cpu/bin --sms 132 --l2-mb 50 --output lab.json
        anywhere: what the lab counts, on a device of the size of the GPU (here an H200)
    nvcc -arch=native -std=c++17 -I. common/lab/ncu/patterns.cu -o build/cuda/bin/lab_patterns
    compare.py measure --programs build/cuda/bin --lab lab.json --output ncu.json
        on that GPU, with ncu: what the hardware counts in the same stages
    compare.py join --lab lab.json --ncu ncu.json --output docs/results/lab_vs_ncu.csv
        anywhere: puts the two side by side; a kernel that the GPU launches with a different grid, because its registers
        leave no room for as many blocks, is not compared
    compare.py recount --lab lab.json --table docs/results/lab_vs_ncu.csv
        anywhere: the lab's half of that table and the reasons again; a kernel that was not measured in these shapes is
        named as such
    compare.py check --lab lab.json --table docs/results/lab_vs_ncu.csv
        anywhere: fails if the lab's counts in that table are out of date

Every stage runs once, at the chapter's default n of the emulator, on the same input. The instances
of a template are added up. Columns of the result, one line for each stage, kernel and quantity:
    program, stage, kernel, n, launch, quantity, lab, ncu, difference_percent, within, why
`launch`: grid, block and bytes of dynamic shared memory. `within`: yes if the two
agree closely enough. `why`: the cause of the difference, from reasons.csv; or why there is no figure.
"""

import argparse
import csv
import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))

from gpu_side import measure
from join import COLUMNS, differences_from, join, recount, summary_of
from lab_side import look


def load(names):
    """The programs of one or more files; if a program is in several, the last one counts."""
    programs = {}
    for name in names:
        with open(name, encoding="utf-8") as file:
            programs.update((each["program"], each) for each in json.load(file))
    return list(programs.values())


def store(what, name):
    with open(name, "w", encoding="utf-8") as file:
        json.dump(what, file, indent=1)
        file.write("\n")


def write_table(rows, faults, name):
    with open(name, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        writer.writerows(rows)
    with open(os.path.splitext(name)[0] + ".txt", "w", encoding="utf-8") as file:
        file.write(summary_of(rows))
    good = sum(row[9] == "yes" for row in rows)
    print(f"{len(rows)} lines, {good} within, {sum(row[7] == '' for row in rows)} not compared: {name}")
    for line in faults:
        print(line, file=sys.stderr)
    return 1 if faults else 0


def recorded_in(name):
    with open(name, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def check_table(arguments):
    checked, different = differences_from(recorded_in(arguments.table), load([arguments.lab]))
    for line in different:
        print(line, file=sys.stderr)
    print(f"{checked} counts of the lab, {len(different)} differ from {arguments.table}")
    return 1 if different else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    one = commands.add_parser("lab")
    one.add_argument("--programs", required=True, help="folder with the lab's programs")
    one.add_argument("--sms", type=int, required=True, help="the GPU's multiprocessors")
    one.add_argument("--l2-mb", type=int, required=True, help="the GPU's L2 cache, in MB")
    two = commands.add_parser("measure")
    two.add_argument("--programs", required=True, help="folder with the GPU's programs")
    two.add_argument("--lab", required=True, help="what `compare.py lab` wrote")
    for each in (one, two):
        each.add_argument("--only", nargs="+", help="only these programs, e.g. ch06_topk")
    three = commands.add_parser("join")
    three.add_argument("--lab", required=True, help="what `compare.py lab` wrote")
    three.add_argument("--ncu", required=True, nargs="+", help="what `compare.py measure` wrote")
    for each in (one, two, three):
        each.add_argument("--output", required=True)
    for name in ("recount", "check"):
        four = commands.add_parser(name)
        four.add_argument("--lab", required=True, help="what `compare.py lab` wrote")
        four.add_argument("--table", required=True, help="what `compare.py join` wrote")
    arguments = parser.parse_args()
    if arguments.command == "lab":
        store(look(arguments.programs, arguments.sms, arguments.l2_mb, arguments.only), arguments.output)
    elif arguments.command == "measure":
        store(measure(arguments.programs, load([arguments.lab]), arguments.only), arguments.output)
    elif arguments.command == "join":
        return write_table(*join(load([arguments.lab]), load(arguments.ncu)), arguments.output)
    elif arguments.command == "recount":
        rows = recount(recorded_in(arguments.table), load([arguments.lab]))
        return write_table(*rows, arguments.table)
    else:
        return check_table(arguments)
    return 0


if __name__ == "__main__":
    sys.exit(main())
