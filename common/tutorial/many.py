"""Programs for several GPUs: one process each, started by mpirun."""

from __future__ import annotations

import os
import shutil
import subprocess

from . import programs, targets
from .backend import Backend
from .build import Build, processors
from .refused import MISSING, USAGE, Refused
from .targets import Target

OPTION = "--gpus"
MOST = 4096


def take(options: list[str]) -> int | None:
    """Takes `--gpus N` out of the options; None where it is not there."""
    for place, word in enumerate(options):
        if word != OPTION and not word.startswith(OPTION + "="):
            continue
        value = word.partition("=")[2] if "=" in word else "".join(options[place + 1 : place + 2])
        del options[place : place + (1 if "=" in word else 2)]
        if not value.isdigit() or not 1 <= int(value) <= MOST:
            raise Refused(USAGE, f"{OPTION} '{value}' is not a number of GPUs; it must be 1 to {MOST}")
        return int(value)
    return None


def chapters() -> list[Target]:
    """Those that have a version for several GPUs."""
    return [chapter for chapter in targets.chapters() if (chapter.folder / "many.cu").is_file()]


def run(chosen: list[Target], where: Backend, gpus: int, options: list[str]) -> int:
    """Builds and runs them, one after the other; the largest exit code."""
    there = chapters()
    for target in chosen:
        if target not in there:
            names = " ".join(chapter.name for chapter in there)
            raise Refused(USAGE, f"{target.name} has no version for several GPUs; there are: {names}")
    build = Build(where).prepare("many")
    require_built(build, where.preset)
    goals = [f"{target.name}_many_{where.preset}" for target in chosen]
    build.make(goals)
    words, environment = launcher(gpus)
    codes = []
    for goal in goals:
        print()
        codes.append(programs.run(words[0], *words[1:], str(build.program(goal)), *options, environment=environment))
    return max(codes)


def require_built(build: Build, kind: str) -> None:
    """Refused where CMake left the programs for several GPUs out."""
    if kind in build.cache().get("TUTORIAL_MANY", "").split(";"):
        return
    what = "MPI" if kind == "cpu" else "MPI and NCCL"
    raise Refused(
        MISSING,
        f"{OPTION} needs {what}, and CMake did not find all of it: install libopenmpi-dev and openmpi-bin "
        "(Debian, Ubuntu)" + (" and libnccl-dev" if kind == "cuda" else ""),
    )


def launcher(ranks: int) -> tuple[list[str], dict[str, str]]:
    """The words before a program that start it `ranks` times, and what its environment needs."""
    mpirun = shutil.which("mpirun") or shutil.which("mpiexec")
    if mpirun is None:
        raise Refused(MISSING, f"{OPTION} needs mpirun, and it was not found: install openmpi-bin (Debian, Ubuntu)")
    words = [mpirun, "-n", str(ranks)]
    environment = {"TUTORIAL_CPU_WORKERS": str(max(1, processors() // ranks))}
    version = subprocess.run([mpirun, "--version"], capture_output=True, text=True, check=False).stdout
    if "Open MPI" in version or "OpenRTE" in version:
        words += ["--oversubscribe", "-q"]
        if os.getuid() == 0:  # in a container, where there is nobody else
            environment |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    return words, environment
