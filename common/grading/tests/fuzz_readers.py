"""Whatever a student's file or program says, the readers return a value or raise a GradingError, and soon.

Needs hypothesis (Debian: python3-hypothesis). A round tries 40 examples on one reader; the readers take turns.
What is tried follows from the round's number: a run that failed can be repeated with the same TUTORIAL_TURN.
TUTORIAL_TURN=all runs all rounds.
"""

from __future__ import annotations

import io
import json
import os
import sys
import tempfile
import time
import warnings
import zipfile
from pathlib import Path

import support
from hypothesis import HealthCheck, given, seed, settings, strategies

from building.turn import todays_part
from grading.check import attempt, diagnostics
from grading.course import compiled, course, reports, roster, similarity, submission
from grading.files import blank, code_text, notes
from grading.files.exercise import find, read_text
from grading.grading_error import GradingError
from grading.process import limited_process
from grading.rules import symbols

ROUNDS = 184
PARTS = 15  # coprime to the number of readers, so that each part tries every reader
EXERCISES = find()
SLOW = 5.0  # seconds of processor time that one text may take

DUMP = ";; Function f (_Z1fv, funcdef_no=0, decl_uid=1, cgraph_uid=1, symbol_order=0)\n\nint f ()\n{\n"
OFFICIAL = blank.cut("a\n// TODO (about 2 lines): do it\nx\n// END\nc\n", "f")
MARKERS = [
    "// TODO (about 2 lines): do it",
    "// END",
    '#line 3 "/x"',
    '#include "x.hpp"',
    "{",
    "}",
    "/*",
    "*/",
    '"',
    'R"(',
]
LINES = strategies.one_of(strategies.sampled_from(MARKERS), strategies.text(max_size=60))
FILES = strategies.one_of(
    strategies.lists(LINES, max_size=30).map("\n".join),
    strategies.text(max_size=400),
    strategies.builds(
        lambda piece, times: piece * times, strategies.text(min_size=1, max_size=6), strategies.integers(1, 20_000)
    ),
)
JSON = strategies.recursive(
    strategies.none() | strategies.booleans() | strategies.floats() | strategies.text(max_size=20),
    lambda inner: strategies.lists(inner, max_size=4)
    | strategies.dictionaries(strategies.text(max_size=8), inner, max_size=4),
)
NOTES = strategies.one_of(
    strategies.dictionaries(
        strategies.sampled_from(["nonce", "reason", "text", "phases", "at", "digest"]),
        JSON | strategies.sampled_from(["n", "", "race", "answer", "\ud800"]),
    ).map(json.dumps),
    strategies.integers(1, 200_000).map(lambda depth: "[" * depth),
    strategies.text(max_size=200),
)


def soon(call, *arguments, lines: int = 1):
    """The answer, or None for a GradingError of that many lines; any other exception is a bug."""
    started = time.process_time()
    try:
        return call(*arguments)
    except GradingError as error:
        assert lines == 0 or "\n" not in str(error), repr(str(error))
        return None
    finally:
        assert time.process_time() - started < SLOW, f"{call.__name__} took {time.process_time() - started:.1f} s"


def of_a_file(text: str) -> None:
    parts = soon(blank.cut, text, "f")
    soon(code_text.without_words, text)
    if parts is not None:
        soon(blank.merge, OFFICIAL, parts.blank, parts, "/me/f.cu", Path("/nowhere"), ())
        soon(blank.changed_line, parts, OFFICIAL)
        soon(diagnostics.of_braces, parts.blank, OFFICIAL.blank)


def of_bytes(data: bytes) -> None:
    with tempfile.NamedTemporaryFile() as file:
        file.write(data)
        file.flush()
        text = soon(read_text, Path(file.name), "f")
        if text is not None:
            of_a_file(text)
            soon(notes.parse, Path(file.name), "f")


def of_a_program(lines: list[str], output: str) -> None:
    done = limited_process.Outcome(1, None, "", output, "\n".join(lines))
    verdict = soon(attempt.verdict_of, done, "n", limited_process.Limits())
    verdict.text.encode("utf-8")
    json.dumps(verdict.reason)
    reports._cell(verdict.text)
    reports._xml_text(verdict.text)


def of_tools(output: str) -> None:
    for call in (diagnostics.of_linker, symbols.complaint):
        soon(call, output)
    soon(diagnostics.of_compiler, output, Path("/f.cu"))
    soon(diagnostics.of_compiler, f"/f.cu:1:1: error: {output}", Path("/f.cu"))


