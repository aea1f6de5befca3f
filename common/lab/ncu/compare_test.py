#!/usr/bin/env python3
"""compare_test.py: how the lab's counts and Nsight Compute's are put side by side, on made-up counts."""

import sys
import unittest
from pathlib import Path
from unittest.mock import patch

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))

import join

SHAPE = {"grid": [4, 1, 1], "block": [64, 1, 1], "dynamic_bytes": 0, "launches": 1}
REASON = {("ch09_own", "own_kernel", "global load requests"): "a load is gone"}


def program(requests, shape=None, **counts):
    """One program with one kernel, which makes that many load requests of four sectors each."""
    loads = {"global_load_requests": requests, "global_load_sectors": 4 * requests, **counts}
    kernel = {"kernel": "own_kernel", "shapes": [shape or SHAPE], "counts": loads}
    return [{"program": "ch09_own", "n": 1000, "stages": [{"stage": "own", "kernels": [kernel]}]}]


class Table(unittest.TestCase):
    def compared(self, lab, ncu, reasons):
        with patch.object(join, "read_reasons", return_value=reasons):
            rows, faults = join.join(lab, ncu)
        return {row[5]: row for row in rows}, faults

    def recorded(self, rows):
        return [dict(zip(join.COLUMNS, map(str, row))) for row in rows.values()]

    def recounted(self, rows, lab, reasons):
        with patch.object(join, "read_reasons", return_value=reasons):
            rows, faults = join.recount(self.recorded(rows), lab)
        return {row[5]: row for row in rows}, faults

    def test_counts_that_agree_need_no_reason(self):
        rows, faults = self.compared(program(100), program(101), {})
        self.assertEqual([row[9:] for row in rows.values()], [["yes", ""]] * 2)
        self.assertEqual(faults, [])

    def test_a_difference_needs_a_reason_and_a_reason_a_difference(self):
        rows, faults = self.compared(program(100), program(50), {})
        self.assertEqual(rows["global load requests"][6:], ["100", "50", "100.00", "no", ""])
        self.assertEqual(rows["sectors/load"][9], "yes")
        self.assertEqual(faults, ["ch09_own, own, own_kernel, global load requests: lab 100, ncu 50"])
        rows, faults = self.compared(program(100), program(50), REASON)
        self.assertEqual((rows["global load requests"][10], faults), ("a load is gone", []))
        _, faults = self.compared(program(100), program(100), REASON)
        self.assertEqual(faults, ["ch09_own, own_kernel, global load requests: a reason without a difference"])

    def test_another_grid_is_not_compared_and_needs_no_reason(self):
        other = program(50, dict(SHAPE, grid=[2, 1, 1]))
        rows, faults = self.compared(program(100), other, {})
        self.assertEqual(faults, [])
        for row in rows.values():
            self.assertEqual(row[7:10], ["", "", ""])
            self.assertRegex(row[10], r"^not compared: the GPU launches <<<2, 64>>>")
        self.assertRegex(join.summary_of(list(rows.values())), r"so not compared: 1 of the stages' kernels")
        again, faults = self.recounted(rows, program(120), {})
        self.assertEqual((again["global load requests"][6], faults), ("120", []))
        self.assertEqual(again["global load requests"][7:], rows["global load requests"][7:])

    def test_a_recount_takes_todays_counts_and_todays_reasons(self):
        rows, _ = self.compared(program(100), program(50), REASON)
        again, faults = self.recounted(rows, program(80), {next(iter(REASON)): "two loads are one"})
        self.assertEqual(again["global load requests"][6:], ["80", "50", "60.00", "no", "two loads are one"])
        self.assertEqual(faults, [])
        _, faults = self.recounted(rows, program(80), {})
        self.assertEqual(faults, ["ch09_own, own, own_kernel, global load requests: lab 80, ncu 50"])
        _, faults = self.recounted(rows, program(50), REASON)
        self.assertEqual(faults, ["ch09_own, own_kernel, global load requests: a reason without a difference"])

    def test_a_kernel_in_other_shapes_than_measured_has_no_figure(self):
        rows, _ = self.compared(program(100), program(100), {})
        again, faults = self.recounted(rows, program(100, dict(SHAPE, grid=[8, 1, 1])), {})
        self.assertEqual([row[7:] for row in again.values()], [["", "", "", join.NOT_MEASURED]] * 2)
        self.assertEqual(faults, [])
        self.assertRegex(join.summary_of(list(again.values())), r"Not measured on a GPU yet: 1 of the stages' kernels")

    def test_the_check_names_each_count_that_is_not_as_recorded(self):
        rows, _ = self.compared(program(100), program(100), {})
        self.assertEqual(join.differences_from(self.recorded(rows), program(100)), (2, []))
        _, different = join.differences_from(self.recorded(rows), program(99))
        self.assertEqual(different, ["ch09_own, own, own_kernel, global load requests: 99 today, 100 in the table"])


if __name__ == "__main__":
    unittest.main()
