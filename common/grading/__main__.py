#!/usr/bin/env python3
"""python3 common/grading check | grade | page | verify …: grading from the command line."""

from __future__ import annotations

import sys
from pathlib import Path

_COMMON = Path(__file__).resolve().parents[1]  # the packages are grading.check, grading.course …
# Nothing is written next to the sources. Without its bytecode, starting would take three times as long.
sys.pycache_prefix, sys.dont_write_bytecode = str(_COMMON.parent / "build" / "python"), False
sys.path[0] = str(_COMMON)


def main() -> int:
    verb = sys.argv.pop(1) if len(sys.argv) > 1 else ""
    words = sys.argv[1:]
    if verb == "check":
        from grading.check import check

        return check.main(words)
    if verb == "grade":
        from grading.course import grade

        return grade.main(words)
    if verb == "page":
        from grading.check import page

        return page.main()
    if verb == "verify":
        from grading.authoring import verify_exercises

        return verify_exercises.main()
    print(f"grading: the first word is '{verb}'; it must be check, grade, page or verify", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
