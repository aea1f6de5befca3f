"""./tutorial bench: measures chapters into docs/results/, or the emulator itself."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Iterator

from building import backend, lock
from building.build import Build
from building.errors import MISSING, USAGE, Refused
from building.repository import ROOT, shown

from .. import merge_results, multi_gpu, programs, runs, targets, unfinished
from ..arguments import Parser, add_backend, parse
from ..unfinished import Keep, Unfinished

SUMMARY = (
    "measure on a GPU, at the sizes in each chapter's runs.txt, into docs/results/ (or --out DIR). "
    "A bench that was stopped continues from there. bench cpu: measure the emulator itself"
)
PROCESSES = 3  # for the rows that are compared
_STOPPED = "stopped; the same command continues after the rows measured so far"
_CUB_VERSION = "cub/cub/version.cuh"
CLUSTERS = (9, 0)  # the compute capability that the unsuccessful variants need


def main(words: list[str]) -> int:
    parser = Parser("bench", description=SUMMARY)
    parser.add_argument("chapter", nargs="*", help="ch01 or ch01_bubble; without one, all; cpu: the emulator")
    add_backend(parser)
    parser.add_argument(multi_gpu.OPTION, metavar="N", help="the multi-GPU versions, on N GPUs")
    parser.add_argument(
        "--processes",
        metavar="N",
        default=str(PROCESSES),
        help=f"measure the rows to be compared in N processes, one after the other; default {PROCESSES}",
    )
    parser.add_argument(
        "--cccl", metavar="DIR", help="also compare with the CUB in this checkout of NVIDIA/cccl, if the chapter does"
    )
    parser.add_argument(
        "--again", action="store_true", help="measure all rows again, including those of a bench that was stopped"
    )
    parser.add_argument("--out", nargs="?", const="", metavar="DIR", help="folder for the results")
    arguments = parse(parser, words)
    if arguments.out == "":
        raise Refused(USAGE, "--out needs a folder")
    processes = _processes(arguments.processes)
    if "cpu" in arguments.chapter:
        return _bench_cpu_backend()
    gpus = None if arguments.gpus is None else multi_gpu.number(arguments.gpus)
    chosen = targets.find_chapters(arguments.chapter) if arguments.chapter or gpus is None else multi_gpu.chapters()
    where = backend.choose(arguments.backend)
    print(where.why, flush=True)
    if not where.is_gpu and arguments.backend != "cpu":
        raise Refused(
            MISSING,
            "bench measures times on a GPU, and there is none to use; 'bench cpu' measures the emulator, "
            "'bench --cpu' stores its counts",
        )
    if gpus is not None:
        results = Path(arguments.out or ROOT / "docs" / "results" / f"{slug(where.gpu)}x{gpus}")
        with unfinished.kept(results, arguments.again) as keep, _stoppable():
            _bench_multi_gpu(chosen, where, gpus, results, keep)
        return 0
    build = Build(where).prepare("bench")
    if arguments.cccl is not None:
        _configure_cccl(build, Path(arguments.cccl))
    kind = build.kind()
    build.make([chapter.goal(kind) for chapter in chosen])
    results = Path(arguments.out or ROOT / "docs" / "results" / (slug(where.gpu) if where.is_gpu else "cpu"))
    if not where.is_gpu:
        # One thread runs all blocks, one after the other, so that the number of polls does not vary.
        os.environ.setdefault("TUTORIAL_CPU_WORKERS", "1")
    # Counts take seconds, and also depend on the emulator and the lab, so they are not kept.
    with unfinished.kept(results, arguments.again or not where.is_gpu) as keep, _stoppable():
        for chapter in chosen:
            made_by = _made_by(chapter, where)
            _bench_chapter(chapter, build, kind, results, keep(chapter.short, made_by), processes)
            beside = {}
            if where.is_gpu and backend.compute_capability() >= CLUSTERS:
                beside["ablations"] = made_by
            if arguments.cccl is not None:
                version = (Path(arguments.cccl) / _CUB_VERSION).read_text(encoding="utf-8")
                beside["cccl"] = {**made_by, "CUB": version}
            for section, of in beside.items():
                if lines := runs.lines(chapter.folder, section):
                    _bench_beside(f"{chapter.name}_{section}", lines, build, results, keep, of, processes)
    print(f"\nResults are in {shown(results.resolve())}; ./tutorial docs puts them into the texts.")
    return 0


def _made_by(chapter: targets.Chapter, where: backend.Backend) -> dict[str, str]:
    """What must stay the same for rows to go into one file."""
    made_by = {"sources": unfinished.sources(chapter.folder), "GPU": where.gpu if where.is_gpu else ""}
    if where.is_gpu:
        made_by |= {"driver": backend.driver(), "toolkit": backend.toolkit()}
    return made_by


def _bench_cpu_backend() -> int:
    build = Build(backend.choose("cpu")).prepare("bench")
    build.make(["emulator_bench"])
    return programs.run(build.program("emulator_bench"))


def _configure_cccl(build: Build, checkout: Path) -> None:
    if not build.backend.is_gpu:
        raise Refused(MISSING, "--cccl compiles for a GPU, and there is none to use")
    if not (checkout / _CUB_VERSION).is_file():
        raise Refused(USAGE, f"--cccl: {checkout} is not a checkout of NVIDIA/cccl: it has no {_CUB_VERSION}")
    command = ["cmake", "--preset", build.backend.preset, f"-DTUTORIAL_CCCL={checkout.resolve()}"]
    with lock.held(build.folder, sys.stdout):
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        raise Refused(MISSING, f"CMake failed: {(done.stderr.strip().splitlines() or ['no reason given'])[-1]}")


def _bench_beside(
    name: str, lines: list[list[str]], build: Build, results: Path, keep: Keep, made_by: dict[str, str], processes: int
) -> None:
    """ch03_ablations.csv: each of these lines of options, run by the program ch03_reduce_optimized_ablations."""
    build.make([name])
    short = f"{name.partition('_')[0]}_{name.rpartition('_')[2]}"
    kept = keep(short, made_by)
    for rows in _measure(str(build.program(name)), lines, kept, processes):
        _put(rows, kept, results / f"{short}.csv")


def _put(rows: list[merge_results.Row], kept: Unfinished, file: Path) -> None:
    merge_results.write(kept.folder / "rows.csv", rows)
    (kept.folder / "rows.csv").replace(file)


def _processes(text: str) -> int:
    if not text.isdigit() or not 1 <= int(text) <= 99:
        raise Refused(USAGE, f"--processes: '{text}' is not a number from 1 to 99")
    return int(text)


def _bench_chapter(
    chapter: targets.Chapter, build: Build, kind: str, results: Path, kept: Unfinished, processes: int
) -> None:
    """Results replace earlier ones only when all runs of a process were right. A later process's measurements
    join them at its end."""
    program = str(chapter.program(build, kind))
    print(f"\n== {chapter.name}, default size", flush=True)
    table, default = kept.folder / "table.txt", kept.folder / "default.csv"
    _show_and_keep([program, "--csv", str(default.resolve())], chapter.name, table, default)
    rows = merge_results.read(default)
    if kind == "lab":
        with open(kept.folder / "explain.json", "wb") as counts:
            command = [str(chapter.program(build, "lab")), "--explain", "--json"]
            _require(subprocess.run(command, stdout=counts, check=False).returncode, f"{chapter.name} --explain")
        (kept.folder / "explain.json").replace(results / f"{chapter.short}_explain.json")
    shutil.copy(table, results / f"{chapter.short}.txt")
    if not build.backend.is_gpu:
        _put(rows, kept, results / f"{chapter.short}.csv")
        return
    for all_rows in _measure(program, runs.lines(chapter.folder, "bench"), kept, processes, [rows]):
        _put(all_rows, kept, results / f"{chapter.short}.csv")


def _measure(
    program: str,
    lines: list[list[str]],
    kept: Unfinished,
    processes: int,
    default: list[list[merge_results.Row]] | None = None,
) -> Iterator[list[merge_results.Row]]:
    """Yields the rows of all lines of options after each of that many processes; `default`: the rows of the run without
    options, which was made before. Each process goes through all lines, so that two times of the same row are minutes
    apart, while a row and the library's row in the same process are seconds apart."""
    runs = [[rows] for rows in [*(default or []), *_batch(program, lines, kept, 1)]]
    nothing: list[str] = []
    words = [*(nothing for _ in default or []), *lines]
    yield [row for run in runs for row in merge_results.merged(run)]
    for number in range(2, processes + 1):
        again = []
        for run, line in zip(runs, words):
            rivals = merge_results.rivals(run[0])
            again.append([*merge_results.split_stages(line)[0], "--stage", *rivals] if rivals else [])
        chosen = [run for run, line in zip(runs, again) if line]
        print(f"\n== {Path(program).name}, process {number} of {processes}: what is compared", flush=True)
        for run, rows in zip(chosen, _batch(program, [line for line in again if line], kept, number)):
            run.append(rows)
        yield [row for run in runs for row in merge_results.merged(run)]


