#!/usr/bin/env python3
"""expect.py PROGRAM NAME.txt… [--named] [--write] [--kinds NAME…]: runs a program of the gallery and compares what it
prints with NAME.txt. With --named, PROGRAM contains several, and NAME says which one it is to run. Of those after
--kinds only the kinds of what is found are compared, if two compilers lead to different words.

In the other orders of threads other accesses come first, so only the kinds of what is found count there.
"""

import argparse
import difflib
import os
import re
import subprocess
import sys
from pathlib import Path

KINDS = re.compile(
    r"^(race|out of bounds|set in part|host pointer|device pointer|device variable|unused shared memory|not freed|"
    r"divergent barrier|asynchronous copy|delete|"
    r"incomplete warp collective|shuffle|vote at|no progress|argument \d+ of kernel|cuda[A-Z]\w+(?= of| at)|"
    r"launch of kernel|misaligned|read-only load|escaped|freed memory|wild pointer|index below 0|"
    r"overlapping arrays|pointer to a local|bytes set|counter not set back|values of an earlier round|"
    r"what kernel \w+ writes is lost|"
    r"illegal address|integer division|free\(\) or delete|store to constant|virtual functions of|"
    r"function pointer of|kernel \w+ called printf|never written|No fault found)",
    re.MULTILINE,
)

# In another order, the thread that sets the flag comes first; one that uses the barrier finds none; all threads read
# the flag before it is cleared; the thread that sets the place comes first.
FORWARD_ONLY = (
    "barrier_used_before_init",
    "flag_cleared_before_it_is_read",
    "place_read_before_it_is_set",
)


# A report of no progress says which limit led to it.
LIMIT = re.compile(r"^no progress for ([\d.]+) s |TUTORIAL_CPU_TIME_LIMIT, ([\d.]+) s here", re.MULTILINE)


def kinds(text):
    """What was found, without uninitialised memory: whether there is any depends on which thread comes first."""
    return {
        {"shuffle": "incomplete warp collective", "vote at": "incomplete warp collective"}.get(kind, kind)
        for kind in KINDS.findall(text)
    }


def is_right(program, expected, arguments):
    """Whether it prints what it must, in every order; shows the difference."""
    command = [program, expected.stem] if arguments.named else [program]
    wanted = "" if arguments.write else expected.read_text(encoding="utf-8")
    limit = LIMIT.search(wanted)
    seconds = float(limit[1] or limit[2]) if limit else None

    def run(order, seconds):
        limits = {} if seconds is None else {"TUTORIAL_CPU_TIME_LIMIT": str(seconds)}
        environment = {**os.environ, "TUTORIAL_CPU_ORDER": order, **limits}
        return subprocess.run(command, stdout=subprocess.PIPE, text=True, timeout=60, env=environment, check=False)

    done = run("forward", seconds)
    if arguments.write:
        if done.returncode not in (0, 1):
            sys.exit(f"{' '.join(command)}: exit code {done.returncode}; {expected} stays as it is")
        expected.write_text(done.stdout, encoding="utf-8")
        return True
    right_code = 0 if re.search(r"^No fault found\.$", wanted, re.MULTILINE) else 1
    is_other = kinds(done.stdout) != kinds(wanted) if expected.stem in arguments.kinds else done.stdout != wanted
    failed = is_other or done.returncode != right_code
    if failed:
        sys.stdout.writelines(
            difflib.unified_diff(wanted.splitlines(True), done.stdout.splitlines(True), str(expected), "printed")
        )
        print(f"exit code {done.returncode}, expected {right_code}")
    if expected.stem in FORWARD_ONLY:
        return not failed
    # Of many programs in one, two orders have to do.
    orders = ("reverse", "shuffle:1") if arguments.named else ("reverse", "shuffle:1", "shuffle:2")
    for order in orders:
        done = run(order, seconds and seconds / 5)  # the text, which names the limit, is not compared
        if kinds(done.stdout) != kinds(wanted) or done.returncode != right_code:
            print(f"{expected}: in order {order}, exit code {done.returncode}:\n{done.stdout}")
            failed = True
    return not failed


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("program")
    parser.add_argument("expected", nargs="+", type=Path)
    parser.add_argument("--named", action="store_true")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--kinds", nargs="+", default=[])
    arguments = parser.parse_args()
    wrong = [each for each in arguments.expected if not is_right(arguments.program, each, arguments)]
    print(f"{len(arguments.expected)} programs, {len(wrong)} wrong: {' '.join(each.stem for each in wrong)}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
