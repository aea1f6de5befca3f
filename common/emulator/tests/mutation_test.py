#!/usr/bin/env python3
"""Does every kernel matter to its tests? Each one is made to do nothing, and a test must fail.

    mutation_test.py [--by-file] PROGRAM FILE.cu...

PROGRAM is a test program on the emulator; its kernels are in FILE.cu and in the files that it includes from its own
folder. The emulator empties the kernel that TUTORIAL_CPU_MUTATION names, so nothing is compiled again. The test cases
run one by one, the quickest first, until one fails; a third of the kernels each day (common/building/turn.py), and
those of files that have changed. --by-file: each is tested only by the doctest cases of its own file, in one go. Exit
code 1 if tests pass without a kernel, do not launch it, or fail with all kernels in place.
"""

import argparse
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "common"))

from building.turn import changed_files, todays_part  # noqa: E402

PARTS = 3
OPAQUE = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.DOTALL)
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"\n]+)"', re.MULTILINE)
KERNEL = re.compile(r"\b__global__\b(?P<head>[^;{]*)\{")
BOUNDS = re.compile(r"__launch_bounds__\s*\((?:[^()]|\([^()]*\))*\)")


def without_gpu_only(text):
    """The text without what is between #if defined(__CUDACC__) and its #else or #endif."""
    kept = []
    skipping = []  # for each open #if: whether its lines are left out
    for line in text.split("\n"):
        directive = re.match(r"\s*#\s*(if|else|elif|endif)", line)
        word = directive.group(1) if directive else ""
        if word == "if":
            skipping.append(re.match(r"\s*#\s*if(def\s+|\s+defined\s*\(?\s*)__CUDACC__", line) is not None)
        elif word in ("else", "elif") and skipping:
            skipping[-1] = False
        elif word == "endif" and skipping:
            skipping.pop()
        kept.append("" if any(skipping) else line)
    return "\n".join(kept)


def kernels_of(path, seen=None):
    """Names of the kernels that a file defines, or one that it includes from its own folder."""
    path = pathlib.Path(path)
    seen = set() if seen is None else seen
    seen.add(path)
    text = without_gpu_only(path.read_text(encoding="utf-8"))
    names = []
    for name in INCLUDE.findall(text):
        included = path.parent / name
        if ".." not in name and included.exists() and included not in seen:
            names += kernels_of(included, seen)
    for match in KERNEL.finditer(OPAQUE.sub(" ", text)):
        names.append(re.search(r"(\w+)\s*\(", BOUNDS.sub(" ", match.group("head"))).group(1))
    return list(dict.fromkeys(names))


CASE = re.compile(r"^(\d+\.\d+) s: (.*)$", re.MULTILINE)


def run(program, kernel, *options):
    """Runs the tests with this kernel emptied (None: with none emptied); returns None if they do not end."""
    environment = dict(os.environ, TUTORIAL_CPU_TIME_LIMIT="5")
    if kernel is not None:
        environment.update(TUTORIAL_CPU_MUTATION=kernel, TUTORIAL_CPU_WORKERS="1")
    try:
        return subprocess.run(
            [program, "--abort-after=1", *options],
            env=environment,
            capture_output=True,
            timeout=1200 if kernel is None else 300,
        )
    except subprocess.TimeoutExpired:
        return None


def fails_without(program, kernel, *options):
    """Whether the tests fail with this kernel emptied, and whether they launch it."""
    done = run(program, kernel, *options)
    if done is None:
        return True, True
    return done.returncode != 0, b"(TUTORIAL_CPU_MUTATION)" in done.stderr


def cases_of(baseline):
    """The filters for single test cases, the quickest first, from a run that printed their durations."""
    times = [(float(seconds), name) for seconds, name in CASE.findall(baseline)]
    return [f"--test-case={name.replace(',', '?').replace('*', '?')}" for _, name in sorted(times)]


def is_found(program, kernel, filters):
    """Whether a test fails with this kernel emptied, and whether any launches it. The first that fails is enough."""
    any_launches = False
    for option in filters:
        fails, launches = fails_without(program, kernel, option)
        any_launches |= launches
        if fails and launches:
            return True, True
    return False, any_launches


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--by-file", action="store_true")
    parser.add_argument("program")
    parser.add_argument("files", nargs="+", metavar="FILE.cu")
    arguments = parser.parse_args()
    mutations = [(file, kernel) for file in arguments.files for kernel in kernels_of(file)]
    if not arguments.by_file:  # a header is searched both by itself and as an include: once is enough
        mutations = [(file, kernel) for kernel, file in {kernel: file for file, kernel in mutations}.items()]
    part = todays_part(mutations, min(PARTS, len(mutations) or 1))
    changed = {str(ROOT / name) for name in changed_files()}
    mutations = [each for each in mutations if each in part or os.path.realpath(each[0]) in changed]
    if not mutations:
        print("no kernels were found")
        return 1
    files = ",".join(f"*{pathlib.Path(file).name}*" for file in arguments.files)
    theirs = [f"--source-file={files}"] if arguments.by_file else []  # the other files' tests see none of the kernels
    baseline = run(arguments.program, None, "--duration=true", *theirs)
    if baseline is None or baseline.returncode != 0:
        print(f"{arguments.program} fails with all kernels as they are")
        return 1
    cases = cases_of(baseline.stdout.decode(errors="replace"))
    if not cases:
        print(f"{arguments.program} has no test cases")
        return 1

    def judge(mutation):
        file, kernel = mutation
        filters = [f"--source-file=*{pathlib.Path(file).name}*"] if arguments.by_file else cases
        return is_found(arguments.program, kernel, filters)

    found = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for (file, kernel), (is_one, launched) in zip(mutations, pool.map(judge, mutations)):
            found += is_one
            if not is_one:
                what = "passes without" if launched else "no test launches"
                print(f"{what} {kernel} of {pathlib.Path(file).name}", flush=True)
    print(f"{len(mutations)} kernels emptied, {found} found by a test")
    return 0 if found == len(mutations) else 1


if __name__ == "__main__":
    sys.exit(main())
