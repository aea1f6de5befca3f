"""A whole grader, and a learner who hands in what SAMPLE says: does the library give the right verdict?

    library_test.py --kind lab PROGRAM                   grader and learner in one process
    library_test.py --kind lab PROGRAM --judge JUDGE     in two: PROGRAM is the learner's
"""

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import unittest
import unittest.mock
from pathlib import Path

import paths  # puts the tool's folder on the path
from grading.process import limited_process, two_processes

NONCE = "a-nonce-for-this-test"
PROGRAM = ""
JUDGE = ""
KIND = ""


class Ended:
    """How one run of the grader ended. `verdict` is None if it gave none."""

    def __init__(self, code, said, output):
        self.code = code
        self.output = output
        valid = []
        for line in said.splitlines():
            try:
                fields = json.loads(line)
            except ValueError:
                continue
            if fields.get("nonce") == NONCE:
                valid.append(fields)
        self.places = [fields["at"] for fields in valid if "at" in fields]
        verdicts = [fields for fields in valid if "reason" in fields]
        self.verdict = verdicts[0] if verdicts else None


def grade(sample, phase="answers", more=()):
    """With a judge in two processes: without a verdict the exit code is the learner's, otherwise the judge's."""
    arguments = [*(["--phase", phase] if phase else []), *more]
    environment = {"TUTORIAL_CPU_TIME_LIMIT": "1"}
    run, limits = limited_process.run, limited_process.Limits(seconds=60)
    with tempfile.TemporaryDirectory() as name, unittest.mock.patch.dict(os.environ, SAMPLE=sample):
        if not JUDGE:
            done = run([PROGRAM, *arguments], Path(name), limits, environment, NONCE)
            return Ended(exit_code(done), done.verdict, done.output)
        asked = two_processes.run(
            [JUDGE, *arguments], NONCE, [PROGRAM], "another", Path(name), run, limits, environment
        )
    assert asked.trouble == "", asked.trouble
    ended = Ended(asked.code, asked.told.verdict, asked.outcome.output)
    if ended.verdict is None:
        ended.code = exit_code(asked.outcome)
    return ended


def exit_code(done):
    return -done.signal if done.signal else done.code


def needs(*kinds):
    return unittest.skipUnless(KIND in kinds, "for " + " and ".join(kinds))


