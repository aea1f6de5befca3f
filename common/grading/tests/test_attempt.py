"""The results of an attempt: verdicts, and what the learner is told."""

import json
import unittest
from dataclasses import replace
from pathlib import Path

import support
from grading.check import attempt, compile_link, diagnostics
from grading.check.build import Backend
from grading.process import limited_process

NONCE = "secret"


def outcome(*notes, code=0, **fields):
    """A run of a grader that wrote these notes to the verdict's pipe."""
    lines = [note if isinstance(note, str) else json.dumps({"nonce": NONCE, **note}) for note in notes]
    return replace(limited_process.Outcome(code, None, "", "", ""), verdict="\n".join(lines) + "\n", **fields)


class Judge(unittest.TestCase):
    def judge(self, *notes, **fields):
        verdict = attempt.verdict_of(outcome(*notes, **fields), NONCE, limited_process.Limits(seconds=7))
        self.graded = verdict.graded
        return verdict.reason, verdict.text

    def test_solved(self):
        for status in ("solved", "not_graded"):
            self.assertEqual(self.judge({"reason": "", "status": status}), ("", ""))
            self.assertEqual(self.graded, status == "solved")

    def test_failed(self):
        self.assertEqual(self.judge({"reason": "race", "text": "here"}, code=1), ("race", "here"))

    def test_what_is_set_by_us_is_not_explained_to_the_learner(self):
        text = "no progress\nTUTORIAL_CPU_TIME_LIMIT sets the limit\nn = 1"
        self.assertEqual(self.judge({"reason": "backend", "text": text}, code=1)[1], "no progress\nn = 1")

    def test_only_notes_with_the_nonce_count(self):
        for fake in (
            '{"reason": "", "text": ""}',
            '{"nonce": "guess", "reason": ""}',
            '{"nonce": "", "reason": ""}',
            '["secret"]',
            '"secret"',
            "secret",
            "{",
        ):
            reason, text = self.judge(fake)
            self.assertEqual(reason, "no_verdict", fake)
            self.assertIn("ended by itself, with exit code 0", text)

    def test_what_is_printed_proves_nothing_but_is_shown(self):
        printed = json.dumps({"nonce": NONCE, "reason": ""})
        reason, text = self.judge(output=f"{printed}\n\x1b[31mred\n")
        self.assertEqual(reason, "no_verdict")
        self.assertIn("Your code printed:", text)
        self.assertNotIn("\x1b", text)

    def test_a_crash_says_where_the_grader_was(self):
        reason, text = self.judge({"at": "n = 31"}, {"at": "n = 33, input random"}, code=None, signal=11)
        self.assertEqual(reason, "crash")
        crashed = "the program crashed: SIGSEGV, an access to memory that does not exist"
        self.assertTrue(text.startswith(f"n = 33, input random: {crashed}"))

    def test_limits(self):
        reason, text = self.judge({"at": "n = 33"}, code=None, stopped="time_limit")
        self.assertEqual(reason, "time_limit")
        self.assertIn("n = 33: stopped after 7 s", text)
        self.assertEqual(self.judge(code=None, stopped="memory_limit")[0], "memory_limit")

    def test_what_takes_too_long_is_said_to_be_in_a_kernel_or_on_the_host(self):
        for where, words in (
            ("kernel", "a loop of the kernel"),
            ("host", "on the host"),
            ("elsewhere", "endless loop"),
        ):

            def runner(_command, _folder, _limits, _environment, nonce, where=where):
                note = json.dumps({"nonce": nonce, "where": where}) + "\n"
                return replace(outcome(code=None, stopped="time_limit"), verdict=note)

            verdict = attempt.run_program(["./attempt"], Path("ex1.cu"), Path("."), attempt.Means(runner))
            self.assertEqual(verdict.reason, "time_limit")
            self.assertIn(words, verdict.text)

    def test_a_verdict_is_held_against_the_solutions_values(self):
        def reason(said, means_digest):
            def runner(_command, _folder, _limits, _environment, nonce):
                return replace(outcome(code=1 if said else 0), verdict=json.dumps({"nonce": nonce, **note}) + "\n")

            note = {"reason": said, "digest": "abc"}
            means = attempt.Means(runner, seed=7, digest=means_digest)
            return attempt.run_program(["./attempt"], Path("ex1.cu"), Path("."), means).reason

        self.assertEqual([reason("", None), reason("", "abc")], ["", ""])
        self.assertEqual([reason("", ""), reason("", "abd")], ["no_verdict", "no_verdict"])
        self.assertEqual(reason("race", "abd"), "race")

    def test_a_crash_after_the_verdict_is_no_pass(self):
        self.assertEqual(self.judge({"reason": ""}, code=None, signal=11)[0], "crash")
        self.assertEqual(
            self.judge({"reason": ""}, code=3),
            ("crash", "everything was right, and then the program crashed: exit code 3"),
        )

    def test_what_the_code_printed_follows(self):
        text = self.judge({"reason": "answer", "text": "n = 1"}, code=1, output="mine\n")[1]
        self.assertEqual(text, "n = 1\nYour code printed:\n  mine")


