"""A Moodle course of thirty, as "Download all submissions" gives it: moodle_class.py FOLDER

FOLDER gets submissions.zip, worksheet.csv (the grading worksheet) and course.csv. Each student hands in two exercises
in a form of their own, and something is wrong with many of them. EXPECTED says what the grades must be.
"""

from __future__ import annotations

import csv
import sys
import zipfile
from pathlib import Path

import paths  # puts the tool's folder on the path
from grading.files import exercise as exercises
from support import tarred, zipped

FIRST, SECOND = "ch02/ex1", "ch03/ex2"
ONES = {e.id: e for e in exercises.find() if e.id in (FIRST, SECOND)}
SOLVED, NONE = "", "missing"
HEADS = ("Identifier,Full name,Email address,Status,Grade,Maximum Grade,Grade can be changed,"
         "Last modified (submission),Last modified (grade),Feedback comments")  # fmt: skip
COURSE = f"exercise,points,due,late,partial\n{FIRST},2,2026-03-01,10% a day,\n{SECOND},1,2026-03-01,10% a day,\n"


def text(name: str, student: str, wrong: int | None = None) -> bytes:
    """An exercise's file: solved, with a comment of the student's own, or one of the wrong answers."""
    one = ONES[name]
    lines = one.official.blank if wrong is None else one.notes.wrong[wrong].blank
    comment = [] if name == SECOND else [f"    // {student}"]
    return ("\n".join([*one.official.before, *comment, *lines, *one.official.after]) + "\n").encode()


def stub(name: str) -> bytes:
    return ONES[name].stub_text().encode()


def forms() -> dict[str, tuple[dict[str, bytes], tuple[str, str], str]]:
    """By student: the files, the two reasons, and part of the text of the first grade that is not "missing"."""

    def both(student: str) -> dict[str, bytes]:
        return {name: text(name, student) for name in (FIRST, SECOND)}

    def loose(student: str) -> dict[str, bytes]:
        return {f"{ONES[name].name}.cu": data for name, data in both(student).items()}

    def tree(student: str) -> dict[str, bytes]:
        return {f"{ONES[n].folder}/exercises/{ONES[n].name}.cu": data for n, data in both(student).items()}

    a, b = (f"{ONES[name].name}.cu" for name in (FIRST, SECOND))
    deep = f"{ONES[FIRST].folder}/exercises/{ONES[FIRST].name}"
    good = (SOLVED, SOLVED)
    return {
        "Anna Berg": (loose("Anna"), good, ""),
        "Ben Abel": (tree("Ben"), good, ""),
        "Cleo Dorn": ({"work.zip": zipped(tree("Cleo"))}, good, ""),
        "Dan O'Neil": ({"work.tar.gz": tarred(tree("Dan"))}, good, ""),
        "Eva M\u00fcller": ({a: text(FIRST, "Eva").replace(b"\n", b"\r\n"), b: text(SECOND, "")}, good, ""),
        "\u5b89\u5a1c \u674e": (loose("An"), good, ""),
        "Fay, the second": ({"mac.zip": zipped({**tree("Fay"), "__MACOSX/._ex1_tail.cu": b"\0\5"})}, good, ""),
        "Gil (guest)": ({f"{ONES[FIRST].name} (1).cu": text(FIRST, "Gil"), b: text(SECOND, "")}, good, ""),
        "Hal=1+2": ({a: b"\xef\xbb\xbf" + text(FIRST, "Hal"), b: text(SECOND, "")}, good, ""),
        "Ina Jung": ({f"{ONES[FIRST].name}.cu.txt": text(FIRST, "Ina"), b: text(SECOND, "")}, good, ""),
        "Jan Kern": ({a: text(FIRST, "Jan").decode().encode("utf-16"), b: text(SECOND, "")}, good, ""),
        "Kim Lee": ({"a.zip": zipped({"b.zip": zipped(tree("Kim"))})}, good, ""),
        "Kim Lee ": (loose("Kim two"), good, ""),
        "Lea Mai": ({a: text(FIRST, "", 0), b: text(SECOND, "")}, (ONES[FIRST].notes.wrong[0].fails, SOLVED), ""),
        "Max Noll": ({a: text(FIRST, "Max"), b: text(SECOND, "", 0)}, (SOLVED, "prediction"), ""),
        "Nora Orth": ({a: stub(FIRST), b: text(SECOND, "")}, ("not_begun", SOLVED), ""),
        "Otto Pfau": ({f"{deep}.cu": text(FIRST, "Otto"), f"{deep} (1).cu": text(FIRST, "", 0)}, (SOLVED, NONE), "(1)"),
        "Pia Quast": ({f"x/{a}": text(FIRST, "Pia"), f"y/{a}": text(FIRST, "", 0)}, ("unreadable", NONE), f"y/{a}"),
        "Quin Rau": ({"work.zip": zipped(tree("Quin"))[:400]}, ("unreadable", NONE), "work.zip cannot be unpacked"),
        "Rita Sand": ({**loose("Rita"), "more.zip": b"no zip"}, good, ""),
        "Sam Thal": ({"work.rar": b"Rar!\x1a\7"}, ("unreadable", NONE), "an archive of an unsupported kind"),
        "Tim Uhl": ({"report.docx": zipped({"word/document.xml": b"<w/>"})}, ("unreadable", NONE), "report.docx"),
        "Uta Vogt": ({a: b"", b: text(SECOND, "")}, ("unreadable", SOLVED), "TODO"),
        "Vera Wolf": ({a: text(FIRST, "").replace(b"\n", b" // gr\xfc\xdfe\n", 1)}, ("unreadable", NONE), "not UTF-8"),
        "Will Xaver": ({f".work/{a}": text(FIRST, "Will")}, ("unreadable", NONE), a),
        "Xenia Yoon": ({"notes.ipynb": b"{}"}, ("unreadable", NONE), "notes.ipynb"),
        "Yann Zorn": ({a: text(FIRST, "").replace(b"// END", b"// the end")}, ("unreadable", NONE), "END"),
        "Zoe Adam": ({a: text(FIRST, "").replace(b"// END", b'asm("");\n// END')}, ("forbidden", NONE), "asm"),
        "Ada Nobody": ({}, (NONE, NONE), "no file"),
        "Bob Nobody": ({}, (NONE, NONE), "no file"),
    }


LATE = {"Ben Abel": "Tuesday, 3 March 2026, 6:05 PM", "Cleo Dorn": "Montag, 2. M\u00e4rz 2026, 08:00"}


def make(folder: Path) -> None:
    """Writes submissions.zip, worksheet.csv and course.csv."""
    rows = [next(csv.reader([HEADS]))]
    with zipfile.ZipFile(folder / "submissions.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for number, (student, (files, _, _)) in enumerate(forms().items(), 100):
            for name, data in files.items():
                archive.writestr(f"{student}_{number}_assignsubmission_file_/{name}", data)
            when = LATE.get(student, "Sunday, 1 March 2026, 9:00 AM") if files else "-"
            status = "Submitted for grading" if files else "No submission"
            rows.append([f"Participant {number}", student.strip(), f"s{number}@example.org", status, "", "3.00", "Yes",
                         when, "-", ""])  # fmt: skip
        archive.writestr("list of groups.xlsx", b"PK")
    with open(folder / "worksheet.csv", "w", encoding="utf-8-sig", newline="") as file:
        csv.writer(file).writerows(rows)
    (folder / "course.csv").write_text(COURSE, encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("moodle_class.py: name the folder for the class, and nothing else")
    Path(sys.argv[1]).mkdir(parents=True, exist_ok=True)
    make(Path(sys.argv[1]))
