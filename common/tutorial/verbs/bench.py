"""./tutorial bench: measures chapters into docs/results/, or the emulator itself."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Iterator

from .. import backend, lock, merge_results, multi_gpu, programs, runs, targets
from ..build import Build
from ..errors import MISSING, USAGE, Refused
from ..repository import ROOT, shown
from ..arguments import Parser, add_backend, parse

SUMMARY = (
    "measure on a GPU, at the sizes in each chapter's runs.txt, into docs/results/ (or --out DIR). "
    "bench cpu: measure the emulator itself"
)
PROCESSES = 3  # that measure what is compared
CLUSTERS = (9, 0)  # the compute capability that what was tried and did not win needs


def main(words: list[str]) -> int:
    parser = Parser("bench", description=SUMMARY)
    parser.add_argument("chapter", nargs="*", help="ch01 or ch01_bubble; without one, all; cpu: the emulator")
    add_backend(parser)
    parser.add_argument(multi_gpu.OPTION, metavar="N", help="the multi-GPU versions, on N GPUs")
    parser.add_argument(
        "--processes",
        metavar="N",
        default=str(PROCESSES),
        help=f"measure rows that are compared in N processes, one after the other; default {PROCESSES}",
    )
    parser.add_argument(
        "--cccl", metavar="DIR", help="also compare with the CUB in this checkout of NVIDIA/cccl, if the chapter does"
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
        _bench_multi_gpu(chosen, where, gpus, results)
        return 0
    build = Build(where).prepare("bench")
    if arguments.cccl is not None:
        _configure_cccl(build, Path(arguments.cccl))
    kind = build.kind()
    build.make([goal for chapter in chosen for goal in chapter.goals(build, kind)])
    results = Path(arguments.out or ROOT / "docs" / "results" / (slug(where.gpu) if where.is_gpu else "cpu"))
    results.mkdir(parents=True, exist_ok=True)
    if not where.is_gpu:
        # One thread runs all blocks, one after the other: how often a block polls is then no accident.
        os.environ.setdefault("TUTORIAL_CPU_WORKERS", "1")
    for chapter in chosen:
        _bench_chapter(chapter, build, kind, results, processes)
        if arguments.cccl is not None and runs.lines(chapter.folder, "cccl"):
            _bench_cccl(chapter, build, results, processes)
    print(f"\nResults are in {shown(results.resolve())}; ./tutorial docs puts them into the texts.")
    return 0


def _bench_cpu_backend() -> int:
    build = Build(backend.choose("cpu")).prepare("bench")
    build.make(["emulator_bench"])
    return programs.run(build.program("emulator_bench"))


def _configure_cccl(build: Build, checkout: Path) -> None:
    if not build.backend.is_gpu:
        raise Refused(MISSING, "--cccl compiles for a GPU, and there is none to use")
    if not (checkout / "cub" / "cub" / "version.cuh").is_file():
        raise Refused(USAGE, f"--cccl: {checkout} is not a checkout of NVIDIA/cccl: it has no cub/cub/version.cuh")
    command = ["cmake", "--preset", build.backend.preset, f"-DTUTORIAL_CCCL={checkout.resolve()}"]
    with lock.held(build.folder, sys.stdout):
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        raise Refused(MISSING, f"CMake failed: {(done.stderr.strip().splitlines() or ['no reason given'])[-1]}")


def _bench_cccl(chapter: targets.Chapter, build: Build, results: Path, processes: int) -> None:
    """chNN_cccl.csv: each line of [cccl] in runs.txt, with the libraries' rows by the CUB of that checkout."""
    name = f"{chapter.name}_cccl"
    build.make([name])
    with tempfile.TemporaryDirectory(prefix=f".{chapter.short}.", dir=results) as folder:
        lines = runs.lines(chapter.folder, "cccl")
        for rows in _measure(str(build.program(name)), lines, Path(folder), processes):
            _put(rows, Path(folder), results / f"{chapter.short}_cccl.csv")


def _put(rows: list[merge_results.Row], scratch: Path, file: Path) -> None:
    merge_results.write(scratch / "rows.csv", rows)
    (scratch / "rows.csv").replace(file)


def _processes(text: str) -> int:
    if not text.isdigit() or not 1 <= int(text) <= 99:
        raise Refused(USAGE, f"--processes: '{text}' is not a number from 1 to 99")
    return int(text)


def _bench_chapter(chapter: targets.Chapter, build: Build, kind: str, results: Path, processes: int) -> None:
    """Results take the place of earlier ones only when all runs of a process were right. What a later process
    measures joins them at its end, so that a bench that is broken off has not worked for nothing."""
    with tempfile.TemporaryDirectory(prefix=f".{chapter.short}.", dir=results) as folder:
        scratch = Path(folder)
        program = str(chapter.program(build, kind))
        print(f"\n== {chapter.name}, default size", flush=True)
        default = scratch / "default.csv"
        with open(scratch / "table.txt", "wb") as table:
            _show_and_keep([program, "--csv", str(default)], chapter.name, table)
        rows = merge_results.read(default)
        if kind == "lab":
            with open(scratch / "explain.json", "wb") as counts:
                command = [str(chapter.program(build, "lab")), "--explain", "--json"]
                _require(subprocess.run(command, stdout=counts, check=False).returncode, f"{chapter.name} --explain")
        for file, name in (
            ("explain.json", f"{chapter.short}_explain.json"),
            ("table.txt", f"{chapter.short}.txt"),
        ):
            if (scratch / file).is_file():
                (scratch / file).replace(results / name)
        if not build.backend.is_gpu:
            _put(rows, scratch, results / f"{chapter.short}.csv")
            return
        for all_rows in _measure(program, runs.lines(chapter.folder, "bench"), scratch, processes, [rows]):
            _put(all_rows, scratch, results / f"{chapter.short}.csv")
        if runs.lines(chapter.folder, "ablations") and backend.compute_capability() >= CLUSTERS:
            build.make([f"{chapter.name}_ablations"])
            ablations = str(build.program(f"{chapter.name}_ablations"))
            for ablation_rows in _measure(ablations, runs.lines(chapter.folder, "ablations"), scratch, processes):
                _put(ablation_rows, scratch, results / f"{chapter.short}_ablations.csv")


