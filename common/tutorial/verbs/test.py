"""./tutorial test: builds and runs the tests of chapters, or all there are."""

from __future__ import annotations

import os

from building import backend
from building.build import Build, processors
from building.errors import WRONG

from .. import programs, targets
from ..arguments import Parser, add_backend, parse

SUMMARY = "build and run the tests of chapters; without a chapter, all tests"


def main(words: list[str]) -> int:
    parser = Parser("test", description=SUMMARY)
    parser.add_argument("chapter", nargs="*", help="ch01 or ch01_bubble; without one, all tests")
    add_backend(parser)
    parser.add_argument("-R", metavar="PATTERN", help="only tests whose name matches this")
    parser.add_argument("-E", metavar="PATTERN", help="no tests whose name matches this")
    parser.add_argument(
        "-j",
        metavar="N",
        type=int,
        help="run N tests at a time; default: one more than there are processors, at most 8; on a GPU one",
    )
    parser.add_argument("--rerun-failed", action="store_true", help="only the tests that failed last time")
    arguments = parse(parser, words)
    chosen = targets.find_chapters(arguments.chapter) if arguments.chapter else []
    where = backend.choose(arguments.backend)
    print(where.why, flush=True)
    build = Build(where).prepare("test")
    build.make([chapter.name for chapter in chosen])
    if arguments.j is None and not where.is_gpu and "CTEST_PARALLEL_LEVEL" not in os.environ:
        # Some tests wait for a time limit or a launcher. On a GPU they would share its memory.
        arguments.j = min(processors() + 1, 8)
    command = ["--test-dir", str(build.folder), "--output-on-failure", "--no-tests=error"]
    if chosen:
        command += ["-R", f"^({'|'.join(chapter.name for chapter in chosen)})\\."]
    for option in ("R", "E", "j"):
        value = getattr(arguments, option)
        if value is not None:
            command += [f"-{option}", str(value)]
    if arguments.rerun_failed:
        command.append("--rerun-failed")
    if chosen and not os.environ.get("TUTORIAL_TURN"):  # being worked on
        os.environ["TUTORIAL_TURN"] = "all"
    failed = programs.run("ctest", *command)
    skipped = build.skipped_targets()
    if not os.environ.get("TUTORIAL_TURN"):
        skipped.append("Only part of the slow tests runs, another one each day: TUTORIAL_TURN=all tests everything")
    if skipped and not (chosen or arguments.R or arguments.E or arguments.rerun_failed):
        print("\nNot tested here:", *skipped, sep="\n  ")
    return WRONG if failed else 0
