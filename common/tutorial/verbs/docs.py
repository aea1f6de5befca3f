"""./tutorial docs: fills and checks the texts, builds the book. docs/tools and docs/site do the work."""

from __future__ import annotations

import sys

from building.repository import BUILD, ROOT

from .. import programs
from ..arguments import Parser, parse

SUMMARY = "update tables, numbers, excerpts and figures in the texts; --check only compares; build, serve: the book"


def main(words: list[str]) -> int:
    parser = Parser("docs", description=SUMMARY)
    parser.add_argument(
        "what",
        nargs="?",
        choices=("build", "serve", "words"),
        help="build the book into build/site/out; also show it in a browser; count the words of every page",
    )
    parser.add_argument("--port", type=int, help="with serve; default: 8000, or the next that is free")
    parser.add_argument("--check", action="store_true", help="change nothing; fail if something is out of date")
    arguments = parse(parser, words)
    if arguments.what in ("build", "serve"):
        from .. import site  # a quarter of a start's time, for HTTP

        folder = site.build()
        return site.serve(folder, "", arguments.port) if arguments.what == "serve" else 0
    if arguments.what == "words":
        return tool("words")
    options: list[str] = []
    for folder in (BUILD / "cpu" / "bin", BUILD / "cuda" / "bin"):
        if any(folder.glob("ch[0-9][0-9]_*_c*")):
            options = ["--programs", str(folder)]
    if not options:
        print("The chapters' headings are not compared with their programs: none is built.")
    return tool("check" if arguments.check else "update", *options)


def tool(*words: str) -> int:
    return programs.run(sys.executable, "-B", str(ROOT / "docs" / "tools" / "docs.py"), *words)
