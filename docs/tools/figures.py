"""Draws the figures: docs/figures/*.py and chNN_name/figures/*.py.

A figure script defines figures(), which returns {file name: SVG text}; the files are next to the
script. It may import svg, chart and results from here, and nothing else except Python's own library.
"""

from __future__ import annotations

import runpy
from pathlib import Path

from errors import DocsError
from repository import ROOT


def scripts(root: Path = ROOT) -> list[Path]:
    return sorted(root.glob("docs/figures/*.py")) + sorted(root.glob("ch[0-9][0-9]_*/figures/*.py"))


def draw(script: Path) -> dict[Path, str]:
    """What one script draws. Raises DocsError if it cannot."""
    try:
        drawn = runpy.run_path(str(script))["figures"]()
    except DocsError:
        raise
    except KeyError:
        raise DocsError("it defines no figures()") from None
    except Exception as error:  # a figure script can contain anything: report its error and continue
        raise DocsError(f"{type(error).__name__}: {error}") from error
    return {script.parent / name: content.rstrip("\n") + "\n" for name, content in drawn.items()}


def run(root: Path = ROOT, write: bool = True) -> tuple[list[str], list[str]]:
    """Draws everything; returns (files that were or would be changed, errors).

    An SVG next to the scripts that no script draws is an error: it could not be drawn again.
    """
    changed, errors, expected = [], [], set()
    folders = set()
    for script in scripts(root):
        folders.add(script.parent)
        try:
            drawn = draw(script)
        except DocsError as error:
            errors.append(f"{script.relative_to(root).as_posix()}: {error}")
            continue
        for path, content in drawn.items():
            expected.add(path)
            if not path.exists() or path.read_text(encoding="utf-8") != content:
                changed.append(path.relative_to(root).as_posix())
                if write:
                    path.write_text(content, encoding="utf-8")
    if not errors:
        for folder in sorted(folders):
            for path in sorted(folder.glob("*.svg")):
                if path not in expected:
                    errors.append(f"{path.relative_to(root).as_posix()}: no script draws this file")
    return changed, errors
