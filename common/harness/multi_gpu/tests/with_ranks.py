"""with_ranks.py RANKS PROGRAM…: starts a program with that many ranks, and returns its exit code."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))
from tutorial import multi_gpu

if __name__ == "__main__":
    with multi_gpu.launcher(int(sys.argv[1])) as (words, environment):
        code = subprocess.run([*words, *sys.argv[2:]], env=os.environ | environment, check=False).returncode
    sys.exit(code)
