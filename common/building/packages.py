"""Which programs and libraries are missing, and how they are installed. The names are in packages.txt."""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from .progress import run_logged
from .errors import MISSING, Refused
from .repository import BUILD, ROOT, shown

TABLE = Path(__file__).with_name("packages.txt")
OPTIONS = ROOT / "common/cmake/options.cmake"
COMMANDS = {
    "apt": "sudo apt-get install",
    "dnf": "sudo dnf install",
    "pacman": "sudo pacman -S",
    "brew": "brew install",
}
HEADERS = {
    "boost": "boost/context/fiber.hpp",
    "fmt": "fmt/format.h",
    "cli11": "CLI/CLI.hpp",
    "doctest": "doctest/doctest.h",
    "libdw": "elfutils/libdwfl.h",
}
PROGRAMS = {
    "cmake": ("cmake",),
    "ninja": ("ninja", "make"),
    "bubblewrap": ("bwrap",),
    "mpirun": ("mpirun", "mpiexec"),
    "mpi": ("mpicxx",),
    "node": ("node",),
    "npm": ("npm",),
}
LIBRARIES = {"boost": "boost_context", "libdw": "dw"}  # libraries to link with


@dataclass(frozen=True)
class Thing:
    """A line of the table."""

    name: str
    used_for: str
    packages: dict[str, str]  # by manager


@dataclass(frozen=True)
class Missing:
    needed: list[Thing]  # nothing works without it
    wanted: list[Thing]  # CMake can fetch it, or something is left out

    def __bool__(self) -> bool:
        return bool(self.needed or self.wanted)

    def packages(self, manager: str) -> list[str]:
        names = [thing.packages[manager] for thing in (*self.needed, *self.wanted)]
        numbered = [name.replace("GCC", _gcc_version()) if "GCC" in name else name for name in names]
        numbered = [name.replace("CLANG", str(clang_version())) for name in numbered]
        return [name for name in numbered if name != "-" and "--" not in name]


def table() -> list[Thing]:
    columns: list[str] = []
    things = []
    for line in TABLE.read_text(encoding="utf-8").splitlines():
        words = line.lstrip("#").split()
        if line.startswith("# thing"):
            columns = words[2:]
        elif words and not line.startswith("#"):
            things.append(Thing(words[0], words[1], dict(zip(columns, words[2:]))))
    return things


def compiler() -> str:
    return os.environ.get("CXX") or "c++"


def _preprocessed(lines: list[str]) -> list[str] | None:
    """The preprocessor's output for them; None if the compiler does not work."""
    try:
        run = subprocess.run(
            [*compiler().split(), "-std=c++17", "-E", "-P", "-x", "c++", "-"],
            input="\n".join(lines) + "\n",
            capture_output=True,
            text=True,
            check=False,
        )
    except OSError:
        return None
    return run.stdout.split() if run.returncode == 0 else None


def _links(library: str) -> bool:
    run = subprocess.run(
        [*compiler().split(), "-x", "c++", "-", f"-l{library}", "-o", os.devnull],
        input="int main() {}\n",
        capture_output=True,
        text=True,
        check=False,
    )
    return run.returncode == 0


def clang_version() -> int:
    """The number of the compiler if it is clang; 0 for any other compiler, or for one that does not work."""
    words = _preprocessed(["#ifdef __clang__", "__clang_major__", "#endif"])
    return int(words[0]) if words else 0


def lab_is_possible() -> bool:
    """The lab needs Linux, and g++ or a clang with which it was tried."""
    return platform.system() == "Linux" and clang_version() in (0, *clangs_of_lab())


def clangs_of_lab() -> list[int]:
    found = re.search(r"^set\(TUTORIAL_CLANGS_OF_LAB ([\d ]+)\)", OPTIONS.read_text(encoding="utf-8"), re.MULTILINE)
    assert found, OPTIONS
    return [int(number) for number in found.group(1).split()]


def needs_of_lab() -> str:
    clangs = ", ".join(map(str, clangs_of_lab()))
    return f"g++ or clang {clangs} on Linux, and libdw (libdw-dev, elfutils-devel, libelf)"


def missing_for_lab() -> list[Thing]:
    """The things that the lab needs."""
    there = _there()
    names = ("libdw", "llvm") if clang_version() else ("libdw",)
    return [thing for thing in table() if thing.name in names and thing.name not in there]


def _has_plugin_headers() -> bool:
    """The headers of the compiler in use: the lab builds a plugin for it."""
    command = [*compiler().split(), "-print-file-name=plugin"]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    return (Path(run.stdout.strip()) / "include" / "gcc-plugin.h").is_file()


def _has_llvm_headers() -> bool:
    """The headers next to this clang, as common/cmake/lab.cmake looks for them."""
    program = shutil.which(compiler().split()[0])
    return program is not None and (Path(program).resolve().parent / "../include/llvm/Passes/PassPlugin.h").is_file()