def of_names(names: list[bytes]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            name = name.replace(b"/", b"_").replace(b"\0", b"_") or b"x"
            if name not in (b".", b".."):
                os.makedirs(os.path.join(os.fsencode(folder), name, b"ch03"), exist_ok=True)
        found = soon(submission.students, [Path(folder)], Path(folder, "room"))
        for student in found[0] if found else ():
            student.name.encode("utf-8")


def of_tables(data: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "table.csv")
        path.write_bytes(data)
        soon(course.read, path, EXERCISES, lines=0)
        soon(roster.with_roster, [], path)
        soon(roster.handed_in, path, [], lines=0)


def zip_of(names: list[str], data: bytes, method: int) -> bytes:
    """An archive with exactly these names: zipfile itself would cut them at a zero byte."""
    made = io.BytesIO()
    numbers = {}
    with warnings.catch_warnings(), zipfile.ZipFile(made, "w", method) as archive:
        warnings.simplefilter("ignore")  # two files of one name
        for i, name in enumerate(names):
            encoded = f"{name}.cu".encode()
            numbers[f"{i:04}".ljust(len(encoded), "_").encode()] = encoded
        for number in numbers:
            archive.writestr(number.decode(), data)
    whole = made.getvalue()
    for number, encoded in numbers.items():
        whole = whole.replace(number, encoded[: len(number)].ljust(len(number), b"x"))
    return whole


def of_zips(data: bytes, names: list[str], cut: int, method: int) -> None:
    """Archives that are damaged, and names that lead elsewhere."""
    whole = zip_of(names, data, method)
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "class").mkdir()
        Path(folder, "class", "ada.zip").write_bytes(whole[: cut % (len(whole) + 1)] + data + whole[cut:])
        Path(folder, "class", "bob.zip").write_bytes(data)
        Path(folder, "class", "eve.zip").write_bytes(whole)
        found = soon(submission.students, [Path(folder, "class")], Path(folder, "room"))
        for student in found[0] if found else ():
            for exercise in EXERCISES:
                soon(submission.choose, student, exercise)
        assert not [path for path in Path(folder).rglob("*.cu") if Path(folder, "room") not in path.parents]


def of_two_blanks(one: str, other: str) -> None:
    made = {
        name: soon(compiled.statements_of, f"{DUMP}{text}\n}}\n") or [] for name, text in (("ada", one), ("bob", other))
    }
    soon(similarity.find, {"ch03/ex1": {"ada": one.split("\n"), "bob": other.split("\n")}}, {}, {"ch03/ex1": made})


CELLS = strategies.sampled_from(
    ["exercise", "points", "due", "late", "partial", "ch03", "ch03/ex1", "*", "1", "2026-03-01", "10% a day", ",", "\n"]
    + ["student", "name", "handed in", '"', ";", "=1+2"]
)
TABLES = strategies.lists(CELLS | strategies.text(max_size=8), max_size=40).map("".join)

TESTS = (
    given(TABLES.map(lambda text: text.encode("utf-8", "replace")) | strategies.binary(max_size=200))(of_tables),
    given(
        strategies.binary(max_size=300),
        strategies.lists(strategies.text(strategies.characters(blacklist_categories=("Cs",)), max_size=20), max_size=4),
        strategies.integers(0, 3000),
        strategies.sampled_from([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA]),
    )(of_zips),
    given(FILES, FILES)(of_two_blanks),
    given(FILES | strategies.just(support.SOLUTION))(of_a_file),
    given(strategies.binary(max_size=300) | FILES.map(lambda text: text.encode("utf-8", "replace")))(of_bytes),
    given(strategies.lists(NOTES, max_size=5), strategies.text(max_size=100))(of_a_program),
    given(FILES)(of_tools),
    given(strategies.lists(strategies.binary(min_size=1, max_size=40), max_size=5))(of_names),
)


def main() -> int:
    rounds = todays_part(range(ROUNDS), PARTS)
    few = settings(max_examples=40, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    tests = [few(test) for test in TESTS]
    for number in rounds:
        seed(number)(tests[number % len(tests)])()
    print(f"{len(rounds)} rounds of 40 examples: every reader answered")
    return 0


if __name__ == "__main__":
    sys.exit(main())
