"""./tutorial docs: fills and checks the texts. docs/tools does the work."""

from __future__ import annotations

import sys

from .. import programs
from ..repository import BUILD, ROOT
from ..words import Parser, parse

SUMMARY = "fill tables, numbers, excerpts and figures of the texts; --check only compares"


def main(words: list[str]) -> int:
    parser = Parser("docs", description=SUMMARY)
    parser.add_argument("--check", action="store_true", help="change nothing; fail where something is out of date")
    arguments = parse(parser, words)
    options: list[str] = []
    for folder in (BUILD / "cpu" / "bin", BUILD / "cuda" / "bin"):
        if any(folder.glob("ch[0-9][0-9]_*_c*")):
            options = ["--programs", str(folder)]
    if not options:
        print("The chapters' headings are not compared with their programs: none is built.")
    return tool("check" if arguments.check else "update", *options)


def tool(*words: str) -> int:
    return programs.run(sys.executable, "-B", str(ROOT / "docs" / "tools" / "docs.py"), *words)
