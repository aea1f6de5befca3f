#!/usr/bin/env python3
"""Keeps the texts true: fills their tables, numbers and excerpts, draws figures, checks everything.

  docs.py update               fill every marked place, then check
  docs.py check                change nothing; fail if anything is out of date or a link is broken
  docs.py figures              draw the figures
  docs.py words                words of prose, lines and the longest listing of every page
  docs.py … --programs FOLDER  also compare the chapters' headings with the built programs' --list

docs/tools/README.md describes the markers. Exit code: 0; 1 if something is wrong; 2 for a wrong
option.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))

import blocks
import devices_named
import figures
import headings
import links
import notebooks
import prose
import recorded_times
import recordings
import sentences
import stage_comments
import stage_list
import terms
import translations
import volume
import wrap
from repository import ROOT, chapters, texts

MAX_REFUSED = 40  # words, and sentences, that are listed


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("verb", choices=("update", "check", "figures", "words"))
    parser.add_argument("--programs", type=Path, metavar="FOLDER", help="where the chapters' programs are")
    arguments = parser.parse_args()
    if arguments.verb == "words":
        print(volume.table(texts(), ROOT))
        return 0
    write = arguments.verb != "check"
    changed, errors, notes = [], [], []

    drawn, wrong = figures.run(ROOT, write)
    changed += drawn
    errors += wrong
    if arguments.verb != "figures":
        for chapter in chapters():  # first: a longer list moves the lines that recordings and texts name
            is_old, wrong = stage_list.run(chapter, write)
            errors += wrong
            if is_old:
                changed.append((chapter / "main.cu").relative_to(ROOT).as_posix())
        for path in recordings.recordings():
            moved, wrong = recordings.check(path, ROOT, write)
            errors += wrong + recordings.legend(path)
            if moved:
                changed.append(path.relative_to(ROOT).as_posix())
        for path in texts():
            before = path.read_text(encoding="utf-8")
            after, wrong = blocks.fill(before, path)
            errors += wrong
            if after != before:
                changed.append(path.relative_to(ROOT).as_posix())
                if write:
                    path.write_text(after, encoding="utf-8")
        changed += notebooks.run(ROOT, write)
        errors += recorded_times.check()
        for path in texts():
            errors += links.check(path)
            errors += prose.check(path)
            errors += devices_named.check(path)
        for path in translations.translations():
            errors += translations.check(path)
            notes.append(translations.note(path))
        for path in wrap.wrapped_texts():
            errors += wrap.check(path)
        for chapter in chapters():
            errors += stage_comments.check(chapter)
            errors += volume.check(chapter)
            if arguments.programs:
                errors += headings.check(chapter, arguments.programs)
        for tool, refused in (
            ("terms.py", [str(found) for found in terms.check(ROOT)]),
            ("sentences.py", [str(found) for found in sentences.check(ROOT)]),
        ):
            errors += refused[:MAX_REFUSED]
            if len(refused) > MAX_REFUSED:
                errors.append(f"… and {len(refused) - MAX_REFUSED} more: docs/tools/{tool} lists them all")

    for name in changed:
        print(f"{name}: {'written' if write else 'out of date: run ./tutorial docs'}")
    for note in filter(None, notes):
        print(note)  # not an error: the text says so itself
    for error in errors:
        print(error, file=sys.stderr)
    failed = bool(errors) or (bool(changed) and not write)
    if not failed and not changed:
        print("everything is up to date")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
