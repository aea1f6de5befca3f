"""The way to common/grading, which check and grade share."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from . import backend, programs
from .build import Build
from .repository import ROOT

TOOL = ROOT / "common" / "grading"
NEEDS_NO_BUILD = 10  # its exit code to --needs-build: what was asked for is right, and needs no build


def run(verb: str, words: list[str]) -> int:
    asked = None
    for word in words:
        if word in ("--cpu", "--gpu"):
            asked = word[2:]
    # Names of exercises, folders, options of their own: the tool reads them. Paths are relative to
    # where the user stands.
    options = [word for word in words if word not in ("--cpu", "--gpu")] + ["--from", str(Path.cwd())]
    command = [sys.executable, "-B", str(TOOL), verb, *options]
    # First what was asked for: nothing is installed and built for a misspelt name, or for a hint.
    code = programs.run(*command, "--needs-build")
    if code == NEEDS_NO_BUILD:
        return _become(command)
    if code:
        return code
    where = backend.choose(asked)
    print(where.why, flush=True)
    build = Build(where).prepare(verb)
    command += ["--build", str(build.folder)]
    if asked == "cpu":
        command.append("--no-gpu")
    return _become(command)


def run_without_build(verb: str, words: list[str]) -> int:
    """A verb of the tool that needs nothing built."""
    return _become([sys.executable, "-B", str(TOOL), verb, *words])


def _become(command: list[str]) -> int:
    """The tool takes this process's place: Ctrl-C and exit codes are its own."""
    sys.stdout.flush()
    sys.stderr.flush()
    os.chdir(ROOT)
    os.execv(command[0], command)
