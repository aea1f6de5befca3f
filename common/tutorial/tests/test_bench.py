"""./tutorial bench: processes, lines, and a bench that is stopped and continued."""

from __future__ import annotations

import contextlib
import csv
import fcntl
import io
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path
from unittest import mock

from tutorial import merge_results, unfinished
from building.backend import Backend
from building.errors import Refused
from building.turn import todays_part
from tutorial.tests.test_merge_results import row
from tutorial.unfinished import Unfinished
from tutorial.verbs import bench

# A chapter's program: it writes each row as it is measured, and also to a log. `stop_after` says what happens after how
# many rows of this process.
ROWS = [row("slow", 90), row("small", None, message="takes 10 keys"), row("best", 10)]
ROWS += [row("lib", 30, "library"), row("lib2", 40, "library")]
# Tests start it hundreds of times: it imports only what it uses.
PROGRAM = """#!{python} -IS
import csv, os, sys
folder = {folder!r}
stop_after = ["-1", ""]
if os.path.isfile(folder + "/stop_after"):
    stop_after = open(folder + "/stop_after").read().split()
left, how = int(stop_after[0]), stop_after[1] if len(stop_after) > 1 else ""
if "--list" in sys.argv:
    print("slow stage one\\nsmall stage two\\nbest stage three\\nlib library four\\nlib2 library five")
    sys.exit()
lines = open(sys.argv[2]).read().splitlines() if sys.argv[1] == "--batch" else [" ".join(sys.argv[1:])]
for line in lines:
    words = line.split()
    n = words[words.index("--n") + 1] if "--n" in words else "1000"
    rows = [dict(r, n=n) for r in {rows!r} if "--stage" not in words or r["stage"] in words]
    library = next((r["stage"] for r in rows if r["kind"] == "library"), "")
    first = next((r["stage"] for r in rows if r["kind"] == "stage"), "")
    for r in rows:
        r.update(first=first, library=library)
        if left == 0 and how == "wrong":
            r.update(check="wrong", cold_us="")
        elif left == 0 and how == "torn":
            with open(words[-1], "a", newline="") as file:
                file.write("ch00,torn,st")
            os.kill(os.getpid(), 9)
        elif left == 0 and how == "wait":
            import time
            open(folder + "/waits", "w").close()
            time.sleep(60)
        elif left == 0:
            os.kill(os.getpid(), int(how))
        is_new = not os.path.exists(words[-1])
        with open(words[-1], "a", newline="") as file:
            writer = csv.DictWriter(file, r, lineterminator="\\n")
            if is_new:
                writer.writeheader()
            writer.writerow(r)
        if words[-1].endswith("default.csv"):
            print(r["stage"], flush=True)
        with open(folder + "/log", "a") as log:
            log.write(f"{{n}} {{r['stage']}} {{line if r is rows[0] else ''}}\\n")
        left -= 1
    if left < 0 and how == "wrong":
        sys.exit(1)
"""
LINES = [["--n", "7"], ["--n", "8", "--stage", "best", "lib"]]
MADE_BY = {"sources": "abc", "GPU": "NVIDIA H200"}


class BenchTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.program = self.folder / "program"
        self.program.write_text(PROGRAM.format(python=sys.executable, folder=str(self.folder), rows=ROWS))
        self.program.chmod(0o755)

    def stop_after(self, rows: int, how: str) -> None:
        (self.folder / "stop_after").write_text(f"{rows} {how}")

    def log(self) -> list[str]:
        file = self.folder / "log"
        return file.read_text().splitlines() if file.is_file() else []

    def kept(self, made_by: dict[str, str] | None = None, again: bool = False) -> tuple[Unfinished, str]:
        """Also returns what it says."""
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            return Unfinished(self.folder / "ch00", made_by or MADE_BY, again), said.getvalue()

    def measure(self, processes: int, kept: Unfinished | None = None) -> list[merge_results.Row]:
        default = [[row("best", 12)]]
        with contextlib.redirect_stdout(io.StringIO()):
            after_each = list(bench._measure(str(self.program), LINES, kept or self.kept()[0], processes, default))
        self.assertEqual(len(after_each), processes)
        return after_each[-1]


