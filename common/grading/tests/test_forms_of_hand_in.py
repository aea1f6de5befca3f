"""A class of sixty that hands in one exercise in thirty forms: every row of the result must be right."""

import os
import tempfile
import unittest
from pathlib import Path
from typing import Callable

import paths  # puts the tool's folder on the path
from grading.course import classroom, submission
from grading.files import exercise as exercises
from support import tarred, zipped

EXERCISE = next(e for e in exercises.find() if e.id == "ch03/ex2")
ID, NAME, CHAPTER = EXERCISE.id, EXERCISE.name, EXERCISE.folder
STUB = EXERCISE.stub_text()
IN_CHAPTER = f"{CHAPTER}/exercises/{NAME}.cu"


def answer(student: str) -> str:
    """A student's own file: its text shows which one was taken."""
    official = EXERCISE.official
    return "\n".join([*official.before, f"    return 32;  // {student}", *official.after]) + "\n"


def repository(mine: str, top: str = "") -> dict[str, bytes]:
    """The part of a whole repository that matters: the exercise, and the files of the same name next to it."""
    return {
        f"{top}{IN_CHAPTER}": mine.encode(),
        f"{top}{CHAPTER}/solutions/{NAME}.cu": EXERCISE.solution.read_bytes(),
        f"{top}{CHAPTER}/grading/{NAME}.cu": EXERCISE.grader.read_bytes(),
        f"{top}{CHAPTER}/main.cu": b"int main() {}",
        **{f"{top}docs/results/{i}.csv": b"" for i in range(4100)},
    }


Files = dict[str, bytes]
TAKEN = "the student's own"
# What a student hands in, and what the row says: TAKEN, or the reason and a piece of its text.
FORMS: dict[str, tuple[Callable[[str], Files], tuple[str, str]]] = {
    "chapter folder": (lambda s: {IN_CHAPTER: answer(s).encode()}, (TAKEN, "")),
    "short chapter": (lambda s: {"ch03/ex2.cu": answer(s).encode()}, (TAKEN, "")),
    "loose file": (lambda s: {f"{NAME}.cu": answer(s).encode()}, (TAKEN, "")),
    "loose, told by its heading": (lambda s: {"homework.cu": answer(s).encode()}, (TAKEN, "")),
    "repository": (lambda s: repository(answer(s)), (TAKEN, "")),
    "repository in a folder": (lambda s: repository(answer(s), "tutorial-main/"), (TAKEN, "")),
    "repository, zipped": (lambda s: {"all.zip": zipped(repository(answer(s)))}, (TAKEN, "")),
    "a code host's zip": (lambda s: {"t-main.zip": zipped(repository(answer(s), "t-main/"))}, (TAKEN, "")),
    "zip in zip": (lambda s: {"a.zip": zipped({"b.zip": zipped(repository(answer(s), "t/"))})}, (TAKEN, "")),
    "tar.gz": (lambda s: {"a.tar.gz": tarred(repository(answer(s), "t/"), "gz")}, (TAKEN, "")),
    "tgz": (lambda s: {"a.tgz": tarred({IN_CHAPTER: answer(s).encode()}, "gz")}, (TAKEN, "")),
    "tar.xz": (lambda s: {"a.tar.xz": tarred({IN_CHAPTER: answer(s).encode()}, "xz")}, (TAKEN, "")),
    "tar": (lambda s: {"a.tar": tarred({IN_CHAPTER: answer(s).encode()}, "")}, (TAKEN, "")),
    "cu.txt": (lambda s: {f"{NAME}.cu.txt": answer(s).encode()}, (TAKEN, "")),
    "cpp": (lambda s: {f"{NAME}.cpp": answer(s).encode()}, (TAKEN, "")),
    "CU": (lambda s: {f"{NAME}.CU": answer(s).encode()}, (TAKEN, "")),
    "mixed case": (lambda s: {f"Ch03/{NAME.title()}.Cu": answer(s).encode()}, (TAKEN, "")),
    "a second download": (lambda s: {f"{NAME} (1).cu": answer(s).encode()}, (TAKEN, "")),
    "cu.txt in the chapter": (lambda s: {f"{IN_CHAPTER}.txt": answer(s).encode()}, (TAKEN, "")),
    "stub and copy": (
        lambda s: {IN_CHAPTER: STUB.encode(), f"{CHAPTER}/exercises/{NAME} (1).cu": answer(s).encode()},
        (TAKEN, ""),
    ),
    "loose stub and copy": (
        lambda s: {f"{NAME}.cu": STUB.encode(), f"{NAME} - Copy.cu": answer(s).encode()},
        (TAKEN, ""),
    ),
    "the same twice": (lambda s: {f"{NAME}.cu": answer(s).encode(), f"{NAME}(1).cu": answer(s).encode()}, (TAKEN, "")),
    "UTF-16": (lambda s: {f"{NAME}.cu": answer(s).encode("utf-16")}, (TAKEN, "")),
    "UTF-16 without a mark": (lambda s: {f"{NAME}.cu": answer(s).encode("utf-16-le")}, ("unreadable", "zero byte")),
    "two changed ones": (
        lambda s: {f"{NAME}.cu": answer(s).encode(), f"{NAME} (1).cu": answer("x" + s).encode()},
        ("unreadable", "there are several files"),
    ),
    "unchanged": (lambda s: {IN_CHAPTER: STUB.encode()}, ("not_begun", "the blank is unchanged")),
    "notebook": (lambda s: {"work.ipynb": b"{}"}, ("unreadable", "work.ipynb")),
    "pdf": (lambda s: {"report.pdf": b"%PDF"}, ("unreadable", "report.pdf")),
    "empty folder": (lambda s: {}, ("unreadable", "nothing is in it")),
    "hidden folder": (lambda s: {f".work/{IN_CHAPTER}": answer(s).encode()}, ("unreadable", f"{NAME}.cu")),
}


class Forms(unittest.TestCase):
    def test_every_row_is_right(self):
        self.assertEqual(len(FORMS), 30)
        with tempfile.TemporaryDirectory() as folder:
            room, group = Path(folder, "room"), Path(folder, "class")
            wanted = {}
            for number, (form, (files, row)) in enumerate(FORMS.items()):
                student = f"student{number:02}"
                wanted[student] = (form, row)
                os.makedirs(group / student)
                for name, data in files(student).items():
                    path = group / student / name
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.write_bytes(data)
            students, empty = submission.students([group], room)
            self.assertEqual(empty, [])
            self.assertEqual([each.name for each in students], list(wanted))
            for student in students:
                form, (reason, text) = wanted[student.name]
                with self.subTest(form, student=student.name):
                    found = classroom.look(student, EXERCISE)
                    if isinstance(found, classroom.Grade):
                        self.assertEqual(found.verdict.reason, reason, found.verdict.text)
                        self.assertIn(text, found.line)
                    else:
                        self.assertEqual((reason, found[0].blank), (TAKEN, [f"    return 32;  // {student.name}"]))


if __name__ == "__main__":
    unittest.main()
