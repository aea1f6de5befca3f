#!/usr/bin/env python3
"""expect.py PROGRAM EXPECTED [ARGUMENT] [--write | --kinds]: runs a program of the gallery and compares what it
prints; with --kinds only the kinds of what is found, if two compilers lead to different words.

In the other orders of threads other accesses come first, so only the kinds of what is found count there.
"""

import difflib
import os
import re
import subprocess
import sys

KINDS = re.compile(
    r"^(race|out of bounds|set in part|host pointer|device pointer|device variable|unused shared memory|not freed|"
    r"divergent barrier|asynchronous copy|delete|"
    r"incomplete warp collective|shuffle|vote at|no progress|argument \d+ of kernel|cuda[A-Z]\w+(?= of| at)|"
    r"launch of kernel|misaligned|read-only load|escaped|freed memory|wild pointer|index below 0|"
    r"overlapping arrays|pointer to a local|bytes set|counter not set back|values of an earlier round|"
    r"illegal address|integer division|free\(\) or delete|store to constant|virtual functions of|"
    r"function pointer of|kernel \w+ called printf|never written|No fault found)",
    re.MULTILINE,
)

# In another order, the thread that sets the flag comes first; one that uses the barrier finds none; all threads read
# the flag before it is cleared; the thread that sets the place comes first.
FORWARD_ONLY = ("barrier_used_before_init", "flag_cleared_before_it_is_read", "place_read_before_it_is_set")


def run(command, order):
    environment = dict(os.environ, TUTORIAL_CPU_ORDER=order)
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, timeout=60, env=environment)


def kinds(text):
    """What was found, without uninitialised memory: whether there is any depends on which thread comes first."""
    return {
        {"shuffle": "incomplete warp collective", "vote at": "incomplete warp collective"}.get(kind, kind)
        for kind in KINDS.findall(text)
    }


def main():
    arguments = [each for each in sys.argv[1:] if each not in ("--write", "--kinds")]
    program, expected = arguments[:2]
    command = [program, *arguments[2:]]
    done = run(command, "forward")
    if "--write" in sys.argv:
        if done.returncode not in (0, 1):
            sys.exit(f"{' '.join(command)}: exit code {done.returncode}; {expected} stays as it is")
        with open(expected, "w", encoding="utf-8") as file:
            file.write(done.stdout)
        return 0
    with open(expected, encoding="utf-8") as file:
        wanted = file.read()
    right_code = 0 if re.search(r"^No fault found\.$", wanted, re.MULTILINE) else 1
    is_other = kinds(done.stdout) != kinds(wanted) if "--kinds" in sys.argv else done.stdout != wanted
    failed = is_other or done.returncode != right_code
    if failed:
        sys.stdout.writelines(
            difflib.unified_diff(wanted.splitlines(True), done.stdout.splitlines(True), "expected", "printed")
        )
        print(f"exit code {done.returncode}, expected {right_code}")
    if any(name in expected for name in FORWARD_ONLY):
        return int(failed)
    # Of many programs in one, two orders have to do.
    orders = ("reverse", "shuffle:1") if arguments[2:] else ("reverse", "shuffle:1", "shuffle:2")
    for order in orders:
        done = run(command, order)
        if kinds(done.stdout) != kinds(wanted) or done.returncode != right_code:
            print(f"in order {order}, exit code {done.returncode}:\n{done.stdout}")
            failed = True
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
