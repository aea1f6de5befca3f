"""A build folder: configured when necessary, then built.

CMake and Ninja know the sources and when they changed. What they do not know is looked up in
CMakeCache.txt each time: another compiler, a GPU that came or went, libdw, a folder that was moved.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TextIO

from . import lock, packages
from .backend import Backend, find_nvcc
from .progress import of_ninja_or_make, run_logged
from .errors import MISSING, WRONG, Refused
from .repository import ROOT, shown

MIN_CMAKE = (3, 22)
# Each of these has a special meaning somewhere in CMake, Ninja or the compilers.
FORBIDDEN = set(';"\\$`#*?[]<>|\n\t')


class Build:
    """The build folder of a backend; `prepare` makes it ready."""

    def __init__(self, backend: Backend, out: TextIO | None = None):
        self.backend = backend
        self.folder = backend.folder
        self.out = out or sys.stdout  # for messages; explain keeps stdout for what chapters print

    # ---- What it is

    def cache(self) -> dict[str, str]:
        """CMakeCache.txt; empty if there is none."""
        try:
            text = (self.folder / "CMakeCache.txt").read_text(encoding="utf-8", errors="replace")
        except FileNotFoundError:
            return {}
        return dict(re.findall(r"^([A-Za-z_][^:=\n]*):[A-Z]+=(.*)$", text, re.MULTILINE))

    def has_lab(self) -> bool:
        return self.cache().get("TUTORIAL_LAB") == "ON"

    def kind(self) -> str:
        """The kind of program to run for chapters: cuda, lab (the emulator with counting) or cpu."""
        return "lab" if self.backend.preset == "cpu" and self.has_lab() else self.backend.preset

    def program(self, name: str) -> Path:
        return self.folder / "bin" / name

    # ---- Configuring

    def prepare(self, verb: str) -> Build:
        """Installs what is missing for this verb, and configures if necessary."""
        odd = sorted(FORBIDDEN.intersection(str(ROOT)))
        if odd:
            raise Refused(
                MISSING,
                f"the tutorial's folder has {' '.join(map(repr, odd))} in its path, which CMake or Ninja cannot "
                f"handle; move it: {str(ROOT)!r}",
            )
        with lock.held(self.folder, self.out):
            self._configure(verb)
        if self.backend.preset == "cpu" and not self.has_lab():
            print(f"Without the lab: no memory counts, no explain, no faults: {self._why_no_lab()}", file=self.out)
        return self

    def _configure(self, verb: str) -> None:
        cache = self.cache()
        why = self._why_anew(cache)
        if why:
            if cache:
                print(f"{shown(self.folder)} is built from scratch: {why}.", file=self.out, flush=True)
            shutil.rmtree(self.folder, ignore_errors=True)
        elif not self._has_changed(cache, verb):
            return
        packages.install_missing(self.backend.preset, verb, self.out)
        _require_cmake()
        self.folder.mkdir(parents=True, exist_ok=True)
        command = ["cmake", "--preset", self.backend.preset, f"-DTUTORIAL_SEEN_GPU={self.backend.gpu}"]
        if not self.cache() and shutil.which("ninja"):
            command += ["-G", "Ninja"]
        log = self.folder / "configure.log"
        # cmake --preset looks for its presets in the current folder.
        failed = run_logged(command, log, f"Configuring {shown(self.folder)}", out=self.out, folder=ROOT)
        text = log.read_text(encoding="utf-8", errors="replace")
        if failed:
            print(errors_of(text), file=sys.stderr)
            raise Refused(MISSING, f"CMake failed; all of its output is in {shown(log)}")

    def _why_anew(self, cache: dict[str, str]) -> str:
        """Why an existing folder can no longer be used; empty if it can, or if there is none."""
        if not cache:
            return ""
        if (
            Path(cache.get("CMAKE_HOME_DIRECTORY", "")) != ROOT
            or Path(cache.get("CMAKE_CACHEFILE_DIR", "")) != self.folder
        ):
            return "the tutorial's folder was moved or copied"
        languages = {"CMAKE_CXX_COMPILER": os.environ.get("CXX")}
        if self.backend.is_gpu:
            languages["CMAKE_CUDA_COMPILER"] = os.environ.get("CUDACXX")
        for variable, asked in languages.items():
            had = cache.get(variable, "")
            if had and not os.access(had, os.X_OK):
                return f"its compiler {had} no longer exists"
            if had and asked and _real(asked.split()[0]) != _real(had):
                return f"it was made by {had}, but you asked for {asked}"
        make = cache.get("CMAKE_MAKE_PROGRAM", "")
        if make and not os.access(make, os.X_OK):
            return f"{make} no longer exists"
        return ""

    def _has_changed(self, cache: dict[str, str], verb: str) -> bool:
        """Has anything changed that CMake does not check by itself?"""
        rules = "build.ninja" if cache.get("CMAKE_GENERATOR") == "Ninja" else "Makefile"
        if not (self.folder / rules).is_file():
            return True
        if self.backend.is_gpu and (find_nvcc() is None or cache.get("TUTORIAL_SEEN_GPU", "") != self.backend.gpu):
            return True
        if cache.get("TUTORIAL_LAB") != "ON" and packages.lab_is_possible():
            # Checked repeatedly only if nothing else tells.
            if not packages.missing_for_lab() or verb in ("explain", "check", "grade", "site"):
                return True
        if verb == "test" and self.skipped_targets():
            return True  # it may be there by now
        if verb == "multi_gpu" and self.backend.preset not in cache.get("TUTORIAL_MULTI_GPU", "").split(";"):
            return True
        return verb == "grade" and shutil.which("bwrap") is None

    def skipped_targets(self) -> list[str]:
        """One line per thing that could not be built; common/cmake/skipped_targets.cmake writes them."""
        try:
            return (self.folder / "skipped_targets.txt").read_text(encoding="utf-8").splitlines()
        except FileNotFoundError:
            return []

    def _why_no_lab(self) -> str:
        if not packages.lab_is_possible():
            return f"it needs {packages.needs_of_lab()}."
        needed = packages.missing_for_lab()
        if not needed:
            return f"{shown(self.folder / 'configure.log')} says why."
        names = " and ".join(thing.name for thing in needed)
        return f"missing: {names}. To install:\n{packages.how_to_install(packages.Missing(needed, []))}"

    # ---- Building

    def make(self, goals: list[str]) -> None:
        """Builds CMake's targets; everything without one."""
        log = self.folder / "build.log"
        command = ["cmake", "--build", str(self.folder), "--parallel", str(processors())]
        for goal in goals:
            command += ["--target", goal]
        with lock.held(self.folder, self.out):
            what = f"Building {' '.join(goals) or 'everything'}"
            failed = run_logged(command, log, what, parse=of_ninja_or_make, out=self.out)
            if not failed:
                return
            print(errors_of(log.read_text(encoding="utf-8", errors="replace")), file=sys.stderr)
        raise Refused(WRONG, f"the build failed; all of its output is in {shown(log)}")


