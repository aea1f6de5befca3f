"""Tests that take too long for every run take turns: a part of them each day, and what was changed last.

    turn.py               as JSON, for other languages: {"turn": "20421", "changed": ["README.md", …]}
    turn.py part PARTS    today's part of the lines that it reads
    turn.py changed       the files that have changed, one a line
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

_ROOT = Path(__file__).resolve().parents[2]
_DAY = 24 * 3600
_COMMITS = 10
T = TypeVar("T")


def turn() -> str:
    """The number of this turn, or "all": TUTORIAL_TURN, or else the day."""
    return os.environ.get("TUTORIAL_TURN") or str(int(time.time()) // _DAY)


def todays_part(items: Sequence[T], parts: int, subjects: Sequence[str] = ()) -> list[T]:
    """Today's part of `items`; all of them if a file of these folders has changed, or one of these files. In
    `parts` turns every item comes up once."""
    wanted = turn()
    if (
        wanted == "all"
        or subjects
        and any(f"{file}/".startswith(f"{s}/") for file in changed_files() for s in subjects)
    ):
        return list(items)
    return [item for number, item in enumerate(items) if number % parts == int(wanted) % parts]


def _git(root: Path, *words: str) -> list[str]:
    done = subprocess.run(
        ["git", "-C", str(root), *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    return done.stdout.splitlines() if done.returncode == 0 else []


def _base(root: Path) -> list[str]:
    """The commit where the branch left main. On main itself: ten commits ago, or the oldest that there is."""
    head = _git(root, "rev-parse", "HEAD")
    request = os.environ.get("GITHUB_BASE_REF")
    for main in [f"origin/{request}"] * bool(request) + ["origin/main", "main"]:
        left = _git(root, "merge-base", main, "HEAD")
        if left and left != head:
            return left
    return _git(root, "rev-list", "--first-parent", f"--max-count={_COMMITS + 1}", "HEAD")[-1:]


def changed_files(root: Path = _ROOT) -> list[str]:
    """What the branch or the last ten commits have changed, and what is not committed; nothing outside a
    repository."""
    base = _base(root)
    if not base:
        return []
    tracked = _git(root, "diff", "--name-only", "--diff-filter=d", base[0])
    return sorted({*tracked, *_git(root, "ls-files", "--others", "--exclude-standard")})


def main(words: list[str]) -> int:
    if not words:
        lines = [json.dumps({"turn": turn(), "changed": changed_files()})]
    elif words == ["changed"]:
        lines = changed_files()
    elif len(words) == 2 and words[0] == "part" and words[1].isdigit() and int(words[1]) > 0:
        lines = todays_part(sys.stdin.read().splitlines(), int(words[1]))
    else:
        print(__doc__, file=sys.stderr)
        return 2
    for line in lines:
        print(line)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
