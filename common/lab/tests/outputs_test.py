#!/usr/bin/env python3
"""outputs_test.py PROGRAM: what a chapter's program with the lab writes for other programs.

PROGRAM is chapter 2's, whose stage `neighbour` is simple enough to be known by heart.
"""

import json
import os
import subprocess
import sys
import tempfile
import unittest

PROGRAM = ""


def run(*arguments):
    return subprocess.run([PROGRAM, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


class Json(unittest.TestCase):
    def test_explain_as_json_says_what_is_known(self):
        done = run("--explain", "--json", "--n", "1024")
        self.assertEqual(done.returncode, 0, done.stderr)
        report = json.loads(done.stdout)
        self.assertEqual(report["schema"], "tutorial-explain-1")
        self.assertEqual((report["chapter"], report["n"]), ("ch02_reduce_baseline", 1024))
        stages = {stage["stage"]: stage for stage in report["stages"]}
        self.assertEqual(list(stages), ["atomic", "neighbour", "compact", "sequential"])
        neighbour = stages["neighbour"]
        self.assertEqual((neighbour["check"], neighbour["bytes_needed"]), ("ok", 4096))
        kernel = neighbour["kernels"][0]
        # 2 blocks add 1024 items, then 1 block their 2 sums.
        self.assertEqual((kernel["launches"], kernel["blocks"], kernel["warps"]), (2, 3, 48))
        self.assertEqual(kernel["barriers"], 3 * 10)
        rows = {(row["source"], row["operation"], row["space"]): row for row in kernel["rows"]}
        load = next(row for key, row in rows.items() if "items[i]" in key[0] and key[1:] == ("load", "global"))
        self.assertEqual((load["requests"], load["lanes"]), (32 + 1, 1024 + 2))
        self.assertEqual((load["sectors"], load["least_sectors"]), (4 * 32 + 1, 4 * 32 + 1))
        add = next(row for key, row in rows.items() if "t % (2 * s)" in key[0] and key[1:] == ("store", "shared"))
        # At level s a warp has ceil(32 / 2s) active lanes, and works if any of its lanes does.
        self.assertEqual(add["requests"], 3 * (5 * 16 + 8 + 4 + 2 + 1))
        self.assertEqual(add["lanes"], 3 * 511)
        self.assertEqual(add["wavefronts"], add["requests"])

    def test_memory_is_bounded_and_what_is_lost_is_said(self):
        # In shuffled order no warp is complete until the block is nearly done: 512 records.
        environment = dict(os.environ, TUTORIAL_LAB_MEMORY_MB="0.05")
        done = subprocess.run(
            [PROGRAM, "--explain", "--json", "--n", "65536", "--stage", "atomic", "--order", "shuffle"],
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
        )
        kernel = json.loads(done.stdout)["stages"][0]["kernels"][0]
        self.assertEqual(kernel["blocks"], 128)
        self.assertIn("blocks are not counted", kernel["notice"])

    def test_one_stage_and_a_skipped_one(self):
        done = run("--explain", "--json", "--n", "0", "--stage", "compact")
        report = json.loads(done.stdout)
        self.assertEqual([stage["stage"] for stage in report["stages"]], ["compact"])

    def test_the_text_quotes_the_lines_and_marks_the_costly_ones(self):
        done = run("--explain", "--stage", "compact", "--n", "4096")
        self.assertEqual(done.returncode, 0)
        self.assertIn("sums[left] += sums[left + s]", done.stdout)
        self.assertIn("bank conflicts", done.stdout)
        self.assertIn("of 32 lanes work", done.stdout)


class Trace(unittest.TestCase):
    def trace(self, n):
        """What `neighbour` does with n items, and what was printed."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "trace.jsonl")
            done = run("--trace", path, "--stage", "neighbour", "--n", n)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            with open(path, encoding="utf-8") as file:
                return [json.loads(line) for line in file], done.stdout

    def test_every_load_finds_what_was_stored_last(self):
        events, _ = self.trace("512")
        self.assertEqual(events[0], {"schema": "tutorial-trace-2"})
        self.assertEqual(events[1]["kind"], "launch")
        self.assertEqual(events[1]["kernel"], "neighbour_kernel")
        self.assertEqual(events[1]["block"], [512, 1, 1])
        arrays = {event["array"]: event["bytes"] for event in events[2:] if event["kind"] == "array"}
        self.assertEqual(arrays["sums"], 512 * 4)
        steps = [event for event in events[2:] if event["kind"] != "array"]
        self.assertEqual([event["step"] for event in steps], list(range(len(steps))))
        barriers = [event for event in steps if event["kind"] == "barrier"]
        self.assertEqual([event["interval"] for event in barriers], list(range(10)))
        memory, threads, stores = {}, set(), 0
        for event in steps:
            if event["kind"] not in ("load", "store"):
                continue
            threads.add(event["thread"])
            self.assertEqual(event["bytes"], 4)
            self.assertEqual(len(event["bits"]), 8)
            place = event["array"], event["index"]
            if event["kind"] == "store":
                memory[place] = event["bits"]
                stores += 1
            elif event["space"] == "shared":
                self.assertEqual(event["bits"], memory[place])
        self.assertEqual(threads, set(range(512)))
        self.assertEqual(stores, 512 + 511 + 1)

    def test_a_long_run_is_cut_and_both_say_so(self):
        events, said = self.trace("64K")
        self.assertIn("\nThe trace holds the first 200000 thread steps; with fewer items", said)
        self.assertEqual([event["kind"] for event in events[1:] if "step" not in event][-1], "cut")
        self.assertEqual(max(event.get("step", 0) for event in events), 200000 - 1)

    def test_what_is_wrong_is_said_in_one_line(self):
        done = run("--trace", "x")
        self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1))
        self.assertIn("--trace needs one stage", done.stderr)


class Faults(unittest.TestCase):
    def test_no_fault_in_any_stage(self):
        done = run("--faults", "--n", "1000")
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertEqual(done.stdout.count("no fault found"), 4)


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