def processors() -> int:
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on macOS
        return os.cpu_count() or 2


def errors_of(log: str) -> str:
    """The lines that matter, each with the four after it; if there are none, the end."""
    lines = log.splitlines()
    wanted: set[int] = set()
    for number, line in enumerate(lines):
        if re.search(r"(^|[^a-z_])(error|fatal)( #\d+)?:|CMake Error|undefined reference|FAILED:", line, re.IGNORECASE):
            if "Werror" not in line:
                wanted.update(range(number, number + 5))
    chosen = [f"{number + 1}:{lines[number]}" for number in sorted(wanted) if number < len(lines)]
    return "\n".join(chosen[:40] or lines[-30:])


def _require_cmake() -> None:
    text = subprocess.run(["cmake", "--version"], capture_output=True, text=True, check=False).stdout
    version = re.search(r"(\d+)\.(\d+)", text)
    if version and (int(version.group(1)), int(version.group(2))) < MIN_CMAKE:
        raise Refused(
            MISSING,
            f"CMake {'.'.join(map(str, MIN_CMAKE))} or later is needed; this is {text.splitlines()[0]}: "
            "python3 -m pip install cmake, or https://cmake.org/download",
        )


def _real(program: str) -> str:
    return os.path.realpath(shutil.which(program) or program)
