"""Where things are in the repository."""

from __future__ import annotations

import os
from pathlib import Path

from errors import DocsError

ROOT = Path(__file__).resolve().parents[2]
TRANSLATED = ".zh-Hant.md"  # README.zh-Hant.md is README.md in Chinese
SKIPPED = {"build", "node_modules", "__pycache__"}


def chapters(root: Path = ROOT) -> list[Path]:
    """Folders of the chapters that have a main.cu, in order."""
    return sorted(path.parent for path in root.glob("ch[0-9][0-9]_*/main.cu"))


def chapter(name: str, root: Path = ROOT) -> Path:
    """Folder of the chapter called `name`: ch01 or ch01_bubble."""
    for folder in sorted(root.glob("ch[0-9][0-9]_*")):
        if name in (folder.name, folder.name.split("_")[0]):
            return folder
    raise DocsError(f"no chapter is called {name}")


def chapter_texts(folder: Path) -> list[Path]:
    """The texts of a chapter in the order in which they are read: README.md, fastest.md, then the others."""
    order = {name: at for at, name in enumerate(("README.md", "fastest.md", "results.md", "multi_gpu.md"))}
    english = (path for path in folder.glob("*.md") if not path.name.endswith(TRANSLATED))
    return sorted(english, key=lambda path: (order.get(path.name, len(order)), path.name))


def texts(root: Path = ROOT) -> list[Path]:
    """All Markdown files, without build folders and hidden folders."""
    found = []
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(f for f in folders if f not in SKIPPED and not f.startswith("."))
        found += [Path(folder) / f for f in sorted(files) if f.endswith(".md")]
    return found


def translations(root: Path = ROOT) -> list[Path]:
    """The texts in Chinese."""
    return [path for path in texts(root) if path.name.endswith(TRANSLATED)]
