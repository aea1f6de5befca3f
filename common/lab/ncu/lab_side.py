"""The lab's side: every stage of the chapters at their default n, on a device with the same number of multiprocessors
and the same cache size as the GPU it is compared with, since launches depend on them."""

import json
import os
import re
import subprocess
import sys

CHAPTERS = (
    "ch01_bubble",
    "ch02_reduce_baseline",
    "ch03_reduce_optimized",
    "ch04_squaresum",
    "ch05_merge_bitonic",
    "ch06_topk",
)
PATTERNS = "lab_patterns"


def base_name(kernel):
    """'void (anonymous namespace)::best_kernel<(bool)1>(const float *)' -> 'best_kernel'"""
    found = re.search(r"(\w+_kernel)\b", kernel)
    return found.group(1) if found else None


def launch_text(shapes):
    """'<<<2048, 512>>> + 2 x <<<4, 512, 96>>>'; for many shapes, the first one and their number."""

    def one(shape):
        size = [re.sub(r"(, 1)+$", "", ", ".join(map(str, extent))) for extent in (shape["grid"], shape["block"])]
        size = [f"({text})" if "," in text else text for text in size]
        if shape["dynamic_bytes"]:
            size.append(str(shape["dynamic_bytes"]))
        times = f"{shape['launches']} x " if shape["launches"] > 1 else ""
        return f"{times}<<<{', '.join(size)}>>>"

    if len(shapes) > 3:
        return f"{one(shapes[0])} + {len(shapes) - 1} other shapes"
    return " + ".join(one(shape) for shape in shapes)


def add_row(counts, row):
    """Adds one line of the source to the counts of its kernel."""

    def add(name, field):
        counts[name] = counts.get(name, 0) + row[field]

    if row["operation"] == "atomic":
        if row["space"] == "global":
            add("global_atomic_requests", "requests")
        else:
            add("shared_atomic_wavefronts", "wavefronts")
        return
    what = f"{row['space']}_{row['operation']}"
    if row["space"] == "global":
        add(what + "_requests", "requests")
        add(what + "_sectors", "sectors")
    else:
        add(what + "_wavefronts", "wavefronts")
        add(what + "_least", "least_wavefronts")


def kernels_of(reports):
    """The kernels of a stage; instances of one template are added up."""
    kernels = {}
    for report in reports:
        name = base_name(report["kernel"])
        mine = kernels.setdefault(name, {"kernel": name, "launches": 0, "shapes": [], "counts": {}})
        mine["launches"] += report["launches"]
        mine["shapes"] += report["shapes"]
        counts = mine["counts"]
        counts["instructions"] = counts.get("instructions", 0) + report["steps"]
        counts["thread_instructions"] = counts.get("thread_instructions", 0) + report["lane_steps"]
        for row in report["rows"]:
            add_row(counts, row)
    return list(kernels.values())


def look(programs, sms, l2_megabytes, only):
    """Runs the programs with the lab, all or only these. Returns a list: program, n, stages with their kernels."""
    # One worker: where blocks wait for each other, the counts are then the same in every run.
    environment = dict(
        os.environ, TUTORIAL_CPU_SMS=str(sms), TUTORIAL_CPU_L2_MB=str(l2_megabytes), TUTORIAL_CPU_WORKERS="1"
    )
    looked = []
    for program in (PATTERNS,) + CHAPTERS:
        if only and program not in only:
            continue
        is_chapter = program != PATTERNS
        path = os.path.join(programs, program + ("_lab" if is_chapter else ""))
        command = [path] + (["--explain", "--json"] if is_chapter else [])
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, env=environment)
        if done.returncode != 0:
            sys.exit(f"compare.py: {path} ends with exit code {done.returncode}")
        report = json.loads(done.stdout)
        stages = report["stages"] if is_chapter else [{"stage": "", "kernels": report}]
        looked.append(
            {
                "program": program,
                "n": report["n"] if is_chapter else 0,
                "stages": [
                    {"stage": stage["stage"], "kernels": kernels_of(stage["kernels"])}
                    for stage in stages
                    if stage["kernels"]
                ],
            }
        )
    return looked
