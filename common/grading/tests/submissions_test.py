"""Grades the folders that submissions.py makes: every student must get the right grade.

    submissions_test.py --build BUILD
"""

from __future__ import annotations

import argparse
import collections
import contextlib
import csv
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest
import xml.etree.ElementTree as xml
from pathlib import Path

sys.dont_write_bytecode = True
import moodle_class
import submissions
from grading.check.build import load
from grading.course.sandbox import Sandbox
from grading.process.limited_process import Limits
from submissions import LINE, NUMBERS, WHOLE

GRADE = Path(__file__).resolve().parents[1]
BUILD = Path()
COLUMNS = ["student", "exercise", "kind", "level", "solved", "reason", "text", "seconds", "points", "days late"]


def command(*words) -> list:
    return [sys.executable, GRADE, "grade", "--build", BUILD, *words]


def grade(*words, **more) -> subprocess.CompletedProcess:
    return subprocess.run(
        command(*words),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        errors="replace",
        **more,
    )


def rows_of(path: Path) -> list[dict]:
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


class SubmissionsTest(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self._folder = tempfile.TemporaryDirectory(prefix="submissions")
        self.folder = Path(self._folder.name)

    def tearDown(self):
        self._folder.cleanup()

    def test_every_grade(self):
        """And no student harms another student, or anything else."""
        with socket.socket() as listening:
            listening.bind(("127.0.0.1", 0))
            listening.listen()
            listening.setblocking(False)
            students = self.folder / "students"
            students.mkdir()
            expected = submissions.Maker(students, listening.getsockname()[1]).make(in_turn=True)
            self.assertGreaterEqual(len(expected), 40)
            table, junit = self.folder / "grades.csv", self.folder / "grades.xml"
            # Several at a time: some of them sleep until they are stopped.
            options = ["--exercise", WHOLE, NUMBERS, "--exercise", LINE]
            options += ["--time-limit", "4", "--memory-limit", "1024", "--jobs", "4"]
            # The sandbox is tested with code that may call anything.
            done = grade(students, "--csv", table, "--junit", junit, *options, "--again", "--any-code")
            self.assertEqual(
                (done.returncode, done.stderr),
                (1, "Left out, because there are no exercises in it: notes.txt\n"),
                "some could not be read",
            )
            with self.assertRaises(BlockingIOError, msg="nobody reached the network"):
                listening.accept()
        self.assertFalse((students / "mark").exists())
        self.assertEqual([p.name for p in (BUILD / "grade").iterdir()], ["verdicts.jsonl"])

        rows = rows_of(table)
        self.assertEqual(list(rows[0]), COLUMNS)
        found = {(row["student"], row["exercise"]): row for row in rows}
        self.assertEqual(len(found), 3 * len(expected), "one row for each student and exercise")
        wrong = []
        for each in expected:
            row = found.pop((each.shown or each.student, each.exercise))
            if (row["solved"], row["reason"]) != ("yes" if each.solved else "no", each.reason):
                wrong.append(f"{each}: {row}")
            elif each.reason not in ("race", "uninitialised", "out_of_bounds") and each.says not in row["text"]:
                wrong.append(f"{each}: {row}")  # for the others the first line does not say everything
        self.assertEqual(wrong, [])
        self.assertEqual({row["reason"] for row in found.values()}, {"missing"})

        suites = xml.parse(junit).getroot().findall("testsuite")
        self.assertEqual(len(suites), len(expected))
        failures = sum(not each.solved and each.reason not in ("missing", "not_begun") for each in expected)
        self.assertEqual(sum(int(suite.get("failures")) for suite in suites), failures)
        tried = [each for each in expected if each.exercise == WHOLE and each.reason != "not_begun"]
        solved = sum(t.solved for t in tried)
        often = collections.Counter(sorted(t.reason for t in tried if not t.solved)).most_common(1)[0]
        self.assertRegex(done.stdout, rf"(?m)^{WHOLE} +fault +{len(tried)} +{solved} +{often[0]} \({often[1]}\)$")
        self.assertRegex(done.stdout, r"(?m)^right_whole +1 +1 of 3$")

        # What was graded is remembered, and is not graded again.
        known = (BUILD / "grade" / "verdicts.jsonl").read_bytes()
        few = [students / name for name in ("right_whole", "wrong_whole_1", "right_numbers", "right_line")]
        again = grade(*few, "--csv", table, *options, "--any-code")
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertEqual(sum(row["solved"] == "yes" for row in rows_of(table)), 3)
        self.assertEqual((BUILD / "grade" / "verdicts.jsonl").read_bytes(), known)

    def test_the_submission_after_a_fork_bomb(self):
        """Its processes end when it is stopped, and none of them affects the next one."""
        source = self.folder / "bomb.cpp"
        source.write_text("#include <unistd.h>\nint main() { for (;;) fork(); }\n")
        compiler = next(iter(load(BUILD).backends.values())).compiler
        subprocess.run([compiler, source, "-o", self.folder / "bomb"], check=True)
        self.folder.chmod(0o755)
        for _ in range(3):
            limits = Limits(seconds=20, cpu_seconds=4, memory=1 << 30, processes=64)
            bomb = Sandbox((self.folder,)).run([str(self.folder / "bomb")], self.folder, limits, nonce="none")
            self.assertEqual(bomb.stopped, "process_limit")
            behind = Sandbox().run(["sh", "-c", "/bin/true && /bin/true && echo fine"], self.folder, limits)
            self.assertEqual((behind.code, behind.output), (0, "fine\n"))

    def test_what_is_not_allowed(self):
        """Every kind of trick to get around the grader is rejected, with the reason; the right answers pass."""
        students = self.folder / "students"
        students.mkdir()
        expected = submissions.Maker(students, 9).make_forbidden()
        self.assertGreaterEqual(len(expected), 30)
        table = self.folder / "grades.csv"
        done = grade(students, "--csv", table, "--exercise", WHOLE, "--again")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        found = {row["student"]: row for row in rows_of(table)}
        wrong = []
        for each in expected:
            row = found.pop(each.student)
            if (row["solved"], row["reason"]) != ("yes" if each.solved else "no", each.reason) or each.says not in row[
                "text"
            ]:
                wrong.append(f"{each.student}: {row['reason']}: {row['text']}")
        self.assertEqual(wrong, [])
        self.assertEqual(found, {})

    def test_tables_that_cannot_be_written(self):
        submissions.Maker(self.folder / "students", 9).make()
        one, table = self.folder / "students" / "right_line", self.folder / "a.csv"
        theirs = self.folder / "theirs.txt"
        theirs.write_text("a student's own\n")
        for words, code, said in (
            (["--csv", "/dev/full"], 3, "/dev/full cannot be written: No space left on device"),
            (["--csv", table, "--junit", table], 2, "two options name the same file"),
            (["--csv", theirs], 2, "is not overwritten"),
            (["--csv", table, "--junit", theirs], 2, "is not overwritten"),
            (["--csv", one / "a.csv"], 2, "is in the folder of the student right_line"),
        ):
            done = grade(one, *words, "--exercise", LINE)
            self.assertEqual((done.returncode, done.stderr.count("\n")), (code, 1), done.stderr)
            self.assertIn(said, done.stderr)
        self.assertEqual(theirs.read_text(), "a student's own\n")
        with open("/dev/full", "w") as full:
            done = subprocess.run(
                command(one, "--csv", table, "--exercise", LINE),
                stdout=full,
                stderr=subprocess.PIPE,
                text=True,
            )
        self.assertEqual((done.returncode, done.stderr.count("\n")), (3, 1), done.stderr)
        self.assertEqual([row["solved"] for row in rows_of(table)], ["yes"])

    def program_that_goes_on(self, attempts: Path, running: subprocess.Popen) -> int:
        """The process of an attempt that has run for two seconds."""
        since: dict[int, float] = {}
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and running.poll() is None:
            now = time.monotonic()
            for entry in Path("/proc").glob("[0-9]*"):
                with contextlib.suppress(OSError):  # it has ended in the meantime
                    command = (entry / "cmdline").read_bytes().split(b"\0")[0].decode()
                    if command.startswith(f"{attempts}/") and now - since.setdefault(int(entry.name), now) > 2:
                        return int(entry.name)
            time.sleep(0.1)
        raise AssertionError(f"no program goes on; exit code {running.poll()}")

    def test_interrupted(self):
        """The file holds what was graded, nothing keeps running, and the exit code is 130."""
        submissions.Maker(self.folder / "students", 9).make()
        table = self.folder / "grades.csv"
        chosen = [self.folder / "students" / name for name in ("empty", "sleeps")]
        # --again: what this student wrote is known from other tests; --any-code: what it calls is forbidden.
        options = ["--exercise", WHOLE, LINE, "--time-limit", "600", "--again", "--any-code"]
        running = subprocess.Popen(
            command(*chosen, "--csv", table, *options),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        attempts = BUILD / "grade" / str(running.pid)
        sleeping = self.program_that_goes_on(attempts, running)
        running.send_signal(signal.SIGINT)
        _, said = running.communicate(timeout=20)
        deadline = time.monotonic() + 5
        while Path("/proc", str(sleeping)).exists():
            self.assertLess(time.monotonic(), deadline, "it goes on running")
        self.assertEqual((running.returncode, said.count("Interrupted")), (130, 1), said)
        rows = rows_of(table)
        self.assertEqual(
            [(row["student"], row["exercise"], row["reason"]) for row in rows],
            [("empty", "ch02/ex1", "unreadable"), ("empty", "ch05/ex5", "missing"), ("sleeps", "ch02/ex1", "missing")],
        )
        self.assertFalse(attempts.exists())

    def test_wrong_words(self):
        submissions.Maker(self.folder / "students", 9).make()
        one, table = self.folder / "students" / "right_line", self.folder / "a.csv"
        (self.folder / "nobody").mkdir()
        for words, said in (
            ([], "no folder of students"),
            ([one], "--csv FILE is missing"),
            ([one, "--csv", self.folder], "is a folder"),
            ([one, "--csv", self.folder / "no" / "a.csv"], "there is no folder"),
            ([one / "nothing", "--csv", table], "is not a folder"),
            ([self.folder / "nobody", "--csv", table], "no exercises there"),
            ([one, "--csv", table, "--exercise", "ch09"], "there is no exercise 'ch09'"),
            ([one, "--csv", table, "--jobs", "0"], "it must be a number from 1 to 64"),
            ([one, "--csv", table, "--time-limit", "x"], "it must be a number from 1 to 3600"),
            ([one, "--csv", table, "--memory-limit", "1"], "it must be a number from 256"),
            ([one, "--csv", table, "--colour"], "unrecognized arguments: --colour"),
        ):
            done = grade(*words)
            self.assertEqual(done.returncode, 2, words)
            self.assertIn(said, done.stderr)
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertFalse(table.exists())

    def test_help(self):
        told = grade("--help")
        self.assertEqual(told.returncode, 0)
        self.assertIn("DIR is one student's folder", told.stdout)

    def test_no_sandbox(self):
        submissions.Maker(self.folder / "students", 9).make()
        words = [self.folder / "students" / "right_line", "--csv", self.folder / "a.csv", "--exercise", LINE]
        done = grade(*words, env=dict(os.environ, PATH="/nowhere"))
        self.assertEqual(done.returncode, 3)
        self.assertIn("it needs bwrap: install bubblewrap. For code that you trust: --no-isolation", done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        trusted = grade(*words, "--no-isolation", "--again")
        self.assertEqual(trusted.returncode, 0, trusted.stderr)
        self.assertEqual([row["solved"] for row in rows_of(self.folder / "a.csv")], ["yes"])


class ClassOfThirty(unittest.TestCase):
    """Moodle's download of a class in which many things go wrong, with its grading worksheet and deadlines."""

    def test_a_week(self):
        folder = tempfile.TemporaryDirectory(prefix="moodle")
        self.addCleanup(folder.cleanup)
        root = Path(folder.name)
        moodle_class.make(root)
        forms = moodle_class.forms()
        self.assertEqual(len(forms), 30)
        words = ["--csv", "grades.csv", "--course", "course.csv"]
        moodle = ["--roster", "worksheet.csv", "--gradebook", "points.csv", "--for", "moodle", "--feedback", "texts"]
        done = grade("submissions.zip", *words, *moodle, "--alike", "alike.csv", cwd=root)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertEqual(done.stderr, "Left out, because there are no exercises in it: list of groups.xlsx\n")
        self.assertNotIn("deadlines", done.stdout, "the worksheet knows all times")

        rows = rows_of(root / "grades.csv")
        book = list(csv.DictReader((root / "points.csv").read_text(encoding="utf-8").splitlines()))
        self.assertEqual((len(rows), len(book), len(list((root / "texts").iterdir()))), (60, 30, 30))
        names = {"Kim Lee ": "Kim Lee (2)"}
        for number, (student, (files, wanted, says)) in enumerate(forms.items(), 100):
            with self.subTest(student):
                own = [row for row in rows if row["student"].lstrip("'") == names.get(student, student)]
                self.assertEqual(tuple(row["reason"] for row in own), wanted)
                told = [row["text"] for row in own if row["reason"] != "missing" or not files]
                self.assertIn(says, told[0])
                line = next(row for row in book if row["Identifier"] == f"Participant {number}")
                kept = 1 - {"Ben Abel": 0.2, "Cleo Dorn": 0.1}.get(student, 0.0)
                points = kept * (2 * (wanted[0] == "") + (wanted[1] == ""))
                self.assertAlmostEqual(float(line["Grade"]), points)
                self.assertTrue(line["Feedback comments"].startswith(f"Tutorial points: {line['Grade']} of 3"))
        bad = done.stdout.partition("could be read from:\n")[2].splitlines()
        self.assertEqual(
            [line.split(":")[0].strip() for line in bad],
            ["Quin Rau", "Rita Sand", "Sam Thal", "Tim Uhl", "Will Xaver", "Xenia Yoon"],
        )
        self.assertEqual((root / "alike.csv").read_text().count("\n"), 1, "nobody's: no blank here is long enough")

        # Without the worksheet it is not known when they handed in, and two are called Kim Lee.
        (root / "times.csv").write_text("student,handed in\nKim Lee,2026-03-05\n")
        done = grade("submissions.zip", *words, "--handed-in", "times.csv", cwd=root)
        self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), done.stderr)
        self.assertIn("'Kim Lee' may be Kim Lee or Kim Lee (2): name them by number or address", done.stderr)
        done = grade("submissions.zip", *words, cwd=root)
        self.assertRegex(done.stdout, r"There are deadlines, but for \d+ of \d+ students it is not known")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=Path, required=True)
    options, rest = parser.parse_known_args()
    BUILD = options.build.resolve()
    if shutil.which("bwrap") is None:
        sys.exit("submissions_test.py needs bubblewrap: install it (package bubblewrap)")
    unittest.main(argv=[sys.argv[0], *rest])