class Steps(unittest.TestCase):
    """run_attempt with a runner that only records what it is asked to run."""

    def setUp(self):
        self.exercise = support.small_tutorial(self)
        self.folder = self.exercise.root / "build"
        self.folder.mkdir()
        self.backend = Backend(
            "cuda", self.exercise.root, "nvcc", ["-O3"], [], ["lib.a"], {"ch01/ex1": ["target", "grader.o"]}
        )
        self.commands = []

    def run_attempt(self, *answers):
        """`answers`: the outcome of each command."""
        waiting = list(answers)

        def runner(command, folder, limits, environment=None, nonce=None):
            self.commands.append(command)
            self.assertEqual(folder, self.folder)
            answer = waiting.pop(0)
            if nonce:
                return replace(answer, verdict=answer.verdict.replace(NONCE, nonce))
            return answer

        verdict = attempt.run_attempt(
            self.exercise,
            self.exercise.official,
            self.exercise.learner,
            self.backend,
            self.folder,
            attempt.Means(runner),
        )
        self.assertEqual(waiting, [])
        return verdict

    def test_compile_errors_end_it(self):
        said = f"{self.exercise.learner}:9:5: error: no\n    9 |  x\n"
        verdict = self.run_attempt(outcome(code=1, output=said))
        self.assertEqual((verdict.reason, verdict.kind), ("compile", "cuda"))
        self.assertEqual(verdict.text, "ex1_twice.cu:9:5: error: no\n    9 |  x")

    def test_a_compiler_that_does_not_end(self):
        verdict = self.run_attempt(outcome(code=None, stopped="time_limit"))
        self.assertEqual((verdict.reason, verdict.text), ("compile", "the compiler did not finish within 60 s"))

    def test_steps_that_fail(self):
        for code, reason in (
            (compile_link.NO_NAMES, "forbidden"),
            (compile_link.NOT_WATCHED, "forbidden"),
            (1, "compile"),
        ):
            self.assertEqual(self.run_attempt(outcome(code=code)).reason, reason, "without names nothing is believed")
        (self.folder / "attempt.names").write_text("")
        self.assertEqual(self.run_attempt(outcome(code=compile_link.NOT_WATCHED)).reason, "grader")
        verdict = self.run_attempt(outcome(code=compile_link.NOT_LINKED, output="undefined reference to `f(int)'"))
        self.assertEqual((verdict.reason, verdict.text[:6]), ("compile", "f(int)"))

    def test_names_that_are_not_allowed_say_more_than_the_linker(self):
        listing = " 1: 0000000000000000     4 FUNC    GLOBAL DEFAULT    1 memcmp\n"
        (self.folder / "attempt.names").write_text(listing)
        verdict = self.run_attempt(outcome(code=compile_link.NOT_LINKED, output="undefined reference to `f(int)'"))
        self.assertEqual(verdict.reason, "forbidden")
        self.assertIn("defines 'memcmp'", verdict.text)

    def test_what_is_compiled_is_the_official_file_with_the_blank(self):
        self.run_attempt(outcome(code=1))
        merged = (self.folder / "attempt.cu").read_text(encoding="utf-8")
        self.assertIn("return 2 * x;", merged)
        self.assertIn(f'#line 1 "{self.exercise.learner}"', merged)
        self.assertIn(f"-c {self.folder}/attempt.cu", self.commands[0][-1])


