"""The rewriter that goes on: what it writes is what translate.py writes, and it may do nothing else."""

import os
import signal
import subprocess
import sys
import tempfile
import threading
import unittest
from pathlib import Path

from paths import COMMON
from grading.course.served_rewriter import ServedRewriter
from grading.grading_error import GradingError
from grading.process import limited_process

EMULATOR = COMMON / "emulator"
KERNEL = """#include "own.cuh"
__global__ void kernel(int* to) { __shared__ int own[32]; own[threadIdx.x] = twice(1); to[0] = own[0]; }
void call(int* to) { kernel<<<1, 32>>>(to); }
"""
HEADER = '#pragma once\n__device__ inline int twice(int x) { asm volatile("mov.u32 %0, %1;"); return 2 * x; }\n'


class ServedRewriterTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(os.path.realpath(folder.name))
        (self.folder / "own.cuh").write_text(HEADER)
        self.children: list[subprocess.Popen] = []

    def served(self, *command: str) -> ServedRewriter:
        def start(words, place, _limits):
            return _Entered(limited_process.companion(words, place), self.children)

        words = list(command) or [sys.executable, str(EMULATOR / "serve_rewrites.py")]
        made = ServedRewriter(start, words, self.folder, self.folder)
        self.addCleanup(made.close)
        return made

    def rewrite(self, served: ServedRewriter, text: str, name: str = "a", seconds: float = 30.0):
        source = self.folder / f"{name}.cu"
        source.write_text(text, encoding="utf-8")
        return served.rewrite(
            source, self.output(name), self.folder / "copies", limited_process.Limits(seconds, cpu_seconds=seconds)
        )

    def output(self, name: str = "a") -> Path:
        return self.folder / f"{name}.cpp"

    def by_command(self, name: str = "a") -> subprocess.CompletedProcess:
        """The same file, by translate.py, as NAME.expected; copies go to `expected`."""
        words = [sys.executable, str(EMULATOR / "translate.py"), str(self.folder / f"{name}.cu")]
        words += [str(self.folder / f"{name}.expected"), "--source-root", str(self.folder)]
        return subprocess.run(
            [*words, "--copies", str(self.folder / "expected")], stderr=subprocess.PIPE, text=True, check=False
        )

    def test_it_writes_what_the_command_writes(self):
        served = self.served()
        for name, text in (("a", KERNEL), ("b", KERNEL.replace("1, 32", "2, 32") + "// \u00e9\n"), ("c", "")):
            self.assertEqual(self.rewrite(served, text, name).code, 0)
            self.assertEqual(self.by_command(name).returncode, 0)
            expected = (self.folder / f"{name}.expected").read_text().replace("/expected/", "/copies/")
            self.assertEqual(self.output(name).read_text(), expected)
        copied = self.folder / "copies" / "own.cuh"
        self.assertEqual(copied.read_text(), (self.folder / "expected" / "own.cuh").read_text())
        self.assertEqual(len(self.children), 1, "it is started once")

    def test_what_is_wrong_is_said_as_by_the_command(self):
        served = self.served()
        done = self.rewrite(served, "void call() { kernel<<<1, 32(); }\n")
        self.assertEqual((done.code, done.output.strip()), (1, self.by_command().stderr.strip()))
        self.assertFalse(self.output().exists())
        self.assertEqual(self.rewrite(served, KERNEL).code, 0, "the next one is")

    def test_one_that_was_ended_is_started_again(self):
        served = self.served()
        self.assertEqual(self.rewrite(served, KERNEL).code, 0)
        os.killpg(self.children[0].pid, signal.SIGKILL)
        self.assertEqual(self.rewrite(served, KERNEL, "b").code, 0)
        self.assertEqual(len(self.children), 2)

    def test_each_thread_has_its_own(self):
        served = self.served()
        done = []
        threads = [
            threading.Thread(target=lambda name=name: done.append(self.rewrite(served, KERNEL, name).code))
            for name in ("a", "b")
        ]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        self.assertEqual(done, [0, 0])
        self.assertEqual(len(self.children), 2)
        served.close()
        self.assertEqual([each.poll() is None for each in self.children], [False, False])

    def answering(self, words: str) -> ServedRewriter:
        """One that gives this answer, whatever it is asked."""
        return self.served("sh", "-c", f"head -c 9 >/dev/null; printf '%08x%s' {len(words)} '{words}'; sleep 20")

    def test_where_files_go_is_not_its_choice(self):
        for path in ("/tmp/elsewhere", "copies", "copies/../own.cuh", "b.cpp"):
            name = str(self.folder / path)
            with self.assertRaisesRegex(GradingError, "not its own"):
                self.rewrite(self.answering(f'{{"code": 0, "files": {{"{name}": "x"}}}}'), KERNEL)
            self.assertFalse(Path("/tmp/elsewhere").exists())
        self.assertEqual((self.folder / "own.cuh").read_text(), HEADER)

    def test_an_answer_of_another_kind(self):
        for words in ("[]", "no JSON", '{"code": 0, "files": []}', '{"code": 0, "files": {"a": 1}}', "[" * 100000):
            with self.assertRaisesRegex(GradingError, "the rewriter has ended"):
                self.rewrite(self.answering(words), KERNEL)

    def test_one_that_does_not_end(self):
        done = self.rewrite(self.answering('{"code": null}'), KERNEL)
        self.assertEqual((done.code, done.stopped), (None, "time_limit"))

    def test_one_that_never_answers(self):
        done = self.rewrite(self.served("sleep", "100"), KERNEL, seconds=-4.5)
        self.assertEqual((done.code, done.stopped), (None, "time_limit"))
        self.assertIsNotNone(self.children[0].poll(), "it was ended")

    def test_one_that_cannot_begin(self):
        with self.assertRaisesRegex(GradingError, "the rewriter has ended"):
            self.rewrite(self.served("false"), KERNEL)


class _Entered:
    """A context that notes the child it begins."""

    def __init__(self, made, children):
        self._made, self._children = made, children

    def __enter__(self):
        self._children.append(self._made.__enter__())
        return self._children[-1]

    def __exit__(self, *what):
        return self._made.__exit__(*what)


if __name__ == "__main__":
    unittest.main()
