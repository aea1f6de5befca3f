#!/usr/bin/env python3
"""Runs a program once with each line of options of one section of a chapter's runs.txt.

    each_run.py CHAPTER SECTION PROGRAM [OPTION...]             the section must have a line
    each_run.py --doctest CHAPTER SECTION PROGRAM [OPTION...]   without the section: one run, of all test cases
    each_run.py --in-turn CHAPTER SECTION PROGRAM [OPTION...]   all test cases, but only one of each line's a day
    each_run.py --orders ORDER... -- CHAPTER SECTION PROGRAM [OPTION...]   with --order, a different one each day

With --doctest each line is a filter such as --test-case="*small sizes*", and must match a test case, so that a renamed
case is not silently left out. With --in-turn a line holds several filters, in quotes if it has blanks;
TUTORIAL_TURN=all runs all of them. Exit code: 1 if a run fails, or if there is nothing to run.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from building.turn import todays_part  # noqa: E402
from tutorial import runs  # noqa: E402

PASSED = re.compile(r"test cases: +([1-9]\d*) \| +\1 passed \| +0 failed")
MATCHED = re.compile(r"unskipped test cases passing the current filters: ([1-9]\d*)\b")


def is_right(command: list[str], words: list[str], is_doctest: bool) -> bool:
    """Runs `command` with a line of runs.txt and shows its output."""
    settings, options = runs.settings(words)
    print(" ".join(["$", *words[: len(settings)], *command, *options]), flush=True)
    done = subprocess.run(
        [*command, *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, **settings},
        check=False,
    )
    print(done.stdout, flush=True)
    if done.returncode != 0:
        print(f"exit code {done.returncode}", flush=True)
    elif is_doctest and not PASSED.search(done.stdout):
        print(f"no test case ran: does {' '.join(words)} still match one?", flush=True)
    else:
        return True
    return False


def without_others(lines: list[list[str]], command: list[str]) -> list[str]:
    """The option that excludes the cases whose turn it is not; a filter that matches no test case is an error."""
    every = [word for words in lines for word in words]
    for word in every:
        if "," in word:
            raise SystemExit(f"doctest takes the comma in {word} for the end of a filter: write * there")
        listed = [*command, "--count", f"--test-case={word}"]
        if not MATCHED.search(subprocess.run(listed, stdout=subprocess.PIPE, text=True, check=True).stdout):
            raise SystemExit(f"no test case matches {word}")
    today = [word for words in lines for word in todays_part(words, len(words))]
    others = [word for word in every if word not in today]
    return [f"--test-case-exclude={','.join(others)}"] if others else []


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--doctest", action="store_true")
    parser.add_argument("--in-turn", action="store_true")
    parser.add_argument("--orders", nargs="+", default=[])
    parser.add_argument("chapter", type=Path, help="its folder")
    parser.add_argument("section")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    arguments = parser.parse_args()
    lines = runs.lines(arguments.chapter, arguments.section)
    if arguments.in_turn:
        return 0 if is_right(arguments.command, without_others(lines, arguments.command), True) else 1
    if not lines and not arguments.doctest:
        print(f"{arguments.chapter}/runs.txt has no line in [{arguments.section}]")
        return 1
    # All of them run, so that one failure does not hide another.
    orders = [["--order", order] for order in todays_part(arguments.orders, len(arguments.orders))] or [[]]
    results = [
        is_right([*arguments.command, *order], words, arguments.doctest) for order in orders for words in lines or [[]]
    ]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
