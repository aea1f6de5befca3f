"""The tutorial's name and version. The version is only in project() of the root CMakeLists.txt."""

from __future__ import annotations

import re

from building.repository import ROOT

NAME = "Bubbles to Bandwidth"


def version() -> str:
    text = (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")
    found = re.search(r"^project\(bubbles_to_bandwidth VERSION (\d+\.\d+\.\d+)\b", text, re.MULTILINE)
    if found is None:
        raise ValueError("CMakeLists.txt has no line 'project(bubbles_to_bandwidth VERSION …'")
    return found.group(1)