class Measuring(BenchTest):
    def test_each_process_goes_through_all_lines_and_only_what_is_compared_is_measured_again(self):
        rows = self.measure(3)
        began = [line.partition(" --")[2].partition(" --csv")[0] for line in self.log() if "--csv" in line]
        again = ["stage best", "n 7 --stage best lib lib2", "n 8 --stage best lib"]
        self.assertEqual(began, ["n 7", "n 8 --stage best lib", *again, *again])
        self.assertEqual(
            [(r["n"], r["stage"], r["processes"]) for r in rows][:4],
            [("1000", "best", "3"), ("7", "slow", "1"), ("7", "small", ""), ("7", "best", "3")],
        )
        self.assertEqual(rows[0]["cold_us"], "10")  # of 12, 10 and 10

    def test_one_process_measures_every_line_once(self):
        self.measure(1)
        self.assertEqual(len(self.log()), 7)

    def test_a_run_that_fails_is_said_and_only_its_wrong_row_is_measured_again(self):
        self.stop_after(2, "wrong")
        with self.assertRaisesRegex(Refused, "^program failed; its results were not stored$"):
            self.measure(1)
        before = len(self.log())
        (self.folder / "stop_after").unlink()
        rows = self.measure(1)
        self.assertEqual(
            [line.split()[:2] for line in self.log()[before:]], [["7", "best"], ["8", "best"], ["8", "lib"]]
        )
        self.assertEqual({row["check"] for row in rows}, {"ok", ""})


