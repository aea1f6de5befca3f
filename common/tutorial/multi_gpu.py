"""Programs for several GPUs: one process each, started by mpirun."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import tempfile
from typing import Iterator, Sequence

from building.backend import Backend
from building.build import Build, processors
from building.errors import MISSING, USAGE, Refused

from . import programs, targets
from .targets import Chapter

OPTION = "--gpus"
MOST = 4096


def number(text: str) -> int:
    if not text.isdigit() or not 1 <= int(text) <= MOST:
        raise Refused(USAGE, f"{OPTION} '{text}' is not a number of GPUs; it must be 1 to {MOST}")
    return int(text)


def take(options: list[str]) -> int | None:
    """Takes `--gpus N` out of the options; None if it is not there."""
    for place, word in enumerate(options):
        if word == OPTION:
            text = "".join(options[place + 1 : place + 2])
            del options[place : place + 2]
            return number(text)
        if word.startswith(OPTION + "="):
            del options[place]
            return number(word.partition("=")[2])
    return None


def chapters() -> list[Chapter]:
    """The chapters that have a version for several GPUs."""
    return [chapter for chapter in targets.chapters() if (chapter.folder / "multi_gpu.cu").is_file()]


def goal(chapter: Chapter, preset: str) -> str:
    """CMake's target; `preset` is cuda or cpu."""
    return chapter.goal(f"multi_gpu_{preset}")


def require(chosen: Sequence[Chapter], build: Build) -> None:
    """Refused if a chapter has no such version, or CMake left them out."""
    there = chapters()
    for chapter in chosen:
        if chapter not in there:
            names = " ".join(each.short for each in there)
            raise Refused(USAGE, f"{chapter.name} has no version for several GPUs; there are: {names}")
    kind = build.backend.preset
    if kind in build.cache().get("TUTORIAL_MULTI_GPU", "").split(";"):
        return
    what = "MPI" if kind == "cpu" else "MPI and NCCL"
    raise Refused(
        MISSING,
        f"{OPTION} needs {what}, and CMake did not find all of it: install libopenmpi-dev and openmpi-bin "
        "(Debian, Ubuntu)" + (" and libnccl-dev" if kind == "cuda" else ""),
    )


def run(chosen: Sequence[Chapter], where: Backend, gpus: int, options: list[str]) -> int:
    """Builds and runs them, one after the other; the largest exit code."""
    build = Build(where).prepare("multi_gpu")
    require(chosen, build)
    goals = [goal(chapter, where.preset) for chapter in chosen]
    build.make(goals)
    codes = []
    with launcher(gpus) as (words, environment):
        for name in goals:
            print()
            codes.append(
                programs.run(words[0], *words[1:], str(build.program(name)), *options, environment=environment)
            )
    return max(codes)


@contextlib.contextmanager
def launcher(ranks: int) -> Iterator[tuple[list[str], dict[str, str]]]:
    """The words before a program that start it `ranks` times, and what its environment needs.

    They are valid for one run at a time. Their launcher keeps its files in a separate folder: otherwise two runs of
    Open MPI would share /tmp/ompi.HOST.UID, and one that ends would remove it while the other starts.
    """
    mpirun = shutil.which("mpirun") or shutil.which("mpiexec")
    if mpirun is None:
        raise Refused(MISSING, f"{OPTION} needs mpirun, and it was not found: install openmpi-bin (Debian, Ubuntu)")
    words = [mpirun, "-n", str(ranks)]
    environment = {"TUTORIAL_CPU_WORKERS": str(max(1, processors() // ranks))}
    version = subprocess.run([mpirun, "--version"], capture_output=True, text=True, check=False).stdout
    if "Open MPI" in version or "OpenRTE" in version:
        # If ranks were bound to cores, as Open MPI does for two, a rank's threads would share one core, as would all
        # simultaneous runs.
        words += ["--oversubscribe", "--bind-to", "none", "-q"]
        if os.getuid() == 0:  # in a container whose only user is root
            environment |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    folder = tempfile.mkdtemp(prefix="tutorial-mpi-")
    try:
        yield words, environment | {"TMPDIR": folder}
    finally:
        shutil.rmtree(folder, ignore_errors=True)  # a rank that is killed may still be writing
