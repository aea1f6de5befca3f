"""Your own programs: any .cu files, in any folder, run on the GPU or the emulator, and explained."""

from __future__ import annotations

import os
import shlex
import sys

from building import backend, packages
from building.build import Build
from building.errors import MISSING, USAGE, Refused

from . import programs
from .own_build import OwnProgram
from .own_request import is_for_help, parse


def run(words: list[str]) -> int:
    if is_for_help(words):
        return 0
    request = parse(words, "run")
    where = backend.choose(request.backend)
    print(where.why, file=sys.stderr, flush=True)  # stdout is the program's
    build = Build(where, out=sys.stderr).prepare("run")
    return _run(OwnProgram(request, build, where.preset, sys.stderr))


def build_of_lab(asked: str | None, what: str = "explain") -> Build:
    """The build folder in which `what` finds the lab; `asked` is cpu, gpu or None. stdout stays the programs'."""
    if asked == "gpu":
        raise Refused(USAGE, "explain runs on the emulator; leave out --gpu")
    build = Build(backend.choose("cpu"), out=sys.stderr).prepare("explain")
    if not build.has_lab():
        raise Refused(MISSING, f"{what} needs {packages.needs_of_lab()}")
    return build


def explain(words: list[str]) -> int:
    if is_for_help(words):
        return 0
    request = parse(words, "explain")
    build = build_of_lab(request.backend)
    preset = "faults" if request.faults or request.trace else "count"
    return _run(OwnProgram(request, build, preset, sys.stderr))


def _run(own: OwnProgram) -> int:
    program = own.make()
    if own.request.order:
        os.environ["TUTORIAL_CPU_ORDER"] = own.request.order
    # May be left over from an earlier program in this shell: only what is requested now is written.
    for variable, file in ("TUTORIAL_COUNTS", own.request.json), ("TUTORIAL_TRACE", own.request.trace):
        os.environ.pop(variable, None)
        if file:
            os.environ[variable] = file
    code = programs.run(program, *own.request.arguments)
    if code.signal:
        command = shlex.join([own.request.sources[0].shown, *own.request.arguments])
        print(f"tutorial: {command} was ended by {_signal_name(code.signal)}", file=sys.stderr)
    if own.kind == "faults" and code == 0 and "uninitialized" in own.warnings:
        print(
            "tutorial: the compiler warns of a variable that may have no value (above): look at that first, "
            "for what stays in a register is not seen while the program runs",
            file=sys.stderr,
        )
    return code


def _signal_name(number: int) -> str:
    meanings = {
        4: "an instruction that does not exist",
        6: "itself (abort)",
        8: "an integer divided by zero",
        9: "SIGKILL",
        11: "an access to memory that does not exist (a segmentation fault)",
        15: "SIGTERM",
    }
    return meanings.get(number, f"signal {number}")