class Resuming(BenchTest):
    def test_stopped_after_any_number_of_rows_it_measures_each_row_once_and_the_results_are_the_same(self):
        whole = self.measure(2)
        rows = len(self.log())
        hows = (("15", "^stopped; the same command continues"), ("torn", "program failed"))
        stops = [(stop, *how) for how in hows for stop in range(7)]  # in the first process; then in the second
        for stop, how, text in todays_part(stops, 5):
            with self.subTest(how=how, stop=stop):
                (self.folder / "log").unlink()
                shutil.rmtree(self.folder / "ch00", ignore_errors=True)
                self.stop_after(stop, how)
                with self.assertRaisesRegex(Refused, text):
                    self.measure(2)
                self.assertEqual(len(self.log()), stop)
                (self.folder / "stop_after").unlink()
                kept, said = self.kept()
                self.assertIn(f"continuing after {stop} row{'s' if stop > 1 else ''} of" if stop else "", said)
                self.assertEqual(self.measure(2, kept), whole)
                self.assertEqual(len(self.log()), rows)

    def test_stopped_again_and_again_after_one_row(self):
        whole = self.measure(3)
        rows = len(self.log())
        shutil.rmtree(self.folder / "ch00")
        self.stop_after(1, "15")
        stopped, complete = 0, []
        while not complete:
            try:
                complete = self.measure(3)
            except Refused:
                stopped += 1
        self.assertEqual(complete, whole)
        self.assertEqual(len(self.log()), 2 * rows)
        self.assertEqual(stopped, rows - 3)  # the last row of each process ends it

    def test_other_sources_or_another_gpu_start_anew_and_say_so(self):
        for made_by, words in (
            ({**MADE_BY, "sources": "def"}, "changed since it was stopped: sources."),
            ({**MADE_BY, "GPU": "NVIDIA H100"}, "changed since it was stopped: GPU."),
            ({"sources": "def", "GPU": "x"}, "changed since it was stopped: sources, GPU."),
        ):
            self.measure(1)
            before = len(self.log())
            kept, said = self.kept(made_by)
            self.assertIn(words, said)
            self.assertEqual(said.count("\n"), 1)
            self.measure(1, kept)
            self.assertEqual(len(self.log()), before + 7)
            self.kept(again=True)

    def test_again_and_a_folder_without_its_note(self):
        self.measure(1)
        self.assertEqual(self.kept(again=True)[1], "")
        self.measure(1)
        self.assertEqual(len(self.log()), 14)
        (self.folder / "ch00" / "made_by.csv").unlink()
        self.assertIn("changed since it was stopped: sources, GPU", self.kept()[1])

    def test_a_line_that_is_new_in_runs_txt_is_all_that_is_measured(self):
        self.measure(1)
        kept = self.kept()[0]
        with contextlib.redirect_stdout(io.StringIO()):
            rows = list(bench._measure(str(self.program), [*LINES, ["--n", "9"]], kept, 1))[-1]
        self.assertEqual({line.split()[0] for line in self.log()[7:]}, {"9"})
        self.assertEqual([row["n"] for row in rows], ["7"] * 5 + ["8"] * 2 + ["9"] * 5)

    def test_rows_of_two_processes_at_once_count_once(self):
        kept = self.kept()[0]
        self.measure(1, kept)
        file = kept.file(1, LINES[0])
        file.write_text(file.read_text() + "".join(file.read_text().splitlines(True)[1:]))
        self.assertEqual(len(kept.rows(1, LINES[0])), 5)

    def test_the_table_of_the_default_size_is_shown_again_or_made_again(self):
        kept = self.kept()[0]
        table, rows = kept.folder / "table.txt", kept.folder / "default.csv"

        def show() -> str:
            said = io.StringIO()
            with contextlib.redirect_stdout(said):
                bench._show_and_keep([str(self.program), "--csv", str(rows)], "ch00", table, rows)
            return said.getvalue()

        self.stop_after(3, "15")
        with self.assertRaisesRegex(Refused, "^stopped"):
            show()
        self.assertFalse(table.exists())
        (self.folder / "stop_after").unlink()
        self.assertEqual(show(), "slow\nsmall\nbest\nlib\nlib2\n")
        self.assertEqual(len(merge_results.read(rows)), 5)
        before = len(self.log())
        self.assertEqual(show(), "slow\nsmall\nbest\nlib\nlib2\n")
        self.assertEqual(len(self.log()), before)

    def test_runs_on_several_gpus_are_kept_each(self):
        kept = self.kept()[0]
        self.stop_after(3, "15")
        with self.assertRaises(Refused), contextlib.redirect_stdout(io.StringIO()):
            bench._measure_on_several([str(self.program)], LINES, kept)
        self.stop_after(6, "15")  # of a process: no process has that many
        with contextlib.redirect_stdout(io.StringIO()):
            rows = bench._measure_on_several([str(self.program)], LINES, kept)
            before = len(self.log())
            self.assertEqual(bench._measure_on_several([str(self.program)], LINES, kept), rows)
        self.assertEqual([row["n"] for row in rows], ["1000"] * 5 + ["7"] * 5 + ["8"] * 2)
        self.assertEqual(len(self.log()), before)