def _measure(
    program: str,
    lines: list[list[str]],
    scratch: Path,
    processes: int,
    default: list[list[merge_results.Row]] | None = None,
) -> Iterator[list[merge_results.Row]]:
    """The rows of all lines of options, after each of so many processes; `default`: the rows of the run without
    options, which was made before. Each process goes through all lines, so that between two times of the same row
    there are minutes, and between a row and the library's in the same process seconds."""
    runs = [[rows] for rows in [*(default or []), *_batch(program, lines, scratch)]]
    nothing: list[str] = []
    words = [*(nothing for _ in default or []), *lines]
    yield [row for run in runs for row in merge_results.merged(run)]
    for number in range(2, processes + 1):
        again = []
        for run, line in zip(runs, words):
            rivals = merge_results.rivals(run[0])
            again.append([*merge_results.without_stages(line), "--stage", *rivals] if rivals else [])
        chosen = [run for run, line in zip(runs, again) if line]
        print(f"\n== {Path(program).name}, process {number} of {processes}: what is compared", flush=True)
        for run, rows in zip(chosen, _batch(program, [line for line in again if line], scratch)):
            run.append(rows)
        yield [row for run in runs for row in merge_results.merged(run)]


def _batch(program: str, lines: list[list[str]], scratch: Path) -> list[list[merge_results.Row]]:
    """One process for all lines: the rows of each."""
    if not lines:
        return []
    with tempfile.TemporaryDirectory(dir=scratch) as folder:
        names = [f"{number}.csv" for number in range(len(lines))]
        text = [" ".join([*line, "--csv", name]) for line, name in zip(lines, names)]
        (Path(folder) / "lines.txt").write_text("\n".join(text) + "\n", encoding="utf-8")
        command = [str(Path(program).resolve()), "--batch", "lines.txt"]
        done = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, check=False)
        _require(done.returncode, Path(program).name)
        return [merge_results.read(Path(folder) / name) for name in names]


def _bench_multi_gpu(chosen: list[targets.Chapter], where: backend.Backend, gpus: int, results: Path) -> None:
    """chNN_multi_gpu.txt: the table at the default size, with the model; .csv: that and each line of [multi_gpu]."""
    build = Build(where).prepare("multi_gpu")
    multi_gpu.require(chosen, build)
    build.make([multi_gpu.goal(chapter, where.preset) for chapter in chosen])
    results.mkdir(parents=True, exist_ok=True)
    with multi_gpu.launcher(gpus) as (words, environment):
        os.environ.update(environment)
        for chapter in chosen:
            print(f"\n== {chapter.name} on {gpus} GPUs, default size", flush=True)
            program = [*words, str(build.program(multi_gpu.goal(chapter, where.preset)))]
            _bench_one_of_multi_gpu(chapter, program, results)
    print(f"\nResults are in {shown(results.resolve())}; ./tutorial docs puts them into the texts.")


def _bench_one_of_multi_gpu(chapter: targets.Chapter, program: list[str], results: Path) -> None:
    with tempfile.TemporaryDirectory(prefix=f".{chapter.short}.", dir=results) as folder:
        scratch = Path(folder)
        with open(scratch / "table.txt", "wb") as table:
            command = [*program, "--estimate", "--same-total", "--csv", str((scratch / "rows.csv").resolve())]
            _show_and_keep(command, chapter.name, table)
        _run_lines(program, runs.lines(chapter.folder, "multi_gpu"), (scratch / "rows.csv").resolve())
        (scratch / "rows.csv").replace(results / f"{chapter.short}_multi_gpu.csv")
        (scratch / "table.txt").replace(results / f"{chapter.short}_multi_gpu.txt")


def _show_and_keep(command: list[str], name: str, kept) -> None:
    with subprocess.Popen(command, stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        for line in child.stdout:
            kept.write(line)
            print(line.decode(errors="replace"), end="", flush=True)
    _require(child.returncode, name)


def _run_lines(program: list[str], lines: list[list[str]], csv: Path) -> None:
    """A run for each line of options."""
    for words in lines:
        name = f"{Path(program[-1]).name} {' '.join(words)}"
        print(f"\n== {name}", flush=True)
        command = [*program, *words, "--csv", str(csv)]
        _require(subprocess.run(command, stdin=subprocess.DEVNULL, check=False).returncode, name)


def _require(code: int, what: str) -> None:
    sys.stdout.flush()
    if code:
        raise Refused(code if code > 0 else 128 - code, f"{what} failed; its results were not stored")


def slug(gpu: str) -> str:
    """NVIDIA GeForce RTX 4090 -> rtx-4090"""
    name = re.sub(r"nvidia|geforce|tesla", "", gpu.lower())
    return re.sub(r"[^a-z0-9]+", "-", name).strip("-")
