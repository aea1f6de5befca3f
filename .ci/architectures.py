#!/usr/bin/env python3
"""Compiles the device code of every chapter for GPU architectures, without a GPU; a warning is an error.

  .ci/architectures.py                    all of them: 75 80 86 89 90 100 120
  .ci/architectures.py 75 120             these
  .ci/architectures.py --in-turn          one of them a day, for half the programs: in two weeks all have had their
                                          turn. And what the last ten commits have changed, for the same one
  .ci/architectures.py --record           also writes what was found to docs/results/devices.csv

Prints the kernels whose registers did not suffice ("spills": values that move to local memory, as ptxas
reports them). Exit code: 0 all compile, 1 an error or a warning, 2 a wrong option, 3 nvcc is missing or does
not work.
"""

from __future__ import annotations

import argparse
import datetime
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

sys.dont_write_bytecode = True
ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "docs" / "tools"))
sys.path.insert(0, str(ROOT / "common"))

from building.turn import changed_files, todays_part  # noqa: E402
from device_results import Result, record  # noqa: E402

ARCHITECTURES = ("75", "80", "86", "89", "90", "100", "120")


@dataclass(frozen=True)
class Spill:
    kernel: str
    store_bytes: int
    load_bytes: int
    stack_bytes: int


@dataclass
class Compiled:
    """What the compiler reported for one program's files for one architecture."""

    ok: bool = True
    warnings: list[str] = field(default_factory=list)
    kernels: int = 0
    spills: list[Spill] = field(default_factory=list)
    log: str = ""
    seconds: float = 0.0


def programs(root: Path = ROOT) -> dict[str, list[Path]]:
    """The files with device code, by the name that the results give them."""
    found = {main.parent.name: [main] for main in sorted(root.glob("ch[0-9][0-9]_*/main.cu"))}
    found["harness"] = sorted((root / "common" / "harness").glob("*.cu"))
    found["first_kernel"] = sorted((root / "docs" / "first_kernel").glob("*.cu"))
    return {name: files for name, files in found.items() if files}