def _gcc_version() -> str:
    """The number in the names of apt's packages: the compiler's, or that of the clang for this g++."""
    if shutil.which(compiler().split()[0]):
        run = subprocess.run([*compiler().split(), "-dumpversion"], capture_output=True, text=True, check=False)
        return run.stdout.strip().partition(".")[0]
    if not shutil.which("apt-cache"):
        return ""
    run = subprocess.run(["apt-cache", "depends", "g++"], capture_output=True, text=True, check=False)
    found = re.search(r"Depends: g\+\+-(\d+)", run.stdout)
    return found.group(1) if found else ""


def _there() -> set[str]:
    """The things of the table that are installed. Without a compiler no library counts: all are installed at once."""
    there = {"python"}
    for thing, programs in PROGRAMS.items():
        if any(shutil.which(program) for program in programs):
            there.add(thing)
    lines: list[str] = []
    for thing, header in HEADERS.items():
        lines += [f"#if __has_include(<{header}>)", f"has_{thing}", "#endif"]
    words = _preprocessed(lines)
    if words is None:
        return there
    there.add("compiler")
    if _has_plugin_headers():
        there.add("plugin")
    if _has_llvm_headers():
        there.add("llvm")
    for thing in HEADERS:
        if f"has_{thing}" in words and (thing not in LIBRARIES or _links(LIBRARIES[thing])):
            there.add(thing)
    return there


def find_missing(preset: str, verb: str) -> Missing:
    """What is missing to do `verb` with the backend `preset`."""
    there = _there()
    grades = verb in ("check", "grade")
    missing = Missing([], [])
    lab = ("lab", "clang" if clang_version() else "gcc")
    for thing in table():
        if thing.name in there:
            continue
        if thing.used_for == "all":
            missing.needed.append(thing)
        elif thing.used_for == "cpu" and preset == "cpu":
            missing.needed.append(thing)
        elif thing.used_for == "cpu" and grades:  # on a GPU it grades without it, but checks less
            missing.wanted.append(thing)
        elif thing.used_for in ("multi_gpu", "site") and thing.used_for == verb:
            missing.needed.append(thing)
        elif thing.used_for == "download":
            missing.wanted.append(thing)
        elif thing.used_for in lab and (preset == "cpu" or grades) and lab_is_possible():
            (missing.needed if verb in ("explain", "site") else missing.wanted).append(thing)
        elif thing.used_for == "grade" and verb == "grade" and platform.system() == "Linux":
            missing.wanted.append(thing)
    return missing


def how_to_install(missing: Missing) -> str:
    """A line for this machine's package manager; one for each if it has none that we know."""
    known = {"apt": "apt-get", "dnf": "dnf", "pacman": "pacman", "brew": "brew"}
    here = next((manager for manager, program in known.items() if shutil.which(program)), None)
    managers = [here] if here else list(known)
    return "\n".join(f"    {COMMANDS[m]} {' '.join(missing.packages(m))}" for m in managers)


def _apt(missing: Missing, log: Path, out: TextIO) -> None:
    as_root = []
    if os.getuid() != 0:
        as_root = ["sudo"] if sys.stdin is not None and sys.stdin.isatty() else ["sudo", "-n"]
    if os.environ.get("TUTORIAL_NO_INSTALL") or not shutil.which("apt-get") or not all(map(shutil.which, as_root[:1])):
        return
    names = missing.packages("apt")
    print(
        f"Installing with apt-get, because the build needs them: {' '.join(names)} (log: {shown(log)})",
        file=out,
        flush=True,
    )
    if as_root == ["sudo"]:  # asks for the password here, where the prompt is visible
        subprocess.run(["sudo", "-v"], check=False)
    # After a failed update the list may still be good enough: the install decides.
    run_logged([*as_root, "apt-get", "update"], log, "Installing: updating the package lists", out=out)
    install = ["env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-o", "DPkg::Lock::Timeout=600", "install"]
    run_logged(
        [*as_root, *install, "-y", "--no-install-recommends", *names],
        log,
        f"Installing {len(names)} packages",
        parse=lambda line: line.strip() if line.startswith(("Get:", "Unpacking", "Setting up")) else "",
        out=out,
        add=True,
    )


def install_missing(preset: str, verb: str, out: TextIO) -> None:
    """Installs what is missing if allowed; Refused if something is still needed afterwards."""
    missing = find_missing(preset, verb)
    if not missing:
        return
    BUILD.mkdir(exist_ok=True)
    _apt(missing, BUILD / "setup.log", out)
    missing = find_missing(preset, verb)
    if missing.needed:
        names = " ".join(thing.name for thing in missing.needed)
        raise Refused(
            MISSING,
            f"these are missing: {names}. Install them, then run the same command again:\n{how_to_install(missing)}",
        )
    if missing.wanted:
        names = " ".join(thing.name for thing in missing.wanted)
        print(
            f"Not installed: {names}; CMake downloads what it can into build/{preset}; "
            f"without libdw, boost or clang's llvm the lab is left out. To install them:\n{how_to_install(missing)}",
            file=out,
            flush=True,
        )