class Keeping(BenchTest):
    def test_what_was_kept_is_removed_only_at_the_end_of_a_bench(self):
        results = self.folder / "results"
        with self.assertRaises(Refused), unfinished.kept(results, False) as keep:
            keep("ch01", MADE_BY)
            raise Refused(1, "failed")
        self.assertTrue((results / ".unfinished" / "ch01").is_dir())
        with unfinished.kept(results, False) as keep:
            keep("ch02", MADE_BY)
        self.assertEqual({path.name for path in (results / ".unfinished").iterdir()}, {"ch01", "ch01.lock"})
        with unfinished.kept(results, False) as keep:
            keep("ch01", MADE_BY)
        self.assertEqual(list(results.iterdir()), [])

    def test_two_benches_of_one_chapter_and_of_two(self):
        results = self.folder / "results"
        with unfinished.kept(results, False) as keep, unfinished.kept(results, True) as other:
            keep("ch01", MADE_BY)
            other("ch02", MADE_BY)  # on another GPU
            with self.assertRaisesRegex(Refused, "^another bench measures ch01 into .*results: wait"):
                other("ch01", MADE_BY)
            self.assertTrue((results / ".unfinished" / "ch01" / "made_by.csv").is_file())
        self.assertEqual(list(results.iterdir()), [])

    def test_a_changed_an_added_and_a_removed_source_change_the_fingerprint(self):
        chapter = self.folder / "ch00_sort"
        (chapter / "fastest").mkdir(parents=True)
        (chapter / "main.cu").write_text("a")
        with mock.patch.object(unfinished, "ROOT", self.folder):
            (self.folder / "CMakeLists.txt").touch()
            seen = [unfinished.sources(chapter)]
            for name, text in (("main.cu", "b"), ("fastest/best.cuh", "a"), ("keys.hpp", "a"), ("keys.hpp", "ab")):
                (chapter / name).write_text(text)
                seen.append(unfinished.sources(chapter))
            (chapter / "README.md").write_text("words")
            (chapter / "tests.cu").write_text("tests")
            self.assertEqual(unfinished.sources(chapter), seen[-1])
            (chapter / "keys.hpp").unlink()
            seen.append(unfinished.sources(chapter))
        self.assertEqual(len(set(seen)), 5)
        self.assertEqual(seen[2], seen[-1])


class Stopping(BenchTest):
    def test_sigterm_ends_the_program_too_and_says_what_is_kept(self):
        self.stop_after(2, "wait")
        script = (
            "import sys\nfrom pathlib import Path\n"
            "from tutorial import cli, unfinished\nfrom tutorial.verbs import bench\n"
            "def verb(words):\n"
            "    with unfinished.kept(Path(sys.argv[2]), False) as keep, bench._stoppable():\n"
            f"        list(bench._measure(sys.argv[1], {LINES!r}, keep('ch00', {MADE_BY!r}), 1))\n"
            "bench.main = verb\nsys.exit(cli.main(['bench']))\n"
        )
        common = Path(__file__).resolve().parents[2]
        for number in (signal.SIGTERM, signal.SIGINT):
            (self.folder / "waits").unlink(missing_ok=True)
            child = subprocess.Popen(
                [sys.executable, "-B", "-c", script, str(self.program), str(self.folder / number.name)],
                cwd=common,
                stderr=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                text=True,
                start_new_session=True,
            )
            until = time.monotonic() + 30
            while not (self.folder / "waits").exists() and time.monotonic() < until:
                time.sleep(0.02)
            if number == signal.SIGINT:
                os.killpg(child.pid, number)  # a terminal's Ctrl-C reaches both
            else:
                child.send_signal(number)
            _, err = child.communicate(timeout=30)
            self.assertEqual(child.returncode, 128 + number)
            self.assertIn("tutorial: stopped; the same command continues", err)
            with open(self.folder / number.name / ".unfinished" / "ch00.lock", "w") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)  # no longer locked
            (file,) = (self.folder / number.name / ".unfinished" / "ch00").glob("1-*.csv")
            with file.open(newline="") as stream:
                self.assertEqual([row["stage"] for row in csv.DictReader(stream)], ["slow", "small"])


class Words(unittest.TestCase):
    def test_the_number_of_processes(self):
        self.assertEqual(bench._processes("5"), 5)
        for wrong in ("0", "-1", "many", "1.5", "100"):
            with self.assertRaisesRegex(Refused, "--processes"):
                bench._processes(wrong)

    def test_what_the_rows_of_a_gpu_depend_on(self):
        chapter = bench.targets.chapters()[0]
        with mock.patch.object(bench.backend, "driver", lambda: "580"), mock.patch.object(
            bench.backend, "toolkit", lambda: "13"
        ):
            made_by = bench._made_by(chapter, Backend("cuda", "NVIDIA H200", ""))
        self.assertEqual(
            {**made_by, "sources": ""}, {"sources": "", "GPU": "NVIDIA H200", "driver": "580", "toolkit": "13"}
        )


if __name__ == "__main__":
    unittest.main()
