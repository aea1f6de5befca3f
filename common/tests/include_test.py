#!/usr/bin/env python3
"""Who may include whom: reads the #include lines of every C++ and CUDA file, and holds the map of common/README.md.

A file belongs to a room by its folder; a room may include itself and what ROOMS lists beside it. In the harness
no two parts may include each other, directly or through others (a part is a header and the source of its name).
Each breach is one line: file:line, what is included, and the rule. Exit code: 0 none, 1 some, 2 nothing to read.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parents[2]
SUFFIXES = (".cu", ".cuh", ".hpp", ".h", ".cpp")
# What <...> and "..." are looked up in, beside the folder of the file itself.
INCLUDE_FOLDERS = ("", "common/emulator/include", "common/lab/include", "common/emulator/src", "common/lab/src")

CUDA_HEADERS = "common/emulator/include/*"  # what a GPU has too: <cuda_runtime.h> and its like
EMULATOR_INTERFACE = "common/emulator/include/cpu/*"  # what the emulator alone has: counts, settings, hooks


@dataclass(frozen=True)
class Room:
    """Files, what they may include beside each other, and the rule in words."""

    name: str
    files: str  # a pattern of paths
    may_include: tuple[str, ...]
    rule: str


# The first room that a file matches is its room. A chapter's pattern is completed by its own folder.
ROOMS = (
    Room(
        "a grader",
        "ch[0-9][0-9]_*/grading/*",
        ("{chapter}/*", "common/harness/*", "common/grading/lib/*", CUDA_HEADERS),
        "a grader includes its chapter, the harness and common/grading/lib",
    ),
    Room(
        "a chapter",
        "ch[0-9][0-9]_*/*",
        ("{chapter}/*", "common/harness/*", CUDA_HEADERS),
        "a chapter includes itself and the harness only",
    ),
    Room(
        "the harness's one door to the CPU backend",
        "common/harness/backend.cpp",
        ("common/harness/*", CUDA_HEADERS, "common/emulator/include/cpu/counters.hpp", "common/emulator/include/cpu/settings.hpp"),
        "backend.cpp includes counts and settings of the emulator, no more",
    ),
    Room(
        "the harness",
        "common/harness/*",
        ("common/harness/*", CUDA_HEADERS),
        "the harness knows no chapter, no emulator internals, no lab and no grading",
    ),
    Room(
        "the emulator",
        "common/emulator/*",
        ("common/emulator/*", CUDA_HEADERS, EMULATOR_INTERFACE),
        "the emulator knows neither harness nor lab: it offers hooks",
    ),
    Room(
        "the lab's side of the harness",
        "common/lab/src/chapter_lab.cpp",
        ("common/lab/*", "common/harness/*", CUDA_HEADERS),
        "what adapts the lab to the harness includes no chapter, no grading and no emulator internals",
    ),
)