def read_log(log: str) -> Compiled:
    """What `nvcc -Xptxas -v` printed: warnings, kernels, spills."""
    result = Compiled(log=log)
    result.warnings = [line for line in log.splitlines() if re.search(r"\bwarning\b", line)]
    kernel = ""
    for line in log.splitlines():
        if match := re.search(r"Compiling entry function '(\w+)'", line):
            kernel = match.group(1)
            result.kernels += 1
        elif match := re.search(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads", line):
            stack, stores, loads = map(int, match.groups())
            if stores or loads:
                result.spills.append(Spill(kernel, stores, loads, stack))
    return result


def compile_for(nvcc: str, architecture: str, files: list[Path], options: list[str]) -> Compiled:
    """Compiles each file to a cubin and throws that away."""
    started = time.monotonic()
    logs, ok = [], True
    with tempfile.TemporaryDirectory() as folder:
        for file in files:
            command = [nvcc, "-std=c++17", "-O3", f"-arch=sm_{architecture}", "-Xptxas", "-v", f"-I{ROOT}", *options]
            command += ["-cubin", str(file.relative_to(ROOT)), "-o", f"{folder}/{file.stem}.cubin"]
            done = subprocess.run(
                command, cwd=ROOT, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False
            )
            logs.append(done.stdout)
            ok = ok and done.returncode == 0
    result = read_log("".join(logs))
    result.ok = ok
    result.seconds = time.monotonic() - started
    return result


def plain_names(mangled: list[str]) -> list[str]:
    """The kernels' names as in the source, if a tool can tell them."""
    tool = shutil.which("cu++filt") or shutil.which("c++filt")
    if not tool or not mangled:
        return mangled
    done = subprocess.run([tool], input="\n".join(mangled), text=True, stdout=subprocess.PIPE, check=True)
    names = [line.replace("(anonymous namespace)::", "") for line in done.stdout.splitlines()]
    return [re.sub(r"\((?:[^()]|\([^()]*\))*\)$", "", name).removeprefix("void ") for name in names]


def find_nvcc(wanted: str | None) -> str:
    """The compiler's path; empty if it is not there."""
    names = (wanted,) if wanted else ("nvcc", "/usr/local/cuda/bin/nvcc", "/opt/cuda/bin/nvcc")
    found = [shutil.which(name) for name in names]
    return next((path for path in found if path), "")


def version_of(nvcc: str) -> str:
    text = subprocess.run([nvcc, "--version"], text=True, stdout=subprocess.PIPE, check=True).stdout
    match = re.search(r"release (\d+\.\d+)", text)
    return match.group(1) if match else "?"


def why_it_fails(nvcc: str, options: list[str]) -> str:
    """What nvcc says about an empty file, for example that it finds no host compiler; empty if all is well."""
    with tempfile.TemporaryDirectory() as folder:
        empty = Path(folder, "empty.cu")
        empty.touch()
        command = [nvcc, *options, "-E", str(empty), "-o", os.devnull]
        done = subprocess.run(
            command, cwd=ROOT, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False
        )
    return "; ".join(done.stdout.strip().splitlines()) or "no word of why" if done.returncode else ""


def known_to(nvcc: str) -> set[str]:
    done = subprocess.run([nvcc, "--list-gpu-code"], text=True, stdout=subprocess.PIPE, check=True)
    return set(re.findall(r"sm_(\d+)\b", done.stdout))


def in_turn(tasks: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Today's: for one architecture half the programs, and those that the last commits have changed."""
    folders = {name: f"{files[0].parent.relative_to(ROOT)}/" for name, files in programs().items()}
    changed = {name for name, folder in folders.items() if any(file.startswith(folder) for file in changed_files())}
    architectures = list(dict.fromkeys(a for a, _ in tasks))
    today = todays_part(architectures, len(architectures))
    part = todays_part(tasks, 2 * len(architectures))
    return [(a, name) for a, name in tasks if (a, name) in part or (a in today and name in changed)]


def arguments_of(words: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("architectures", nargs="*", metavar="ARCHITECTURE", help="such as 75 for capability 7.5")
    parser.add_argument("--in-turn", action="store_true", help="today's one, for half the programs")
    parser.add_argument("--only", nargs="+", metavar="PROGRAM", help="such as ch05_merge_bitonic")
    parser.add_argument("--nvcc", help="the compiler, if not the one on PATH")
    parser.add_argument("--option", action="append", default=[], metavar="WORD", help="one more for nvcc")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="compilers at a time")
    parser.add_argument("--record", action="store_true", help="write docs/results/devices.csv")
    parser.add_argument("--note", default="", help="recorded with each result, such as the host compiler")
    parsed = parser.parse_args(words)
    wrong = [a for a in parsed.architectures if a not in ARCHITECTURES]
    if wrong:
        parser.error(f"'{wrong[0]}' is not an architecture here; there are {', '.join(ARCHITECTURES)}")
    unknown = [name for name in parsed.only or [] if name not in programs()]
    if unknown:
        parser.error(f"'{unknown[0]}' is not a program here; there are {', '.join(programs())}")
    return parsed


def main() -> int:
    arguments = arguments_of(sys.argv[1:])
    nvcc = find_nvcc(arguments.nvcc)
    if not nvcc:
        print("architectures: nvcc was not found; name it with --nvcc", file=sys.stderr)
        return 3
    if reason := why_it_fails(nvcc, arguments.option):
        print(f"architectures: {nvcc} does not work: {reason}", file=sys.stderr)
        return 3
    toolkit = version_of(nvcc)
    chosen = arguments.architectures or list(ARCHITECTURES)
    known = known_to(nvcc)
    for architecture in chosen:
        if architecture not in known:
            print(f"{architecture}: CUDA {toolkit} does not know it")
    # The longest first, so that the cores end together.
    parts = {name: files for name, files in programs().items() if not arguments.only or name in arguments.only}
    tasks = [(a, name) for name in sorted(parts, reverse=True) for a in chosen]
    if arguments.in_turn:
        tasks = in_turn(tasks)
    tasks = [(a, name) for a, name in tasks if a in known]
    if not tasks:
        print(f"architectures: CUDA {toolkit} knows none of those", file=sys.stderr)
        return 3
    failed = False
    results = []
    with ThreadPoolExecutor(max_workers=max(1, arguments.jobs)) as pool:
        compiled = pool.map(lambda task: compile_for(nvcc, task[0], parts[task[1]], arguments.option), tasks)
        for (architecture, name), result in zip(tasks, compiled):
            good = result.ok and not result.warnings
            failed = failed or not good
            state = "ok" if good else "WARNINGS" if result.ok else "FAILED"
            print(
                f"sm_{architecture}  {name:22}  {state}  {result.kernels} kernels, {len(result.spills)} spill,"
                f" {result.seconds:.0f} s",
                flush=True,
            )
            for kernel, spill in zip(plain_names([s.kernel for s in result.spills]), result.spills):
                print(f"    {kernel}: {spill.store_bytes} bytes stored, {spill.load_bytes} loaded")
            if not result.ok:
                print(result.log[-4000:])
            elif result.warnings:
                print("\n".join(result.warnings))
            results.append(
                Result(
                    date=datetime.date.today().isoformat(),
                    what="compile",
                    toolkit=f"CUDA {toolkit}",
                    architecture=architecture,
                    program=name,
                    result="ok" if good else "failed",
                    kernels=str(result.kernels),
                    spilling=str(len(result.spills)),
                    spilled_bytes=str(sum(s.store_bytes for s in result.spills)),
                    note=arguments.note,
                )
            )
    if arguments.record:
        record(results)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
