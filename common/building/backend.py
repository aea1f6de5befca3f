"""GPU or CPU: where chapters run on this machine, and why."""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from .errors import MISSING, Refused
from .repository import BUILD

NVCC_PLACES = ("/usr/local/cuda/bin/nvcc", "/opt/cuda/bin/nvcc")
NVIDIA_SMI_PLACES = ("nvidia-smi", "/usr/lib/wsl/lib/nvidia-smi")


@dataclass(frozen=True)
class Backend:
    preset: str  # of CMakePresets.json, and the programs' suffix: cuda or cpu
    gpu: str  # its name; empty if there is none
    why: str  # one line for the user

    @property
    def folder(self) -> Path:
        return BUILD / self.preset

    @property
    def is_gpu(self) -> bool:
        return self.preset == "cuda"


def find_nvcc() -> str | None:
    places = (os.environ.get("CUDACXX"), shutil.which("nvcc"), *NVCC_PLACES)
    return next((place for place in places if place and os.access(place, os.X_OK)), None)


def find_gpu() -> str:
    """The first GPU's name; empty if there is no usable one."""
    if os.environ.get("CUDA_VISIBLE_DEVICES", "all") in ("", "-1"):
        return ""
    # Immediately, whereas nvidia-smi takes a second.
    for file in sorted(Path("/proc/driver/nvidia/gpus").glob("*/information")):
        for line in file.read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("Model:"):
                return line.partition(":")[2].strip()
    return _ask_nvidia_smi("name")


def compute_capability() -> tuple[int, int]:
    """The first GPU's compute capability; (0, 0) if unknown."""
    major, _, minor = _ask_nvidia_smi("compute_cap").partition(".")
    return (int(major), int(minor)) if major.isdigit() and minor.isdigit() else (0, 0)


def driver() -> str:
    """The GPU driver's version; empty if unknown."""
    return _ask_nvidia_smi("driver_version")


def toolkit() -> str:
    """What nvcc prints about its version; empty if there is no nvcc."""
    nvcc = find_nvcc()
    return subprocess.run([nvcc, "--version"], capture_output=True, text=True, check=False).stdout if nvcc else ""


def _ask_nvidia_smi(what: str) -> str:
    """The driver version of the first GPU; empty if unknown."""
    tool = next((tool for place in NVIDIA_SMI_PLACES if (tool := shutil.which(place))), None)
    if tool is None:
        return ""
    run = subprocess.run(
        [tool, f"--query-gpu={what}", "--format=csv,noheader"], capture_output=True, text=True, check=False
    )
    return (run.stdout.splitlines() or [""])[0].strip() if run.returncode == 0 else ""


def choose(asked: str | None) -> Backend:
    """`asked` is cpu, gpu or None: the GPU if nvcc and a GPU are found, otherwise the emulator."""
    nvcc, gpu = find_nvcc(), find_gpu()
    if asked == "cpu":
        return Backend("cpu", gpu, "Emulator: chosen with --cpu.")
    if nvcc and gpu:
        return Backend("cuda", gpu, f"GPU: {gpu}.")
    if asked == "gpu" and not gpu:
        raise Refused(MISSING, "--gpu needs an NVIDIA GPU, and none was found")
    if asked == "gpu":
        raise Refused(
            MISSING,
            "--gpu needs nvcc, and it was not found: install the CUDA toolkit, "
            "https://developer.nvidia.com/cuda-downloads",
        )
    if gpu:
        why = f"Emulator: there is a GPU ({gpu}), but no nvcc; with the CUDA toolkit this runs on the GPU."
    else:
        why = "Emulator: no NVIDIA GPU was found."
    return Backend("cpu", gpu, why)