def _batch(program: str, lines: list[list[str]], kept: Unfinished, number: int) -> list[list[merge_results.Row]]:
    """The rows of each line of options. For all lines, one process measures what is still missing."""
    missing = {}
    for line in lines:
        rest = kept.rest(program, number, line)
        if rest is not None:
            name = kept.file(number, line).name
            missing[name] = " ".join([*rest, "--csv", name])
    if missing:
        (kept.folder / "lines.txt").write_text("\n".join(missing.values()) + "\n", encoding="utf-8")
        command = [str(Path(program).resolve()), "--batch", "lines.txt"]
        _require(programs.run(*command, folder=kept.folder, reads_input=False), Path(program).name)
    return [kept.rows(number, line) for line in lines]


def _bench_multi_gpu(
    chosen: list[targets.Chapter], where: backend.Backend, gpus: int, results: Path, keep: Keep
) -> None:
    """chNN_multi_gpu.txt: the table at the default size, with the model; .csv: that and each line of [multi_gpu]."""
    build = Build(where).prepare("multi_gpu")
    multi_gpu.require(chosen, build)
    build.make([multi_gpu.goal(chapter, where.preset) for chapter in chosen])
    with multi_gpu.launcher(gpus) as (words, environment):
        os.environ.update(environment)
        for chapter in chosen:
            name = f"{chapter.short}_multi_gpu"
            kept = keep(name, {**_made_by(chapter, where), "number of GPUs": str(gpus)})
            print(f"\n== {chapter.name} on {gpus} GPUs, default size", flush=True)
            program = [*words, str(build.program(multi_gpu.goal(chapter, where.preset)))]
            rows = _measure_on_several(program, runs.lines(chapter.folder, "multi_gpu"), kept)
            _put(rows, kept, results / f"{name}.csv")
            shutil.copy(kept.folder / "table.txt", results / f"{name}.txt")
    print(f"\nResults are in {shown(results.resolve())}; ./tutorial docs puts them into the texts.")


