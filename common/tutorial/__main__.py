"""python3 common/tutorial VERB …, or PYTHONPATH=common python3 -m tutorial VERB …"""

from __future__ import annotations

import os
import sys
from pathlib import Path

MIN_PYTHON = (3, 9)


def open_standard_streams() -> None:
    """A closed stream gets /dev/null; otherwise the next file that is opened would take its place.

    As standard output it is opened read-only, so that writing to it remains an error.
    """
    for descriptor, mode in ((0, os.O_RDONLY), (1, os.O_RDONLY), (2, os.O_WRONLY)):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, mode)  # takes the lowest free number: this one
            os.set_inheritable(descriptor, True)
    if sys.stdout is None:
        sys.stdout = os.fdopen(1, "w", closefd=False)
    if sys.stderr is None:
        sys.stderr = os.fdopen(2, "w", closefd=False)


def main() -> int:
    if sys.version_info < MIN_PYTHON:
        needed = ".".join(map(str, MIN_PYTHON))
        sys.stderr.write(f"tutorial: Python {needed} or later is needed; this is {sys.version.split()[0]}\n")
        return 3
    open_standard_streams()
    common = Path(__file__).resolve().parents[1]  # the package is common/tutorial
    # Nothing is written next to the sources. Without its bytecode, starting would take three times as long.
    sys.pycache_prefix, sys.dont_write_bytecode = str(common.parent / "build" / "python"), False
    sys.path[0] = str(common)
    from tutorial import cli

    return cli.main(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
