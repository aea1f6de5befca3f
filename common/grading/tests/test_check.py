"""./tutorial check: what it grades, remembers and shows."""

import contextlib
import io
import os
import re
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import paths  # puts the tool's folder on the path
import support
from grading.check import attempt, check, checker, show, state, watch
from grading.check.build import Backend
from grading.check.state import State
from grading.course import grade
from grading.files import exercise as exercises


class FakeBuild:
    """A build folder in which nothing is built."""

    def __init__(self, root):
        self.folder = root / "build"
        self.gpu = False
        self.made = []
        self.library = root / "lib.a"
        self.library.write_text("library", encoding="utf-8")
        grader = root / "grader.o"
        grader.write_text("grader", encoding="utf-8")
        backend = Backend("lab", root, "c++", ["-Og"], [], [str(self.library)], {"ch01/ex1": ["target", str(grader)]})
        self.backends = {"lab": backend}

    def precompile(self):
        return self

    def make(self, exercise_ids, kinds, jobs):
        self.made.append((exercise_ids, kinds))


class CheckTest(unittest.TestCase):
    def setUp(self):
        self.exercise = support.small_tutorial(self)
        self.build = FakeBuild(self.exercise.root)
        self.state_file = self.exercise.root / "build" / "exercises.json"
        self.verdict = attempt.Verdict("", "", 1.0, "lab")
        self.attempts = 0
        self.together: list[bool] = []  # for each attempt: does the report hide which number is wrong?
        patch = mock.patch.object(attempt, "run_attempt", self.run_attempt)
        patch.start()
        self.addCleanup(patch.stop)

    def run_attempt(self, exercise, shown, name, backend, folder, means=attempt.Means()):
        self.attempts += 1
        self.together.append(means.seed != 0)
        self.shown = shown
        return self.verdict

    def write(self, *blank):
        official = self.exercise.official
        self.exercise.learner.write_text(
            "\n".join([*official.before, *blank, *official.after]) + "\n", encoding="utf-8"
        )

    def make_kind(self, kind):
        notes = self.exercise.notes_file
        notes.write_text(notes.read_text(encoding="utf-8").replace("kind: write", f"kind: {kind}"), encoding="utf-8")

    def checker(self, state=None):
        return checker.Checker(self.build, ["lab"], state or State(self.state_file), 1)

    def result(self):
        return next(iter(self.checker().check([self.exercise])))

    def said(self, call, *arguments):
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            code = call(*arguments)
        return code, out.getvalue()


