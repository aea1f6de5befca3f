#!/usr/bin/env python3
"""python3 common/grading/tool check | grade | map | verify …: the grading tool from the command line."""

from __future__ import annotations

import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path[0] = str(Path(__file__).resolve().parents[2])  # common/: the package is grading.tool


def main() -> int:
    from grading.tool import check, grade, learning_map, verify_exercises

    verbs = {"check": check.main, "grade": grade.main, "map": learning_map.main, "verify": verify_exercises.main}
    verb = sys.argv[1] if len(sys.argv) > 1 else ""
    if verb not in verbs:
        print(f"grading: the first word is '{verb}'; it must be check, grade, map or verify", file=sys.stderr)
        return 2
    del sys.argv[1]
    return verbs[verb]()


if __name__ == "__main__":
    sys.exit(main())