def _measure_on_several(program: list[str], lines: list[list[str]], kept: Unfinished) -> list[merge_results.Row]:
    """The rows of the run with the model and of each line, which is kept when its process has ended."""
    default = kept.folder / "default.csv"
    name = Path(program[-1]).name
    command = [*program, "--estimate", "--same-total", "--csv", str(default.resolve())]
    _show_and_keep(command, name, kept.folder / "table.txt", default)
    rows = merge_results.read(default)
    for words in lines:
        file = kept.file(1, words)
        if not file.is_file():
            print(f"\n== {name} {' '.join(words)}", flush=True)
            part = file.with_suffix(".part")
            part.unlink(missing_ok=True)
            _require(programs.run(*program, *words, "--csv", str(part.resolve()), reads_input=False), name)
            part.replace(file)
        rows += merge_results.read(file)
    return rows


def _show_and_keep(command: list[str], name: str, kept: Path, rows: Path) -> None:
    """Runs a command that shows a table, which is kept in `kept`, and puts its rows into a new file. If both are there
    already, the table is only shown."""
    if kept.is_file():
        print(kept.read_text(encoding="utf-8"), end="", flush=True)
        return
    rows.unlink(missing_ok=True)
    part = kept.with_suffix(".part")
    with open(part, "wb") as file, subprocess.Popen(command, stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        try:
            for line in child.stdout:
                file.write(line)
                print(line.decode(errors="replace"), end="", flush=True)
        except BaseException:
            child.kill()
            raise
    _require(child.returncode, name)
    part.replace(kept)


def _require(code: int, what: str) -> None:
    sys.stdout.flush()
    ended = code if isinstance(code, programs.Exit) else programs.Exit.of(code)
    if ended.signal in (signal.SIGINT, signal.SIGTERM):
        raise Refused(ended, _STOPPED)
    if ended:
        raise Refused(ended, f"{what} failed; its results were not stored")


@contextlib.contextmanager
def _stoppable() -> Iterator[None]:
    """Ctrl-C and SIGTERM end a bench with a line that says what becomes of its rows."""

    def stop(*_: object) -> None:
        raise Refused(128 + signal.SIGTERM, _STOPPED)

    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    except KeyboardInterrupt:
        raise Refused(128 + signal.SIGINT, _STOPPED) from None
    finally:
        signal.signal(signal.SIGTERM, before)


def slug(gpu: str) -> str:
    """NVIDIA GeForce RTX 4090 -> rtx-4090"""
    name = re.sub(r"nvidia|geforce|tesla", "", gpu.lower())
    return re.sub(r"[^a-z0-9]+", "-", name).strip("-")
