"""Does each stage say what it is about?

Above a stage's first kernel, or above its launcher if it has no kernel of its own, three short
comments say the idea ("// name: …"), what it removes and what remains. They are in main.cu,
or in a file of fastest/. common/tests/chapter_shape.py checks where kernels may be at all.
"""

from __future__ import annotations

import re
from pathlib import Path

from headings import chapter_headings
from repository import ROOT


def describes(source: str, stage: str) -> bool:
    """Whether the comment "// stage: …" continues with lines that begin "Removes:" and "Remains:"."""
    for match in re.finditer(rf"^// {re.escape(stage)}: .*\n((?:// .*\n)*)", source, re.MULTILINE):
        lines = match.group(1)
        if re.search(r"^// Removes: ", lines, re.MULTILINE) and re.search(r"^// Remains: ", lines, re.MULTILINE):
            return True
    return False


def check(chapter: Path, root: Path = ROOT) -> list[str]:
    """One line for each stage whose comment is missing or says too little."""
    shown = chapter.relative_to(root).as_posix()
    stages = chapter_headings(chapter)
    files = [chapter / "main.cu", *sorted(chapter.glob("fastest/*.cuh"))]
    sources = [file.read_text(encoding="utf-8") for file in files]
    return [
        f'{shown}/main.cu: no comment "// {stage}: …" with its "Removes: …" and "Remains: …"'
        for stage in stages
        if not any(describes(source, stage) for source in sources)
    ]
