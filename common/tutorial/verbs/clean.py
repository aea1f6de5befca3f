"""./tutorial clean: removes what was built, of everything or of one chapter."""

from __future__ import annotations

import shutil
from pathlib import Path

from building import lock
from building.repository import BUILD, shown

from .. import targets
from ..arguments import Parser, parse

SUMMARY = "remove build/, or only one chapter's files in it"


def main(words: list[str]) -> int:
    parser = Parser("clean", description=SUMMARY)
    parser.add_argument("chapter", nargs="*", help="ch01 or ch01_bubble; without one, all of build/")
    arguments = parse(parser, words)
    if arguments.chapter:
        for chapter in targets.find_chapters(arguments.chapter):
            _clean_chapter(chapter)
        return 0
    for folder in _folders():  # wait for a build that runs there
        with lock.held(folder):
            pass
    if BUILD.is_symlink():
        BUILD.unlink()
    elif BUILD.exists():
        shutil.rmtree(BUILD)
    print(f"{shown(BUILD)}/ is removed.")
    return 0


def _folders() -> list[Path]:
    return sorted(file.parent for file in BUILD.glob("*/CMakeCache.txt"))


def _clean_chapter(chapter: targets.Chapter) -> None:
    """The files that its targets make; the rules that make them are kept."""
    removed = 0
    for folder in _folders():
        with lock.held(folder):
            found = [*folder.glob(f"bin/{chapter.name}_*"), *folder.glob(f"cpu_src/{chapter.name}/**/*")]
            for objects in (f"{chapter.name}_*.dir", f"grader_{chapter.short}_*.dir"):
                found += folder.glob(f"**/CMakeFiles/{objects}/**/*.o")
            found += folder.glob(f"**/cpu_src/{chapter.name}/**/*")
            for file in {file for file in found if file.is_file()}:
                file.unlink()
                removed += 1
    files = f"{removed} file{'' if removed == 1 else 's'}"
    print(f"{chapter.name}: {files} removed from {shown(BUILD)}/; the rest stays.")
