"""Where things are. The folder that the user stands in is left as it is."""

from __future__ import annotations

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build"


def shown(path: Path) -> str:
    """As short as a user in this folder can still use it."""
    try:
        return str(path.relative_to(Path.cwd()))
    except (ValueError, OSError):
        return os.path.relpath(path) if _is_near(path) else str(path)


def _is_near(path: Path) -> bool:
    try:
        return len(os.path.relpath(path)) < len(str(path))
    except OSError:
        return False