class LibraryTest(unittest.TestCase):
    def expect(self, sample, reason, *texts, **options):
        ended = grade(sample, **options)
        self.assertIsNotNone(ended.verdict, ended.output)
        self.assertEqual(ended.verdict["reason"], reason, ended.verdict["text"])
        for text in texts:
            self.assertIn(text, ended.verdict["text"])
        self.assertEqual(ended.code, 1 if reason else 0)
        return ended

    def expect_code(self, code, sample, *texts):
        self.assertEqual(self.expect(sample, "backend", *texts).verdict["code"], code)

    def expect_none(self, sample, code):
        ended = grade(sample)
        self.assertIsNone(ended.verdict)
        self.assertEqual(ended.code, code)
        self.assertTrue(ended.places, "where it was is known")

    def test_right_in_every_order(self):
        for phase, order in (("answers", ""), ("reverse", "reverse"), ("shuffle", "shuffled")):
            if phase != "answers" and KIND == "cuda":
                continue
            ended = self.expect("right", "", phase=phase)
            self.assertEqual(ended.verdict["text"], "")
            # In other orders of threads only some sizes and inputs are tried again.
            last = f"n = 1025, input sixteen; threads in {order} order" if order else "n = 12345, input extremes"
            self.assertEqual(ended.places[-1], last)

    def test_one_call_judges_all_phases(self):
        ended = self.expect("right", "", phase="")
        self.assertEqual(ended.verdict["status"], "solved")
        self.assertEqual(len(ended.verdict["digest"]) // 32, {"lab": 4, "cpu": 3, "cuda": 2}[KIND])
        if KIND != "cuda":
            self.assertTrue(any("shuffled order" in place for place in ended.places))
        bars = [(bar["what"], bar["measured"], bar["relation"], bar["allowed"]) for bar in ended.verdict["bars"]]
        loads = "sectors per request, loads from global memory"
        expected = [("launches", 1, "exactly", 1), (loads, 4, "at most", 4)]
        self.assertEqual(bars, expected if KIND == "lab" else [])
        self.assertTrue(all(bar["is_met"] for bar in ended.verdict["bars"]))

    @needs("lab")
    def test_the_first_phase_that_fails_ends_it(self):
        ended = self.expect("race", "race", phase="")
        self.assertEqual(ended.verdict["status"], "not_solved")
        self.assertEqual(len(ended.verdict["digest"]), 32)
        self.assertEqual(ended.verdict["file"], "sample_learner.cu")
        source = (paths.COMMON / "grading/tests/sample_learner.cu").read_text(encoding="utf-8").splitlines()
        self.assertIn("reversed[", source[ended.verdict["line"] - 1])

    def test_a_phase_that_this_build_does_not_have(self):
        verdict = self.expect("right", "", phase="counts" if KIND != "lab" else "times").verdict
        self.assertEqual(verdict["status"], "not_graded")

    def test_the_digest_is_that_of_the_values(self):
        digest = self.expect("right", "").verdict["digest"]
        self.assertEqual(len(digest), 32)
        if KIND != "cuda":
            backwards = self.expect("right", "", phase="reverse").verdict["digest"]
            self.assertEqual(self.expect("right", "", phase="shuffle").verdict["digest"], backwards)
        self.assertNotEqual(self.expect("right", "", more=("--seed", "7")).verdict["digest"], digest)
        self.assertNotEqual(self.expect("right", "", more=("--max-n", "33")).verdict["digest"], digest)

    def test_counts_and_times(self):
        for phase in ("counts", "times"):
            self.expect("right", "", phase=phase)

    def test_most_n(self):
        ended = self.expect("right", "", more=("--max-n", "33"))
        self.assertIn("n = 33,", ended.places[-1])

    def test_the_host_is_kept_out_of_device_memory(self):
        """Even if the read is in a library function, where the lab does not see it."""
        if JUDGE:
            self.expect("touches_unseen", "device_pointer", "The host's code touches byte 0 of d_items.")

    def test_a_kernel_tells_the_host_nothing_by_cudas_state(self):
        if KIND != "cuda":
            self.expect("sets_attribute", "backend", "calls cudaFuncSetAttribute() at sample_learner.cu:")
        if JUDGE:
            self.expect("fails_call", "backend", "A kernel calls CUDA functions that only the host may call")

    def test_printf_stores_nothing(self):
        if JUDGE:
            self.expect_none("prints_n", -signal.SIGABRT)

    def test_wrong_value(self):
        self.expect(
            "last_is_missing",
            "answer",
            "d_reversed[0]: expected",
            "every bit is set",
            "This was with n = 1, input small",
        )

    def test_ends_without_a_word(self):
        self.expect_none("exit", 0)
        self.expect_none("fake", 0)

    def test_ends_before_main(self):
        ended = grade("ends_before_main")
        self.assertIsNone(ended.verdict)

    def test_the_nonce_is_out_of_reach(self):
        self.expect("reads_nonce", "")

    def test_crash(self):
        self.expect_none("crash", -11)

    def test_exceptions(self):
        self.expect("throws", "cuda_error", "thrown by the learner", "n = 1, input small")
        self.expect("throws_a_number", "cuda_error", "not a std::exception")
        self.expect("cuda_error", "cuda_error", "invalid resource handle", "sample_learner.cu")
        self.expect("much_memory", "memory_limit", "The host ran out of memory")

    def test_a_wrong_grader(self):
        self.expect("grader_compares_nothing", "grader", "compared nothing")
        self.expect("grader_bad_pattern", "grader", "'{} {}'")

    @needs("lab", "cpu")
    def test_what_the_backend_finds(self):
        self.expect_code("divergent_barrier", "barrier", "divergent barrier", "n = 1, input small")
        self.expect_code("endless_loop" if KIND == "lab" else "no_progress", "endless", "no progress for 1 s")
        self.expect_code("launch", "bad_launch", "launch of kernel", "n = 0, input random")
        self.expect("host_pointer", "host_pointer", "is a pointer to host memory")
        self.expect("leak", "leak", "not freed: 4 bytes", "sample_learner.cu", "more:")

    def test_out_of_bounds(self):
        self.expect(
            "off_by_one", "out_of_bounds", "out of bounds", "d_reversed (4 bytes)", "This was with n = 1, input small"
        )

    @needs("lab")
    def test_what_the_lab_finds(self):
        self.expect("race", "race", "race within a block", "race_kernel", " of d_reversed (124 bytes)")
        self.expect("race_and_wrong", "race", "Besides: d_reversed[")
        self.expect("unwritten", "uninitialised", "Nothing has been written there yet", "Besides:")

    @needs("lab")
    def test_what_is_counted_is_compared(self):
        self.expect("grader_counts_only", "grader", "it counts what it does not compare", phase="counts")

    @needs("lab")
    def test_counts_against_bars(self):
        self.expect(
            "race_and_wrong",
            "count",
            "launches: 2; 1 is required.\nOne launch does it.",
            "This was with n = 1024.",
            phase="counts",
        )
        self.expect("predicts_too_much", "prediction", "not the right number yet", phase="counts")
        self.expect("predicts_too_little", "prediction", "not the right number yet", phase="counts")
        self.expect(
            "predicts_too_little",
            "prediction",
            "Not every predicted number is right (1 in all)",
            phase="counts",
            more=("--seed", "7"),
        )

    def test_by_hand(self):
        if JUDGE:
            alone = subprocess.run([JUDGE], stdout=subprocess.PIPE, text=True)
            self.assertEqual(alone.returncode, 1)
            self.assertIn("there is no process to call a function in", alone.stdout)
            return

        def run(sample, *arguments):
            return subprocess.run(
                [PROGRAM, *arguments],
                env=dict(os.environ, SAMPLE=sample),
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
            )

        right, wrong_value = run("right"), run("last_is_missing")
        self.assertEqual((right.returncode, json.loads(right.stdout)["status"]), (0, "solved"))
        self.assertEqual((wrong_value.returncode, json.loads(wrong_value.stdout)["reason"]), (1, "answer"))
        for wrong in (["--phase", "all"], ["--order", "up"], ["--max-n", "x"], ["--colour"], ["answers"], ["--phase"]):
            done = run("right", *wrong)
            self.assertEqual(done.returncode, 2, wrong)
            self.assertEqual(done.stdout.count("\n"), 1, done.stdout)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--judge", default="")
    parser.add_argument("--kind", choices=("lab", "cpu", "cuda"), required=True)
    options, rest = parser.parse_known_args()
    PROGRAM, KIND = os.path.abspath(options.program), options.kind
    JUDGE = os.path.abspath(options.judge) if options.judge else ""
    unittest.main(argv=[sys.argv[0], *rest])
