"""Runs what was built, and puts its exit code into words."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

MEANINGS = {
    0: "ok",
    1: "FAILED, a wrong result or a CUDA error (exit code 1)",
    2: "FAILED, a wrong option (exit code 2)",
    3: "FAILED, no usable GPU or too little memory (exit code 3)",
}


def run(program: Path | str, *arguments: str, environment: dict[str, str] | None = None) -> int:
    """Its exit code, as a shell would tell it: a signal is 128 and its number.

    `environment` adds to ours.
    """
    sys.stdout.flush()
    with subprocess.Popen([str(program), *arguments], env=os.environ | (environment or {})) as child:
        try:
            code = child.wait()
        except KeyboardInterrupt:  # the program got it, too, and ends by itself
            child.wait()
            raise
    return code if code >= 0 else 128 - code


def meaning(code: int) -> str:
    return MEANINGS.get(code, f"FAILED (exit code {code})")
