"""Exercises for the browser lab (docs/site/page_lab): what a reader is shown, and an attempt up to its compiler.

  python3 common/grading page list       all exercises, as JSON
  python3 common/grading page proofs     for each exercise, attempts with the reason and the text that they must produce
  python3 common/grading page attempt    {"id", "file", "text"} as JSON from the standard input: see attempt()

The browser lab's Python runs the same functions.
"""

from __future__ import annotations

import contextlib
import io
import json
import sys
import tempfile
from pathlib import Path
from typing import Callable

from ..files import blank, exercise as exercises
from ..files.exercise import Exercise
from ..files.notes import KINDS
from ..grading_error import GradingError
from ..rules import forbidden
from . import diagnostics

# Where the browser lab's compiler finds the learner's file, and the tutorial's headers.
LEARNERS, TUTORIAL = "/src", "/tutorial"


def listed(exercise: Exercise) -> dict:
    """What the browser lab shows of an exercise, and the files that attempt() reads."""
    notes = exercise.notes
    files = [exercise.solution, exercise.notes_file]
    return {
        "id": exercise.id,
        "folder": exercise.folder,
        "name": exercise.name,
        "title": notes.title,
        "kind": KINDS[notes.kind],
        "level": notes.level,
        "read": notes.read,
        "hints": notes.hints,
        "stub": exercise.stub_text(),
        "files": {exercise.shown(path): exercises.read_text(path, exercise.shown(path)) for path in files},
    }


def proofs(exercise: Exercise) -> list[dict]:
    """Stub, solution and wrong answers, as verify_exercises.py tries them."""
    official, notes = exercise.official, exercise.notes

    def proof(title: str, lines: list[str], fails: str, says: str = "") -> dict:
        text = "\n".join([*official.before, *lines, *official.after]) + "\n"
        return {"title": title, "text": text, "fails": fails, "says": says}

    return [
        proof("stub", notes.blank, notes.stub_fails),
        proof("solution", official.blank, ""),
        *[proof(wrong.title, wrong.blank, wrong.fails, wrong.says) for wrong in notes.wrong],
    ]


def attempt(root: Path, identity: str, file: str, text: str, translate: Callable[[list[str]], None]) -> dict:
    """{"source"}: the official file with the learner's blank, translated; or {"reason", "text"}: why there is none.

    `root` is the tutorial's folder, `file` the learner's file without a folder, `translate` translate.main. Besides the
    source: "is_begun", and "outside", which names the first changed line that does not count, or is empty.
    """
    exercise = exercises.select([identity], exercises.find(root))[0]
    try:
        shown = blank.cut(text, file)
    except GradingError as error:
        return {"reason": "unreadable", "text": str(error)}
    name = Path(LEARNERS) / file
    merged = blank.merge(exercise.official, shown.blank, shown, str(name), exercise.learner.parent, exercise.headers)
    reason, complaint = forbidden.examine(exercise, merged, file)
    if reason:
        return {"reason": reason, "text": complaint}
    changed = blank.changed_line(shown, exercise.official)
    with tempfile.TemporaryDirectory() as folder:
        source, output = Path(folder) / "attempt.cu", Path(folder) / "attempt.cpp"
        source.write_text(merged.text, encoding="utf-8")
        said = io.StringIO()
        try:
            with contextlib.redirect_stderr(said):
                translate([str(source), str(output), "--source-root", str(root), "--copies", f"{folder}/copies"])
        except SystemExit as end:
            if end.code:
                words = said.getvalue() + ("" if isinstance(end.code, int) else str(end.code))
                return {"reason": "compile", "text": diagnostics.of_rewriter(words, source.resolve(), name)}
        translated = output.read_text(encoding="utf-8")
    return {
        "source": translated.replace(f'"{root}/', f'"{TUTORIAL}/'),
        "is_begun": not blank.is_same(shown.blank, exercise.notes.blank),
        "outside": "" if changed is None else blank.outside(exercise.official, changed),
    }


def attempt_json(root: str, identity: str, file: str, text: str) -> str:
    """attempt() for the browser lab, whose Python has no command line."""
    import translate

    return json.dumps(attempt(Path(root), identity, file, text, translate.main))


def main() -> int:
    verb = sys.argv[1] if len(sys.argv) == 2 else ""
    if verb == "list":
        print(json.dumps([listed(exercise) for exercise in exercises.find()]))
        return 0
    if verb == "proofs":
        print(json.dumps({exercise.id: proofs(exercise) for exercise in exercises.find()}))
        return 0
    if verb == "attempt":
        asked = json.load(sys.stdin)
        sys.path.insert(0, str(exercises.ROOT / "common" / "emulator"))
        print(attempt_json(str(exercises.ROOT), asked["id"], asked["file"], asked["text"]))
        return 0
    print("grading: page: the next word must be list, proofs or attempt", file=sys.stderr)
    return 2
