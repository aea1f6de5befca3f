#!/usr/bin/env python3
"""Builds all chapters on a machine with a GPU, runs them and their tests, and records what passed.

  .ci/gpu.py native        for the GPU that is there
  .ci/gpu.py 75 80         for PTX of compute capability 7.5, then 8.0: the driver compiles it again for the GPU
                           that is there, which thus runs the code that an older GPU would get
  .ci/gpu.py sanitizer     each chapter under compute-sanitizer (memcheck, racecheck, initcheck, synccheck): every
                           stage at n = 5003, and each line of options of [sanitizer] in the chapter's runs.txt

Each program is one row of docs/results/devices.csv. Exit code: 0 all right, 1 something failed, 2 a wrong
option, 3 there is no GPU or no nvcc.
"""

from __future__ import annotations

import argparse
import datetime
import os
import shutil
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.dont_write_bytecode = True
ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "docs" / "tools"), str(ROOT / "common")]

from device_results import Result, record  # noqa: E402
from tutorial import runs  # noqa: E402

CHAPTERS = sorted(path.parent.name for path in ROOT.glob("ch[0-9][0-9]_*/main.cu"))
SANITIZER_LINE = "--n 5003"  # every access is checked, which takes thousands of times as long; so once each, untimed
TOOLS = ("memcheck", "racecheck", "initcheck", "synccheck")


def output_of(command: list[str]) -> str:
    """What the command prints; empty if it cannot be run."""
    try:
        return subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return ""


def gpu() -> tuple[str, str]:
    """Name and compute capability ("90") of the first GPU; empty if none is seen."""
    lines = output_of(["nvidia-smi", "--query-gpu=name,compute_cap", "--format=csv,noheader"]).splitlines()
    if not lines:
        return "", ""
    name, capability = (part.strip() for part in lines[0].split(","))
    return name, capability.replace(".", "")


def nvcc() -> str:
    found = (shutil.which(name) for name in ("nvcc", "/usr/local/cuda/bin/nvcc", "/opt/cuda/bin/nvcc"))
    return next((path for path in found if path), "")


def toolkit(compiler: str) -> str:
    text = output_of([compiler, "--version"])
    return "CUDA " + text.split("release ")[1].split(",")[0] if "release " in text else "CUDA ?"


def build(compiler: str, architectures: str, jobs: int, chapters: list[str]) -> Path:
    """The folder with the chapters' programs, built for these architectures as CMake names them."""
    folder = ROOT / "build" / f"gpu_{architectures.replace('-', '_')}"
    subprocess.run(
        ["cmake", "-S", str(ROOT), "-B", str(folder), "-DTUTORIAL_CUDA=ON", "-DTUTORIAL_CPU=OFF"]
        + ["-DCMAKE_BUILD_TYPE=Release", f"-DCMAKE_CUDA_COMPILER={compiler}"]
        + [f"-DCMAKE_CUDA_ARCHITECTURES={architectures}"],
        check=True,
    )
    targets = [*chapters, "harness_cuda_tests"]
    subprocess.run(["cmake", "--build", str(folder), "-j", str(jobs), "--target", *targets], check=True)
    return folder / "bin"


def sanitizer_lines(chapter: str) -> list[list[str]]:
    """The options of each run under compute-sanitizer: all stages, then what needs other kernels or more blocks."""
    lines = runs.lines(ROOT / chapter, "sanitizer")
    if not lines:
        raise SystemExit(f"gpu: {chapter}/runs.txt has no line of options in [sanitizer]")
    return [SANITIZER_LINE.split(), *lines]


def passes(command: list[str], minutes: int) -> bool:
    print(" ".join(["$", *command]), flush=True)  # in one piece: several run at a time
    try:
        code = subprocess.run(command, cwd=ROOT, timeout=60 * minutes, check=False).returncode
        if code != 0:
            print(" ".join([f"exit code {code}:", *command]), file=sys.stderr, flush=True)
        return code == 0
    except subprocess.TimeoutExpired:
        print(f"ended after {minutes} minutes", file=sys.stderr)
        return False


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="+", choices=("native", "75", "80", "86", "89", "90", "sanitizer"))
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="compilers at a time")
    parser.add_argument("--minutes", type=int, default=8, help="that one program may take")
    parser.add_argument("--at-once", type=int, default=1, metavar="N", help="programs that run at a time; default 1")
    parser.add_argument("--chapter", action="append", choices=CHAPTERS, help="only this one; may be given again")
    parser.add_argument(
        "--build", type=Path, metavar="FOLDER", help="native, sanitizer: a build for this GPU, in place of a new one"
    )
    arguments = parser.parse_args()
    chapters = sorted(set(arguments.chapter or CHAPTERS))
    device, capability = gpu()
    compiler = nvcc()
    if not device or not compiler:
        print(f"gpu: there is no {'nvcc' if device else 'GPU that nvidia-smi sees'}", file=sys.stderr)
        return 3
    cuda = toolkit(compiler)
    results = []
    recording = threading.Lock()

    def note(what: str, architecture: str, program: str, good: bool, text: str = "") -> None:
        today = datetime.datetime.now(datetime.timezone.utc).date().isoformat()
        state = "ok" if good else "failed"
        with recording:
            results.append(Result(today, what, cuda, architecture, program, state, device, note=text))
            record(results)  # at once: the next program may hang
            print(f"== {what} {architecture} {program}: {state}", flush=True)

    def under_sanitizer(programs: Path, chapter: str, pool: ThreadPoolExecutor) -> None:
        lines = sanitizer_lines(chapter)
        program = [str(programs / f"{chapter}_cuda"), "--once"]
        started = [
            pool.submit(
                passes,
                ["compute-sanitizer", "--tool", tool, "--error-exitcode", "9", *program, *line],
                arguments.minutes,
            )
            for line in lines
            for tool in TOOLS
        ]
        passed = [each.result() for each in started]
        note("sanitizer", capability, chapter, all(passed), f"{', '.join(TOOLS)}; {len(lines)} lines of options")

    def tests_and_program(programs: Path, kind: str, architecture: str, name: str) -> None:
        commands = [[str(programs / f"{name}_cuda_tests")]]
        if name != "harness":
            commands.append([str(programs / f"{name}_cuda")])
        passed = [passes(command, arguments.minutes) for command in commands]
        note(kind, architecture, name, all(passed))

    for what in arguments.what:
        is_here = what in ("native", "sanitizer")
        if is_here and arguments.build:
            programs = arguments.build / "bin"
        else:
            programs = build(compiler, "native" if is_here else f"{what}-virtual", arguments.jobs, chapters)
        with ThreadPoolExecutor(max_workers=max(1, arguments.at_once)) as pool:
            if what == "sanitizer":
                for chapter in reversed(chapters):
                    under_sanitizer(programs, chapter, pool)
                continue
            kind, architecture = ("run", capability) if is_here else ("jit", what)
            # The programs that take longest first.
            names = [*reversed(chapters), "harness"]
            started = [pool.submit(tests_and_program, programs, kind, architecture, name) for name in names]
            for each in started:
                each.result()
    return 0 if all(result.result == "ok" for result in results) else 1


if __name__ == "__main__":
    sys.exit(main())