class Results(CheckTest):
    def test_the_stub_is_not_begun_and_not_compiled(self):
        self.assertEqual(self.result().status, "not begun")
        self.write("    return x;   ", "")
        self.assertEqual(self.result().status, "not begun")
        self.assertEqual((self.attempts, self.build.made), (0, []))

    def test_a_fault_to_be_found_is_graded_as_it_was_handed_out(self):
        self.make_kind("fault")
        self.verdict = attempt.Verdict("race", "race within a block\n  and where", 1.0, "lab")
        result = self.result()
        self.assertEqual((result.status, self.attempts), ("not begun", 1))
        self.assertNotIn("race", show.line(result), "the list does not give it away")
        self.assertIn("race within a block", show.details(result))
        self.assertIn("You have not changed the file yet", show.details(result))
        self.assertIn("./tutorial check ch01/ex1 --play", show.details(result))

    def test_what_is_to_become_faster_shows_its_count_and_the_bar_before_it_is_changed(self):
        self.make_kind("faster")
        self.verdict = attempt.Verdict("count", "sectors per request: 32; at most 5 is allowed.", 1.0, "lab")
        self.assertEqual(self.result().status, "not begun")
        self.assertIn("32; at most 5 is allowed", show.details(self.result()))

    def test_numbers_are_not_found_by_trying_them(self):
        self.make_kind("predict")
        self.verdict = attempt.Verdict("prediction", "launches: not the right number yet.", 1.0, "lab")
        for number in range(1, 4):
            self.write(f"    return {number};")
            self.assertEqual(self.result().verdict.text, self.verdict.text)
        self.assertEqual(self.attempts, 3)
        self.write("    return 4;")
        self.assertIn("Not checked", self.result().verdict.text)
        self.assertEqual(self.attempts, 3)
        self.write("    return 3;")  # a hint that was shown before may be shown again
        self.assertEqual(self.result().verdict.text, self.verdict.text)
        state = State(self.state_file)
        state.next_hint(self.exercise, 2)
        self.write("    return 4;")
        self.assertEqual(self.result().verdict.text, self.verdict.text)
        State(self.state_file).next_hint(self.exercise, 2)  # the last one: from here on all are checked
        for number in range(5, 15):
            self.write(f"    return {number};")
            self.assertEqual(self.result().verdict.text, self.verdict.text)
        self.assertEqual(self.together, [False] * 9 + [True] * 5, "numbers are judged singly three times a hint")
        self.said(check._reset, [self.exercise], State(self.state_file))
        self.write("    return 15;")
        self.assertIn("Not checked", self.result().verdict.text, "a reset does not begin anew")
        for _ in range(2):
            State(self.state_file).next_hint(self.exercise, 2)
        self.result()
        self.assertTrue(self.together[-1])

    def test_solved(self):
        self.write("    return x + x;")
        self.assertEqual(self.result().status, "solved")
        self.assertEqual(self.shown.blank, ["    return x + x;"])
        self.assertEqual(self.build.made, [(["ch01/ex1"], ["lab"])])

    def test_verdicts_are_remembered(self):
        self.write("    return x + x;")
        self.result()
        self.assertEqual(self.result().status, "solved")
        self.assertEqual(self.attempts, 1)

    def test_whatever_may_change_a_verdict_makes_it_anew(self):
        self.write("    return x + x;")
        self.result()
        for number, change in enumerate(
            (
                lambda: self.write("    return x * 2;"),
                lambda: self.build.library.write_text("another library", encoding="utf-8"),
                lambda: (self.exercise.root / "common" / "harness" / "cuda_check.hpp").write_text(
                    "// other\n", encoding="utf-8"
                ),
                lambda: self.state_file.write_text("{", encoding="utf-8"),
                self.state_file.unlink,
            ),
            2,
        ):
            change()
            self.assertEqual(self.result().status, "solved")
            self.assertEqual(self.attempts, number)

    def test_what_nothing_here_can_grade_is_not_solved(self):
        self.write("    return x + x;")
        self.verdict = attempt.Verdict("", "", 1.0, "lab", graded=False)
        for _ in range(2):  # remembered, the second time
            result = self.result()
            self.assertEqual((result.status, result.solved), ("not graded", False))
        self.assertIn("counted by the lab, which is not available here", show.line(result))

    def test_what_may_be_otherwise_next_time_is_not_remembered(self):
        self.write("    return x + x;")
        self.verdict = attempt.Verdict("time_limit", "stopped", 1.0, "lab")
        self.assertEqual(self.result().status, "not solved")
        self.result()
        self.assertEqual(self.attempts, 2)

    def test_files_that_cannot_be_read(self):
        for data, said, repair in (
            (b"nothing\n", "there must be one marker '// TODO", "    // TODO (about 1 line): twice x.\n        ...\n"),
            (b"\xff\xfe", "is not UTF-8 text", "Save it as UTF-8"),
            (None, "is not there", ""),
        ):
            if data is None:
                self.exercise.learner.unlink()
            else:
                self.exercise.learner.write_bytes(data)
            result = self.result()
            self.assertEqual(result.status, "unreadable")
            self.assertIn(said, show.line(result))
            self.assertIn(repair, show.details(result))
            self.assertIn("./tutorial check --reset ch01/ex1", show.details(result))

    def test_a_change_outside_the_blank_is_said(self):
        text = support.SOLUTION.replace("return 2 * x", "return x + x").replace("int twice", "long twice")
        self.exercise.learner.write_text(text, encoding="utf-8")
        result = self.result()
        self.assertEqual((result.status, result.changed), ("solved", 10))
        self.assertIn("Line 10 is outside the blank", show.details(result))


class Dependencies(unittest.TestCase):
    def test_what_a_verdict_depends_on_is_there(self):
        """Otherwise a file that has moved would no longer count, and old verdicts would stay."""
        for pattern in state._DEPENDENCIES:
            chapters = [""] if "{chapter}" not in pattern else [e.folder for e in exercises.find()]
            found = [path for folder in chapters for path in exercises.ROOT.glob(pattern.format(chapter=folder))]
            if pattern != "{chapter}/*.h":  # the learner's own file
                self.assertTrue(found, pattern)


