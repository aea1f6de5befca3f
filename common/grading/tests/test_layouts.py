"""Exports of learning platforms: whose a file is, which exercise it is, and malicious archives."""

import io
import os
import stat
import tarfile
import unittest
import zipfile
from pathlib import Path
from typing import Callable
from unittest import mock

import support  # puts the tool's folder on the path
from grading.course import layouts, submission
from grading.course.submission import Student
from grading.files import exercise as exercises
from grading.grading_error import GradingError

HEADING = "// Exercise 3.2: how many sectors?\n"


def zipped(files: dict[str, str], method=zipfile.ZIP_DEFLATED) -> bytes:
    """A zip; a name that ends in @ is a link's."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", method) as archive:
        for name, text in files.items():
            info = zipfile.ZipInfo(name.rstrip("@"))
            info.compress_type = method
            if name.endswith("@"):
                info.external_attr = (stat.S_IFLNK | 0o777) << 16
            archive.writestr(info, text)
    return made.getvalue()


def failing_for(folder: str, function: Callable, error: Exception) -> Callable:
    """The function, made to fail if a path ends like this."""

    def fails(path, *others, **named):
        if str(path).endswith(folder):
            raise error
        return function(path, *others, **named)

    return fails


class Layouts(unittest.TestCase):
    def setUp(self):
        self.root = support.scratch(self)
        self.room = self.root / "room"

    def put(self, files: dict[str, "str | bytes"]) -> None:
        for name, text in files.items():
            path = self.root / "class" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text if isinstance(text, bytes) else text.encode())

    def students(self, *folders: Path) -> dict[str, Student]:
        found, self.empty = submission.students(list(folders) or [self.root / "class"], self.room)
        return {student.name: student for student in found}

    def files(self, student: Student) -> dict[str, str]:
        """The text of each of the student's exercises."""
        found = {}
        for exercise in exercises.find():
            chosen, _ = submission.choose(student, exercise)
            if chosen:
                found[exercise.id] = chosen.path.read_text()
        return found

    def chosen(self, student: Student, exercise_id: str):
        return submission.choose(student, exercises.select([exercise_id], exercises.find())[0])

    def test_moodle(self):
        self.put(
            {
                "Anna Berg_123_assignsubmission_file_/ex2_sectors.cu": "a",
                "Anna Berg_124_assignsubmission_file_/ch03/ex2.cu": "other anna",
                "Ben_125_assignsubmission_file_/work.zip": zipped({"mine/ch02/ex1_tail.cu": "b", "x.txt": "x"}),
                "Cleo_126_assignsubmission_file_ex1_tail.cu": "c",
                "Dan_127_assignsubmission_onlinetext_/onlinetext.html": "d",
            }
        )
        found = self.students()
        self.assertEqual(list(found), ["Anna Berg", "Anna Berg (2)", "Ben", "Cleo", "Dan"])
        self.assertEqual([student.number for student in found.values()], ["123", "124", "125", "126", "127"])
        self.assertEqual(self.files(found["Anna Berg"]), {"ch03/ex2": "a"})
        self.assertEqual(self.files(found["Anna Berg (2)"]), {"ch03/ex2": "other anna"})
        self.assertEqual(self.files(found["Ben"]), {"ch02/ex1": "b"})
        self.assertEqual(self.files(found["Cleo"]), {"ch02/ex1": "c"})
        self.assertIn("onlinetext.html", found["Dan"].trouble)
        self.assertEqual(self.empty, [])

    def test_canvas(self):
        self.put(
            {
                "berganna_1001_2001_ex2_sectors.cu": "first",
                "berganna_1001_2002_ex2_sectors-1.cu": "second",
                "berganna_1001_2003_ex1_tail-12.cu": "c",
                "mayben_LATE_1002_2004_ch02_ex1.cu": "b",
                "dorncleo_1003_2005_handed_in.zip": zipped({"a/b/anything.cu": HEADING + "z"}),
                "notes.pdf": "",
            }
        )
        found = self.students()
        self.assertEqual(list(found), ["berganna", "dorncleo", "mayben"])
        self.assertEqual(self.files(found["berganna"]), {"ch03/ex2": "second", "ch02/ex1": "c"})
        self.assertEqual(self.files(found["mayben"]), {"ch02/ex1": "b"})
        self.assertEqual(self.files(found["dorncleo"]), {"ch03/ex2": HEADING + "z"})
        self.assertEqual([student.is_late for student in found.values()], [False, False, True])

    def test_a_class_in_a_zip(self):
        self.put({"all.zip": zipped({"class/ada/ch03/ex2.cu": "a", "class/bob.zip": "no zip"})})
        found = self.students(self.root / "class" / "all.zip")
        self.assertEqual(list(found), ["ada", "bob"])
        self.assertEqual(self.files(found["ada"]), {"ch03/ex2": "a"})
        self.assertIn("bob.zip cannot be unpacked", found["bob"].trouble)

    def test_one_students_loose_files(self):
        self.put({"ex2_sectors.cu": "a", "first_ex3.cu": "b", "mine.cu": "no heading"})
        found = self.students()
        self.assertEqual(self.files(found["class"]), {"ch03/ex2": "a", "first/ex3": "b"})

    def test_somebody_is_called_as_a_chapter(self):
        self.put({"ch03/ch03/ex2.cu": "a", "bob_1_2_ex2_sectors.cu": "b"})
        self.assertEqual(list(self.students()), ["bob", "ch03"])

    def test_several_files_for_one_exercise(self):
        self.put({"ada/one/ex2_sectors.cu": "a", "ada/two/ex2_sectors.cu": "b", "bob.zip": zipped({"x.cu": HEADING})})
        found = self.students()
        with self.assertRaisesRegex(GradingError, "several files for ch03/ex2: one/ex2_sectors.cu, two/ex2_sectors.cu"):
            self.files(found["ada"])
        self.put({"ada/two/ex2_sectors.cu": "a"})
        self.assertEqual(self.files(self.students()["ada"]), {"ch03/ex2": "a"})

    def test_a_copy_next_to_the_file_in_a_tree_is_named(self):
        at = "ada/ch03_reduce_optimized/exercises/ex2_sectors"
        self.put({f"{at}.cu": "a", f"{at} (1).cu": "b", f"{at} - Copy.cu": "a"})
        chosen, others = self.chosen(self.students()["ada"], "ch03/ex2")
        self.assertEqual((chosen.path.read_text(), others), ("a", [f"{at[4:]} (1).cu"]))

    def test_several_files_in_archives_are_named_with_them(self):
        self.put({"ada/a.zip": zipped({"x/ex2_sectors.cu": "a"}), "ada/b.zip": zipped({"ex2_sectors.cu": "b"})})
        with self.assertRaisesRegex(GradingError, "ch03/ex2: a.zip/x/ex2_sectors.cu, b.zip/ex2_sectors.cu$"):
            self.files(self.students()["ada"])

    def test_a_bad_archive_spoils_nothing_else(self):
        bad = {"work.zip": b"PK and no more", "work.rar": b"Rar!", "work.7z": b"7z"}
        for name, data in bad.items():
            self.put({f"ada/{name}": data, "ada/ex2_sectors.cu": "a", "ada/ex1_tail.cu": "t"})
            ada = self.students()["ada"]
            self.assertEqual(self.files(ada), {"ch03/ex2": "a", "ch02/ex1": "t"})
            self.assertIn(name, ada.trouble)
            self.assertNotIn("\n", ada.trouble)
        self.put({"bob.rar": b"Rar!", "eve_1_assignsubmission_file_/e.rar": b"Rar!"})
        found = self.students()
        for name in ("bob", "eve"):
            self.assertIn(".rar is an archive of an unsupported kind: use zip or tar", found[name].trouble)

    def test_hidden_folders_have_a_row(self):
        self.put({".zoe/ch03/ex2.cu": "z", ".nothing/notes.txt": "", "ada/ch03/ex2.cu": "a", ".git/ch03/ex2.cu": "",
                  "__MACOSX/ada/._ex2.cu": "", ".ipynb_checkpoints/ex2_sectors.cu": "", ".DS_Store": ""})  # fmt: skip
        found = self.students()
        self.assertEqual(list(found), [".nothing", ".zoe", "ada"])
        self.assertEqual(self.files(found[".zoe"]), {"ch03/ex2": "z"})
        self.assertIn("no exercise was found", found[".nothing"].trouble)

    def test_files_of_nobody_are_named(self):
        self.put({"ada/ch03/ex2.cu": "a", "report by bob.docx": b"PK", "list.xlsx": b"PK"})
        self.students()
        self.assertEqual(self.empty, ["list.xlsx", "report by bob.docx"])

    def test_there_is_no_way_out_of_a_zip(self):
        names = ("../ex2_sectors.cu", "a/../../ex2_sectors.cu", "/tmp/ex2_sectors.cu", "C:/ex2_sectors.cu",
                 "..\\ex2_sectors.cu", "\\\\host\\ex2_sectors.cu", "ex2_sectors.cu@", "x" * 250 + ".cu")  # fmt: skip
        self.put({"eve.zip": zipped({**{name: "evil" for name in names}, "ex1_tail.cu": "good"})})
        before = {path for path in self.root.rglob("*.cu")}
        found = self.students()
        self.assertEqual(self.files(found["eve"]), {"ch02/ex1": "good"})
        made = {path for path in self.root.rglob("*") if path.suffix == ".cu"} - before
        self.assertEqual([path.name for path in made], ["ex1_tail.cu"])
        self.assertTrue(all(self.room in path.parents for path in made))
        self.assertFalse(Path("/tmp/ex2_sectors.cu").exists())

    def test_bombs(self):
        zeros = "\0" * (3 << 20)
        inner = zipped({f"{i}.cu": zeros for i in range(80)})
        nested = zipped(
            {"a.zip": zipped({"b.zip": zipped({"c.zip": zipped({"ex1_tail.cu": "deep"})})}).decode("latin-1")}
        )
        self.put(
            {
                "large.zip": zipped({"ex1_tail.cu": zeros}),
                "many.zip": zipped({f"{i}.cu": "" for i in range(4100)}),
                "much.zip": inner,
                "nested.zip": nested,
                "half.zip": inner[: len(inner) // 2],
                "none.zip": b"PK\x03\x04 and no more",
                "good.zip": zipped({"ch03/ex2.cu": "g"}),
            }
        )
        found = self.students()
        self.assertEqual(self.files(found["good"]), {"ch03/ex2": "g"})
        self.assertIn("more than 4000 files", found["many"].trouble)
        self.assertIn("more than 64 MiB", found["much"].trouble)
        for name in ("half", "none"):
            self.assertIn("cannot be unpacked", found[name].trouble)
        with self.assertRaisesRegex(GradingError, "larger than 1 MiB"):
            submission.parts_of(self.chosen(found["large"], "ch02/ex1")[0].path, "large")
        unpacked = sum(path.stat().st_size for path in self.room.rglob("*") if path.is_file())
        self.assertLess(unpacked, 100 << 20)

    def test_a_damaged_file_in_the_zip_of_a_class(self):
        """It belongs to its student only, even if one file has the name of another one's folder."""
        names = ("ada_1_assignsubmission_file_/ex2_sectors.cu", "bob_2_assignsubmission_file_/ex2_sectors.cu",
                 "eve_3_assignsubmission_file_/x.cu", "eve_3_assignsubmission_file_/x.cu/ex2_sectors.cu")  # fmt: skip
        data = bytearray(zipped({name: name * 9 for name in names}))
        at = data.index(names[0].encode()) + len(names[0])  # the first file's first bytes
        data[at : at + 6] = b"\xff" * 6
        self.put({"all.zip": bytes(data)})
        found = self.students(self.root / "class" / "all.zip")
        self.assertEqual((list(found), self.empty), (["ada", "bob", "eve"], []))
        self.assertEqual(self.files(found["bob"]), {"ch03/ex2": names[1] * 9})
        self.assertEqual(self.files(found["ada"]), {"ch03/ex2": ""})

    def test_what_nobody_thought_of(self):
        self.put({"ada/x/ex2_sectors.cu": "a", "bob/ch03/ex2.cu": "b", "eve.zip": zipped({"ch03/ex2.cu": "e"})})
        for module, name in ((layouts, "_sources"), (submission, "_chapters_of")):
            for error in (PermissionError(13, "not\nfor you"), RecursionError(), MemoryError(), KeyError("x")):
                with mock.patch.object(module, name, failing_for("/ada", getattr(module, name), error)):
                    found = self.students()
                self.assertEqual(sorted(found), ["ada", "bob", "eve"])
                self.assertRegex(found["ada"].trouble, r"^what was handed in cannot be read: [^\n]+$")
                self.assertEqual(found["bob"].trouble, "")

    def test_tars_are_held_by_the_same_limits(self):
        def tar(name: str, size: int) -> bytes:
            made = io.BytesIO()
            with tarfile.open(fileobj=made, mode="w:gz") as archive:
                entry = tarfile.TarInfo(name)
                entry.size = size
                archive.addfile(entry, io.BytesIO(bytes(size)))
            return made.getvalue()

        self.put({"ada/ch03/ex2.cu": "a", "bob/a.tar.gz": tar("../../../out.cu", 9), "cem/a.tgz": b"no archive"})
        self.put({"dan/a.tgz": tar("/tmp/out.cu", 9), "eve/a.tgz": tar("padding.bin", 1 << 20)})
        with mock.patch.object(layouts, "_MAX_TAR", 1 << 19):
            found = self.students()
        self.assertEqual(list(self.root.rglob("out.cu")), [])
        self.assertRegex(found["cem"].trouble, "a.tgz cannot be unpacked")
        self.assertRegex(found["eve"].trouble, "a.tgz cannot be unpacked: it holds more than")

    def test_archives_without_end(self):
        inner = zipped({"ex2_sectors.cu": "a"})
        for _ in range(5):
            inner = zipped({"next.zip": inner})
        self.put(
            {"ada/ch03/ex2.cu": "a", "bob/a.zip": inner, **{f"eve/{i}.zip": zipped({"x.cu": ""}) for i in range(11)}}
        )
        found = self.students()
        self.assertRegex(found["bob"].trouble, "no exercise was found")
        self.assertRegex(found["eve"].trouble, "more than 10 archives")

    def test_links_lead_nowhere(self):
        self.put({"ada/ch03/ex2.cu": "a", "secret/none.txt": ""})
        os.symlink("/etc/passwd", self.root / "class" / "bob_1_2_ex2_sectors.cu")
        os.symlink("/", self.root / "class" / "root")
        (self.root / "class" / "eve").mkdir()
        os.symlink("/etc/passwd", self.root / "class" / "eve" / "ex2_sectors.cu")
        found = self.students()
        self.assertEqual(list(found), ["ada", "eve", "secret"])
        with self.assertRaisesRegex(GradingError, "symbolic link"):
            submission.parts_of(self.chosen(found["eve"], "ch03/ex2")[0].path, "eve")


if __name__ == "__main__":
    unittest.main()