class Words(unittest.TestCase):
    name = Path("/home/me/ex1.cu")

    def test_only_the_learners_errors_are_shown(self):
        output = (
            "In file included from /home/me/ex1.cu:3:\n"
            "/usr/include/x.h:7:1: error: theirs\n    7 | x\n"
            "/home/me/ex1.cu: In function 'int f()':\n"
            "/home/me/ex1.cu:12:3: warning: odd\n   12 | y\n"
            "/home/me/ex1.cu:13:3: error: mine\n   13 | z\n      | ^\n"
            "cc1plus: some warnings\n"
        )
        text = diagnostics.of_compiler(output, self.name)
        self.assertEqual(text.splitlines()[0], "ex1.cu:13:3: error: mine")
        self.assertNotIn("theirs", text)
        self.assertNotIn("odd", text)

    def test_nvcc(self):
        output = '/home/me/ex1.cu(13): error: identifier "z" is undefined\n      z;\n      ^\n\n1 error detected\n'
        self.assertTrue(diagnostics.of_compiler(output, self.name).startswith("ex1.cu(13): error: identifier"))

    def test_errors_elsewhere_are_shown_where_there_are_no_others(self):
        self.assertIn("theirs", diagnostics.of_compiler("/usr/include/x.h:7:1: error: theirs\n", self.name))
        self.assertEqual(diagnostics.of_compiler("Segmentation fault\n", self.name), "Segmentation fault")

    def test_braces_that_do_not_fit(self):
        official = ["    }", "    if (x) {"]
        said = diagnostics.of_braces
        self.assertEqual(said(["}", "while (y) {"], official), "")
        self.assertEqual(said(["{"], ["a"]), "The blank opens 1 brace more than it closes.\n")
        self.assertEqual(said(["}", "}"], ["a"]), "The blank closes 2 braces more than it opens.\n")
        self.assertEqual(said(['f(\'{\', "\\"{{"); // {', "/* {", "{ */"], ["a"]), "")

    def test_very_many_errors(self):
        output = "".join(f"/home/me/ex1.cu:{i}:1: error: no\n" * 2 for i in range(100))
        lines = diagnostics.of_compiler(output, self.name).splitlines()
        self.assertEqual(lines[:2], ["ex1.cu:0:1: error: no", "ex1.cu:1:1: error: no"])
        self.assertEqual(lines[3:], ["… and 97 more errors"])
        lines = diagnostics.of_compiler("word\n" * 100, self.name).splitlines()
        self.assertEqual((len(lines), lines[-1]), (41, "… and 60 more lines"))

    def test_lines_that_are_rewritten(self):
        exercise = support.small_tutorial(self)
        name = exercise.learner
        name.write_text(
            "    __shared__ float sums[n];\n    k<<<1, 2>>>(x, 3);\n    k<<<1, y>>>(x);\n", encoding="utf-8"
        )
        output = (
            f"{name}:1:100: error: 'float [n]' is a variably modified type\n    1 |     __shared__ float sums[n];\n"
            f"      |    ^\n{name}:1:141: error: more\n"
            f"{name}:2:232: error: no match for call to '(emulator::TypedLaunch<f(float*)>) (int)'\n"
            "    2 | k\n      | ^\n"
            f"{name}:3:40: error: 'y' was not declared\n    3 |     k<<<1, y>>>(x);\n      |       ^\n"
        )
        self.assertEqual(
            diagnostics.of_compiler(output, name).splitlines(),
            [
                "ex1_twice.cu:1: error: the size of a __shared__ array must be a constant; memory whose size "
                "the launch gives is declared extern __shared__ float name[];",
                "    __shared__ float sums[n];",
                "ex1_twice.cu:2: error: the arguments of this launch do not fit the kernel's parameters",
                "    k<<<1, 2>>>(x, 3);",
                "ex1_twice.cu:3: error: 'y' was not declared",
                "    3 |     k<<<1, y>>>(x);",
            ],
        )

    def test_the_rewriters_lines_become_the_learners(self):
        exercise = support.small_tutorial(self)
        merged = exercise.root / "attempt.cu"
        merged.write_text('#line 1 "a"\nx\n#line 20 "a"\ny\nz\n', encoding="utf-8")
        text = diagnostics.of_rewriter(f"{merged}:5: error: <<< without its >>>", merged, exercise.learner)
        self.assertEqual(text, "ex1_twice.cu:21: error: <<< without its >>>")

    def test_the_linker(self):
        text = diagnostics.of_linker("g.o: undefined reference to `reverse(int const*)'\ncollect2: error\n")
        self.assertEqual(text, "reverse(int const*) is not defined: has its name or have its parameters changed?")
        self.assertEqual(diagnostics.of_linker("multiple definition of `f()'; a.o"), "f() is defined twice")


if __name__ == "__main__":
    unittest.main()
