"""Where things are. The user's current folder stays as it is."""

from __future__ import annotations

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build"


def shown(path: Path) -> str:
    """The shortest path that works from the current folder."""
    try:
        return str(path.relative_to(Path.cwd()))
    except (ValueError, OSError):
        return os.path.relpath(path) if _is_near(path) else str(path)


def _is_near(path: Path) -> bool:
    try:
        return len(os.path.relpath(path)) < len(str(path))
    except OSError:
        return False
