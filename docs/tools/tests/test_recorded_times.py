"""The GPU's times in the printed tables of the CPU backend."""

import unittest

import sample_repository
import recorded_times

TABLE = """ch01_bubble: a title
CPU backend: 4 multiprocessors imitated; 2026-11-21T00:00:00Z
n = 1000 keys, input random

stage   launches  Test at 1024  check
slow           1      {slow}  ok
fast           1      12.50 us  ok
host           -             -  ok

Counts of one run.
Test at 1024: recorded on a GPU (NVIDIA Test, {date}, CUDA 13.0), cold: data not in L2;
at n = 1024, since there is none for this run's n.
3 rows: 3 right, 0 wrong, 0 skipped
"""


class RecordedTimes(sample_repository.RepositoryTest):
    def errors(self, text):
        self.write("docs/results/cpu/ch01.txt", text)
        return recorded_times.check(self.root)

    def test_the_times_of_the_results_file_are_right(self):
        self.assertEqual(self.errors(TABLE.format(slow="100.0 us", date="2026-11-20")), [])

    def test_a_time_of_an_older_run_is_named(self):
        (error,) = self.errors(TABLE.format(slow="101.0 us", date="2026-11-20"))
        self.assertIn("docs/results/cpu/ch01.txt: slow has taken 101.0 us on NVIDIA Test", error)
        self.assertIn("./tutorial bench --cpu", error)

    def test_a_day_on_which_nothing_was_measured_is_an_error_for_every_time(self):
        self.assertEqual(len(self.errors(TABLE.format(slow="100.0 us", date="2026-11-19"))), 2)

    def test_a_table_without_times_is_an_error(self):
        (error,) = self.errors("stage  launches  check\nslow  1  ok\n")
        self.assertIn("names no GPU", error)
        text = TABLE.format(slow="       -", date="2026-11-20").replace("12.50 us", "       -")
        (error,) = self.errors(text)
        self.assertIn("shows no time", error)

    def test_units(self):
        self.assertTrue(recorded_times.is_shown_as(1844.2, "1.844 ms"))
        self.assertFalse(recorded_times.is_shown_as(1844.6, "1.844 ms"))
        self.assertTrue(recorded_times.is_shown_as(0.56, "560.0 ns"))
        self.assertTrue(recorded_times.is_shown_as(2405274, "2.405 s"))


if __name__ == "__main__":
    unittest.main()
