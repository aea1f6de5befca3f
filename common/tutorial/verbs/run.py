"""./tutorial run: builds targets and runs them, one after the other."""

from __future__ import annotations

from building import backend
from building.build import Build

from .. import multi_gpu, own_program, own_request, programs, runs, targets
from ..arguments import Parser, add_backend, split, wants_help

SUMMARY = "run chapters: a table of all stages, each verified; or run a program of your own"


def main(words: list[str]) -> int:
    if own_request.is_meant(words):
        return own_program.run(words)
    names, asked, options = split(words)
    if wants_help(options) and not names:
        parser = Parser("run", description=SUMMARY, add_help=False)
        parser.add_argument(
            "target", nargs="*", help="ch01 or ch01_bubble; without one, all chapters; or files: FILE.cu…"
        )
        add_backend(parser)
        parser.add_argument(multi_gpu.OPTION, metavar="N", help="the multi-GPU version, on N GPUs")
        parser.epilog = f"All other options go to the chapter: ./tutorial run ch01 --help\n\n{own_request.HELP}"
        parser.print_help()
        return 0
    gpus = multi_gpu.take(options)
    chosen = targets.find_chapters(names)
    if gpus is not None and not names:
        chosen = multi_gpu.chapters()
    where = backend.choose(asked)
    print(where.why, flush=True)
    if gpus is not None:
        return multi_gpu.run(chosen, where, gpus, options)
    build = Build(where).prepare("run")
    kind = build.kind() if build.kind() != "lab" else targets.kind_in_lab(options)
    build.make([chapter.goal(kind) for chapter in chosen])
    codes = []
    for chapter in chosen:
        print()
        codes.append(programs.run(chapter.program(build, kind), *options))
        if not where.is_gpu and not options:
            for words in runs.lines(chapter.folder, "story"):
                print(
                    f"The stages differ only for larger n: ./tutorial run {chapter.short} {' '.join(words)}", flush=True
                )
    if len(chosen) > 1:
        print(f"\n{len(chosen)} chapters on the {'GPU' if where.is_gpu else 'emulator'}:")
        for chapter, code in zip(chosen, codes):
            print(f"  {chapter.name}: {programs.meaning(code)}")
    return max(codes)
