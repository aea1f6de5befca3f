"""Chapters on several GPUs, under a real launcher: right answers for 1 to 8 ranks, what is sent, and how they fail.

multi_gpu_test.py --bin DIR --backend cpu|cuda [--least RANKS] --most RANKS [NAME…]
"""

from __future__ import annotations

import argparse
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Sequence

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))
from building.turn import todays_part
from tutorial import multi_gpu

SETTINGS = argparse.Namespace(bin=Path(), backend="cpu", least=1, most=4)
SECONDS = 240


def program(chapter: str) -> str:
    name = {"ch01": "ch01_bubble", "ch04": "ch04_squaresum", "ch05": "ch05_merge_bitonic", "ch06": "ch06_topk"}[chapter]
    return str(SETTINGS.bin / f"{name}_multi_gpu_{SETTINGS.backend}")


class Run:
    """A program on that many ranks, until `finish`."""

    def __init__(self, ranks: int, *words: str):
        self._until_finished = ExitStack()
        launcher, environment = self._until_finished.enter_context(multi_gpu.launcher(ranks))
        self._child = subprocess.Popen(
            [*launcher, *words],
            env=os.environ | environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        self.pid = self._child.pid

    def finish(self, seconds: float = SECONDS) -> tuple[int, str, str]:
        """Exit code, output and errors."""
        with self._until_finished:
            try:
                out, err = self._child.communicate(timeout=seconds)
            except subprocess.TimeoutExpired:
                os.killpg(self.pid, signal.SIGKILL)
                out, err = self._child.communicate()
                raise AssertionError(f"still running after {seconds} s:\n{out}{err}") from None
        return self._child.returncode, out, err


class Right(unittest.TestCase):
    """Every rank checks its part of the result: exit code 0 says that all of it is right."""

    def right(self, chapter: str, *lines: tuple[int, str]) -> None:
        """Runs each line of options with that many ranks; on the emulator a third each day."""
        if SETTINGS.backend == "cpu":
            lines = tuple(todays_part(lines, min(3, len(lines))))
        # Ranks that start or end mostly wait. Runs can share GPUs as well: results stay right.
        with ThreadPoolExecutor(2 if SETTINGS.backend == "cpu" else 4) as pool:
            runs = pool.map(lambda each: Run(each[0], program(chapter), *each[1].split()).finish(), lines)
            for (ranks, options), (code, out, err) in zip(lines, runs):
                with self.subTest(ranks=ranks, options=options):
                    self.assertEqual(code, 0, out + err)
                    self.assertIn("one_gpu", out)
                    self.assertEqual(out.count(" ok"), 2, out)

    def all_right(self, chapter: str, *lines: str) -> None:
        """Runs each line of options with 1, 2, 3 and as many ranks as are allowed."""
        counts = sorted({count for count in (1, 2, 3, SETTINGS.most) if SETTINGS.least <= count <= SETTINGS.most})
        self.right(chapter, *((ranks, options) for options in lines for ranks in counts))

    def right_in_turn(self, chapter: str, *lines: str) -> None:
        """Runs each line of options with one number of ranks: 2, 3 and 8 in turn, or the nearest that is allowed."""
        most = 8 if SETTINGS.backend == "cpu" else SETTINGS.most
        turn = [max(SETTINGS.least, min(ranks, most)) for ranks in (2, 3, 8)]
        self.right(chapter, *((turn[number % 3], options) for number, options in enumerate(lines)))

    def test_ch01(self) -> None:
        self.all_right("ch01", "--n 0", "--n 1", "--n 3", "--n 257", "--n 1025")
        self.right_in_turn(
            "ch01", "--n 3001 --input reversed --type int", "--n 2048 --input special", "--n 2002 --input equal"
        )

    def test_ch04(self) -> None:
        self.all_right("ch04", "--n 0", "--n 1", "--n 3", "--n 1025", "--n 100003")
        self.all_right("ch04", "--n 70001 --values wide --input extremes")

    def test_ch05(self) -> None:
        self.all_right("ch05", *(f"--n {n} --rounds 4" for n in (0, 1, 3, 1025)))
        self.right_in_turn(
            "ch05",
            "--n 20011 --input random --rounds 0",
            "--n 20011 --input equal --rounds 1",
            "--n 20011 --input large_first --rounds 2",
            "--n 20011 --input two --rounds 4",
            "--n 9001 --input extremes",
            "--n 20011 --input reversed --rounds 3",
            "--n 9001 --input sixteen --values",
            "--n 5003 --input equal --values",
        )

    def test_ch05_in_rounds(self) -> None:
        """Many keys, more than the L2 cache holds with two ranks; one round is sorted while the next one travels."""
        n, pairs = ("300007", "150007") if SETTINGS.backend == "cpu" else ("2^26", "2^25")
        self.right("ch05", (8 if SETTINGS.backend == "cpu" else SETTINGS.most, f"--n {n} --rounds 4"))
        self.right_in_turn(
            "ch05",
            f"--n {n} --rounds 3 --input two",
            f"--n {n} --rounds 4 --input large_first",
            f"--n {pairs} --rounds 2 --values --input sixteen",
        )

    def test_ch06(self) -> None:
        self.all_right("ch06", "--n 0", "--n 1", "--n 3", "--n 1025")
        self.right_in_turn(
            "ch06",
            "--n 20011 --k 0",
            "--n 20011 --distinct --input sixteen",
            "--n 1000 --k 700",  # more than a rank's share
            "--n 20011 --k 33 --input equal",
            "--n 20011 --smallest --type float --input special",
            "--n 20011 --k 100 --input large_first --distinct",
        )

    def test_a_csv_holds_both_rows(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "rows.csv"
            for _ in range(2):
                code, out, err = Run(2, program("ch04"), "--n", "1000", "--csv", str(file)).finish()
                self.assertEqual(code, 0, out + err)
            lines = file.read_text(encoding="utf-8").splitlines()
            self.assertEqual(len(lines), 5)
            self.assertEqual(
                [line.split(",")[10] for line in lines], ["row", "one_gpu", "2_gpus"] + ["one_gpu", "2_gpus"]
            )

    def test_one_gpu_with_the_same_total(self) -> None:
        for chapter in "ch04", "ch05", "ch06":
            code, out, err = Run(2, program(chapter), "--n", "5003", "--same-total").finish()
            self.assertEqual(code, 0, out + err)
            self.assertRegex(out, r"one_gpu +2502 .*\n *same_total +5003 .* ok\n")


class Counted(unittest.TestCase):
    """What the emulator's links carry is what the models of predict() say, with 2, 3 and 8 ranks."""

    def sent(self, ranks: int, chapter: str, *options: str) -> tuple[dict[tuple[int, int], tuple[int, int]], str]:
        """(from, to): messages and bytes; and all that was printed."""
        code, out, err = Run(ranks, program(chapter), *options).finish()
        self.assertEqual(code, 0, out + err)
        found = re.findall(r"^rank (\d+) +rank (\d+) +(\d+) +(\d+)$", out, re.MULTILINE)
        return {(int(a), int(b)): (int(messages), int(size)) for a, b, messages, size in found}, out

    def test_margins_go_to_both_neighbours(self) -> None:
        for ranks in 2, 3, 8:
            links, out = self.sent(ranks, "ch01", "--n", "2003")
            steps = int(re.findall(r"; (\d+) half-steps", out)[0])
            times = -(-2003 // steps)
            pairs = [pair for rank in range(ranks - 1) for pair in ((rank, rank + 1), (rank + 1, rank))]
            self.assertEqual(links, {pair: (times, times * steps * 4) for pair in pairs})

    def test_a_sum_goes_round_twice(self) -> None:
        for ranks in 2, 3, 8:
            links, _ = self.sent(ranks, "ch04", "--n", "5003")
            messages = 2 * (ranks - 1)  # each of a part of the 8 bytes
            self.assertEqual(set(links.values()), {(messages, messages * -(-8 // ranks))})

    def test_candidates_go_round_once(self) -> None:
        for ranks in 2, 3, 8:
            links, _ = self.sent(ranks, "ch06", "--n", "5003", "--k", "33")
            ring = {(rank, (rank + 1) % ranks): (ranks - 1, (ranks - 1) * 33 * 8) for rank in range(ranks)}
            self.assertEqual(links, ring)

    def test_each_key_travels_once(self) -> None:
        n, rounds = 300007, 2
        for ranks in 2, 3, 8:
            # The first pass cuts for buckets of 4,096 keys, a sample of 32 keys each. The sample and where the
            # first pass's buckets begin go round a ring; messages begin and end at 16 bytes.
            ways = next(ways for ways in range(ranks, n, ranks) if ways * ways * 4096 >= n)
            ring = (ranks - 1) * (ways * ways * 32 // ranks + ways + 1) * 4
            keys = n * (ranks - 1) / ranks
            links, _ = self.sent(ranks, "ch05", "--n", str(n), "--rounds", str(rounds))
            for (a, b), (messages, size) in links.items():
                gathers = 2 * (ranks - 1) if b == (a + 1) % ranks else 0
                self.assertEqual(messages, gathers + rounds)
            pieces = sum(size for _, size in links.values()) - ranks * ring
            self.assertGreater(pieces, 0.95 * keys * 4)
            self.assertLess(pieces, 1.05 * keys * 4 + ranks * (ranks - 1) * rounds * 24)
        links, _ = self.sent(ranks, "ch05", "--n", str(n), "--rounds", str(rounds), "--input", "sorted")
        pieces = sum(size for _, size in links.values()) - ranks * ring
        self.assertLess(pieces, 0.05 * n * 4)  # nearly all are where they belong


class Refusing(unittest.TestCase):
    """What one rank refuses ends all, with one line and soon."""

    def test_each(self) -> None:
        ch04, ch05, ch06 = (program(chapter) for chapter in ("ch04", "ch05", "ch06"))
        cases: list[tuple[int, str, int, Sequence[str]]] = [
            # A wrong option.
            (2, "--n", 2, (ch04, "--n", "many")),
            (2, "--k", 2, (ch06, "--k", "5000")),
            (2, "--input", 2, (ch05, "--input", "sortd")),
            # A wrong option of one rank.
            (2, "rank 1 of 2", 1, (ch04, "--n", "100", ":", "-n", "1", ch04, "--bogus")),
            # A rank with another n.
            (2, "different options from rank 0", 1, (ch04, "--n", "100", ":", "-n", "1", ch04, "--n", "200")),
            # A sum that does not fit.
            (2, "2^64", 2, (ch04, "--n", "100000", "--values", "full")),
            # A CSV file that cannot be written.
            (1, "/dev/null/none", 2, (ch04, "--n", "100", "--csv", "/dev/null/none")),
        ]
        # The launcher takes two seconds to end, and does nothing meanwhile.
        with ThreadPoolExecutor(len(cases) if SETTINGS.backend == "cpu" else 1) as pool:
            runs = pool.map(lambda case: Run(case[2], *case[3]).finish(30), cases)
            for (code, text, _, words), (got, out, err) in zip(cases, runs):
                with self.subTest(words=" ".join(words)):
                    self.assertEqual(got, code, out + err)
                    self.assertIn(text, err)
                    said = [line for line in err.splitlines() if "multi_gpu" in line or "rank " in line]
                    self.assertEqual(len(said), 1, err)


class Failing(unittest.TestCase):
    """A rank that is lost ends all."""

    def long_run(self) -> tuple[Run, list[int]]:
        """Eight ranks at work for long, or as many as there are GPUs, and their process ids."""
        n = "2^15" if SETTINGS.backend == "cpu" else "2^20"
        more = [] if SETTINGS.backend == "cpu" else ["--samples", "1000"]
        ranks = 8 if SETTINGS.backend == "cpu" else min(8, SETTINGS.most)
        run = Run(ranks, program("ch01"), "--n", n, *more)
        name = Path(program("ch01")).name[:15]
        for _ in range(300):
            time.sleep(0.1)
            pids = [
                int(entry.name)
                for entry in Path("/proc").iterdir()
                if entry.name.isdigit() and _name(entry) == name and _parent(entry) == run.pid
            ]
            if len(pids) == ranks:
                time.sleep(2 if SETTINGS.backend == "cpu" else 6)  # connected, and at work
                return run, pids
        raise AssertionError("the ranks did not start")

    def test_a_rank_that_is_killed(self) -> None:
        run, pids = self.long_run()
        os.kill(pids[-1], signal.SIGKILL)
        code, _, _ = run.finish(10)
        self.assertNotEqual(code, 0)

    def test_a_rank_that_is_not_heard_of(self) -> None:
        """No launcher reports a rank that has stopped: the others notice that its pulse is missing."""
        run, pids = self.long_run()
        os.kill(pids[-1], signal.SIGSTOP)
        try:
            code, _, err = run.finish(20)
        finally:
            for pid in pids:
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
        self.assertNotEqual(code, 0)
        self.assertIn("has not been heard from", err)


def _name(entry: Path) -> str:
    try:
        return (entry / "comm").read_text(encoding="utf-8").strip()
    except OSError:
        return ""


def _parent(entry: Path) -> int:
    try:
        return int((entry / "stat").read_text(encoding="utf-8").rpartition(")")[2].split()[1])
    except (OSError, IndexError):
        return 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", type=Path, required=True)
    parser.add_argument("--backend", choices=["cpu", "cuda"], default="cpu")
    parser.add_argument("--least", type=int, default=1, help="ranks of a run")
    parser.add_argument("--most", type=int, default=4)
    arguments, rest = parser.parse_known_args()
    SETTINGS = arguments
    SETTINGS.bin = arguments.bin.resolve()
    unittest.main(argv=[sys.argv[0], *rest])