class Verb(CheckTest):
    def check(self):
        state = State(self.state_file)
        return self.said(check._check, [self.exercise], [self.exercise], self.checker(state), state)

    def test_not_begun(self):
        code, out = self.check()
        self.assertEqual(code, 1)
        self.assertIn("ch01/ex1  not begun   Twice as much\n", out)
        self.assertIn(
            "ch01_small/exercises/ex1_twice.cu (fill in the blank)\n      read ch01_small/README.md#twice", out
        )
        self.assertTrue(out.endswith("\n0 of 1 solved.\n"))

    def test_solved(self):
        self.write("    return x + x;")
        code, out = self.check()
        self.assertEqual((code, out), (0, "ch01/ex1  solved      Twice as much\n\n1 of 1 solved.\n"))

    def test_solved_with_counts_next_to_those_of_the_model_answer(self):
        self.write("    return x + x;")
        sectors = {"what": "sectors per request", "measured": 4.25, "relation": "at most", "allowed": 5}
        barriers = {"what": "barriers", "measured": 2, "relation": "exactly", "allowed": 2}
        verdicts = iter([[sectors, barriers], [dict(sectors, measured=4)]])
        with mock.patch.object(
            attempt, "run_attempt", lambda *words: attempt.Verdict("", "", 1.0, "lab", bars=next(verdicts))
        ):
            for _ in range(2):  # remembered, the second time
                code, out = self.check()
                lines = [" ".join(line.split()) for line in out.splitlines()]
                self.assertEqual(lines[1], "counted yours model answer required")
                self.assertEqual(lines[2:4], ["sectors per request 4.25 4 at most 5", "barriers 2 - 2"])

    def test_not_solved(self):
        self.write("    return x * x;")
        self.verdict = attempt.Verdict("answer", "item 0: expected 2, got 1\nn = 1", 1.0, "lab")
        code, out = self.check()
        self.assertEqual(code, 1)
        self.assertIn(
            "ch01/ex1  not solved  Twice as much: a wrong value\n    item 0: expected 2, got 1\n    n = 1\n", out
        )

    def test_every_reason_has_words(self):
        from grading.files import notes

        self.assertEqual(sorted(show.REASONS), sorted(notes.REASONS))

    def test_what_the_backend_finds_has_a_name_of_its_own(self):
        self.assertEqual(show.reason("backend", "no_progress"), "a kernel that never ends")
        self.assertEqual(show.reason("backend", "divergent_barrier"), "a barrier that not all threads reach")
        self.assertEqual(show.reason("backend", ""), show.REASONS["backend"])
        self.assertEqual(show.reason("race", "race"), "a race")

    def test_every_code_of_the_backend_has_words(self):
        header = (paths.COMMON / "emulator/include/emulator/report.hpp").read_text(encoding="utf-8")
        reasons = header.partition("enum class Reason")[2].partition("};")[0]
        codes = re.findall(r"^    (\w+)\b", reasons, re.MULTILINE)
        self.assertIn("divergent_barrier", codes)
        unknown = set(codes) - {"none"} - set(show.CODES) - set(show.REASONS)
        self.assertEqual(unknown, set())

    def test_hints(self):
        state = State(self.state_file)
        for expected in (1, 2, 2):
            count = State(self.state_file).next_hint(self.exercise, 2)
            self.assertEqual(count, expected)
        self.assertNotIn("Hint 2", show.hints(self.exercise, 1))
        self.assertIn("Hint 1: Multiply.\n\nHint 2: By two.", show.hints(self.exercise, 2))
        self.assertIs(check._next_unsolved([self.exercise], state), self.exercise)

    def test_a_verdict_fits_the_terminal_and_code_stays_whole(self):
        code = "     17 | " + "x" * 90
        text = [
            "race",
            "  thread 1 writes it",
            code,
            "Nothing orders the two, " + "word " * 11 + "word",
            "word.",
            "n = 4",
        ]
        lines = list(show._fitted(text, 60))
        self.assertEqual(lines[:3], ["    race", "      thread 1 writes it", "    " + code])
        self.assertTrue(all(len(line) <= 60 for line in lines if line != "    " + code))
        self.assertEqual(" ".join(line.strip() for line in lines[3:-1]), f"{text[3]} word.")
        self.assertEqual(lines[-1], "    n = 4")
        self.assertEqual(list(show._fitted(text, 0)), [f"    {line}" for line in text])

    def test_text_is_wrapped_and_code_is_not(self):
        text = show.wrapped(
            "one\ntwo " + "word " * 30 + "\n\n```cpp\nif (x)\n    " + "y" * 150 + "\n```\nthree\n- four\n- five"
        )
        lines = text.split("\n")
        self.assertTrue(lines[0].startswith("one two word word"))
        self.assertTrue(all(len(line) <= 100 for line in lines if "y" not in line))
        self.assertEqual(lines[-6:], ["", "    if (x)", "        " + "y" * 150, "three", "- four", "- five"])

    def test_solution(self):
        text = show.solution(self.exercise)
        self.assertIn("    return 2 * x;\n", text)
        self.assertIn("- the square (a wrong value): It is right for 0 and for 2.", text)

    def test_reset_keeps_every_version(self):
        file = self.exercise.learner
        stub = file.read_text(encoding="utf-8")
        state = State(self.state_file)
        _, out = self.said(check._reset, [self.exercise], state)
        self.assertEqual(out, "ch01_small/exercises/ex1_twice.cu is unchanged.\n")
        for number, text in ((1, "first"), (2, "second")):
            file.write_text(text, encoding="utf-8")
            _, out = self.said(check._reset, [self.exercise], state)
            self.assertIn(f"your version is kept as ch01_small/exercises/ex1_twice.cu.{number}.", out)
            self.assertEqual(file.read_text(encoding="utf-8"), stub)
        for number, text in ((1, "first"), (2, "second")):
            self.assertEqual(Path(f"{file}.{number}").read_text(encoding="utf-8"), text)
        file.unlink()
        self.said(check._reset, [self.exercise], state)
        self.assertEqual(file.read_text(encoding="utf-8"), stub)

    def test_a_file_that_is_a_link_is_not_written_through(self):
        other = self.exercise.root / "other.cu"
        other.write_text("mine", encoding="utf-8")
        self.exercise.learner.unlink()
        os.symlink(other, self.exercise.learner)
        self.said(check._reset, [self.exercise], State(self.state_file))
        self.assertEqual(other.read_text(encoding="utf-8"), "mine")
        self.assertFalse(self.exercise.learner.is_symlink())


