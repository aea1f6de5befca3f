"""Imported before the tool: puts its folder on the path."""

import sys
from pathlib import Path

COMMON = Path(__file__).resolve().parents[2]

sys.dont_write_bytecode = True
sys.path.insert(0, str(COMMON))
