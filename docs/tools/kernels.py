"""Does each stage's kernel stand where a reader looks for it, and does it say what it is about?

The kernels of the ladder stand in main.cu. Only a record may stand beside it, in a file of its own
that is named after the stage (merge_best.cuh) and named in the chapter's README.md. Above a stage's
first kernel, or above its launcher where it has no kernel of its own, three short comments say the
idea ("// name: …"), what it removes and what remains.
"""

from __future__ import annotations

import re
from pathlib import Path

from headings import headings
from repository import ROOT

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_KERNEL = re.compile(r"\b__global__\b(?P<head>[^;{]*)\{")
_BOUNDS = re.compile(r"__launch_bounds__\s*\((?:[^()]|\([^()]*\))*\)")


def kernels_of(source: str) -> list[str]:
    """Names of the kernels that a source defines."""
    found = []
    for match in _KERNEL.finditer(_COMMENT.sub(" ", source)):
        name = re.search(r"(\w+)\s*\(", _BOUNDS.sub(" ", match.group("head")))
        if name:
            found.append(name.group(1))
    return list(dict.fromkeys(found))


def stage_of(kernel: str, stages: list[str]) -> str | None:
    """The stage whose name begins the kernel's name: merge_split_cuts_kernel belongs to merge_split."""
    fitting = [stage for stage in stages if kernel.startswith(f"{stage}_")]
    return max(fitting, key=len) if fitting else None


def describes(source: str, stage: str) -> bool:
    """Whether the comment "// stage: …" goes on with lines that begin "Removes:" and "Remains:"."""
    for match in re.finditer(rf"^// {re.escape(stage)}: .*\n((?:// .*\n)*)", source, re.MULTILINE):
        lines = match.group(1)
        if re.search(r"^// Removes: ", lines, re.MULTILINE) and re.search(r"^// Remains: ", lines, re.MULTILINE):
            return True
    return False


def check(chapter: Path, root: Path = ROOT) -> list[str]:
    """One line for each kernel of a stage that stands elsewhere, and each stage that says too little."""
    shown = chapter.relative_to(root).as_posix()
    text = (chapter / "README.md").read_text(encoding="utf-8")
    stages = headings(text)
    sources = {
        path.name: path.read_text(encoding="utf-8")
        for path in sorted(chapter.iterdir())
        if path.suffix in (".cu", ".cuh", ".hpp") and path.name not in ("tests.cu", "ablations.cu", "multi_gpu.cu")
    }
    problems = []
    for name, source in sources.items():
        for kernel in kernels_of(source):
            stage = stage_of(kernel, stages)
            if name.endswith(".hpp"):
                problems.append(f"{shown}/{name}: {kernel} is device code; such a file is called .cuh")
            if stage is None or name == "main.cu":
                continue
            if name != f"{stage}.cuh":
                problems.append(f"{shown}/{name}: {kernel} belongs in main.cu, or, a record, in {stage}.cuh")
            elif f"`{name}`" not in text:
                problems.append(f"{shown}/README.md does not name {name}, where {kernel} stands")
    for stage in stages:
        if not any(describes(sources.get(name, ""), stage) for name in ("main.cu", f"{stage}.cuh")):
            problems.append(f'{shown}/main.cu: no comment "// {stage}: …" with its "Removes: …" and "Remains: …"')
    return problems