class Watch(CheckTest):
    def test_it_ends_when_all_are_solved(self):
        saves = iter([["    return x * x;"], ["    return x + x;"]])

        def save(seconds):
            self.write(*next(saves))
            self.verdict = attempt.Verdict("" if self.attempts else "answer", "item 0", 1.0, "lab")

        with mock.patch.object(watch.time, "sleep", save):
            code, out = self.said(watch.watch, [self.exercise], self.checker())
        self.assertEqual((code, self.attempts), (0, 2))
        self.assertIn("ch01/ex1  not begun", out)
        self.assertIn("ch01/ex1  not solved  Twice as much: a wrong value", out)
        self.assertTrue(out.endswith("ch01/ex1  solved: Twice as much\nch01/ex1 is solved.\n"), out)


class NeedsABuild(unittest.TestCase):
    """Nothing is installed or built for a request that is wrong, or that needs no build."""

    def ended(self, main, *words: str) -> tuple[object, int]:
        """The exit code, or None if a build was wanted, and how often it was."""
        wanted = []

        def prepare():
            wanted.append(1)
            raise KeyError("no build here")

        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            try:
                return main(list(words), prepare), len(wanted)
            except KeyError:
                return None, len(wanted)

    def test_check(self):
        for words, code in (
            (("ch09",), 2),
            (("--colour",), 2),
            (("--help",), 0),
            (("ch03/ex2", "--solution"), 0),
            (("--reset",), 2),
        ):
            self.assertEqual(self.ended(check.main, *words), (code, 0), words)
        self.assertEqual(self.ended(check.main, "ch03/ex2"), (None, 1))

    def test_grade(self):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "class" / "anna" / "ch03").mkdir(parents=True)
            students, table = str(Path(folder) / "class"), str(Path(folder) / "a.csv")
            for words, code in (((students,), 2), (("--help",), 0), ((folder + "/none", "--csv", table), 2)):
                self.assertEqual(self.ended(grade.main, *words), (code, 0), words)
            self.assertEqual(self.ended(grade.main, students, "--csv", table), (None, 1))


if __name__ == "__main__":
    unittest.main()
