"""./tutorial explain: what each source line does to memory, and where it is wrong."""

from __future__ import annotations

from .. import own_program, own_request, play, programs, targets
from ..arguments import Parser, split, wants_help

SUMMARY = "show what each source line does to memory"


def main(words: list[str]) -> int:
    """stdout must contain only what the programs print: it may be JSON."""
    if "--play" in words:
        return play.explain([word for word in words if word != "--play"])
    if own_request.is_meant(words):
        return own_program.explain(words)
    names, asked, options = split(words)
    if wants_help(options) and not names:
        parser = Parser("explain", description=SUMMARY, add_help=False)
        parser.add_argument(
            "target", nargs="*", help="ch01 or ch01_bubble; without one, all chapters; or files: FILE.cu…"
        )
        parser.add_argument("--faults", action="store_true", help="look for races, accesses out of bounds and the like")
        parser.add_argument("--play", action="store_true", help="show one stage's run, step by step, in a browser")
        parser.epilog = f"All other options are the chapter's: ./tutorial explain ch01 --help\n\n{own_request.HELP}"
        parser.print_help()
        return 0
    chosen = targets.find_chapters(names)
    build = own_program.build_of_lab(asked)
    kind = targets.kind_in_lab(options)
    what = "--faults" if kind == "lab" else "--explain"
    build.make([chapter.goal(kind) for chapter in chosen])
    return max(programs.run(chapter.program(build, kind), what, *options) for chapter in chosen)
