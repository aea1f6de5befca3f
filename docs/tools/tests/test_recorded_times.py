"""The GPU's times in the printed tables of the emulator."""

import sample_repository
import recorded_times

TABLE = """ch01_bubble: a title
emulator: 4 multiprocessors imitated; 2026-11-21T00:00:00Z
n = 1000 keys, input random, seed 1, {options}

stage   launches  Test at 1024  check
slow           1      {slow}  ok
fast           1      {fast}  ok
host           -             -  ok

Counts of one run.
Test at 1024: recorded on a GPU (NVIDIA Test, {date}, CUDA 13.0), cold: data not in L2;
at n = 1024, since there is none for this run's n.
3 rows: 3 right, 0 wrong, 0 skipped
"""


class RecordedTimes(sample_repository.RepositoryTest):
    def errors(self, slow="100.0 us", fast="12.50 us", date="2026-11-20", options="type=float"):
        table = TABLE.format(slow=slow, fast=fast, date=date, options=options)
        self.write("docs/results/cpu/ch01.txt", table)
        return recorded_times.check(self.root)

    def test_the_times_of_the_results_file_are_right(self):
        self.assertEqual(self.errors(), [])

    def test_a_time_of_an_older_run_is_named(self):
        (error,) = self.errors(slow="101.0 us")
        self.assertIn("docs/results/cpu/ch01.txt slow has 101.0 us; for NVIDIA Test, 2026-11-20, n = 1024", error)
        self.assertIn("the results file has 100.0 us: ./tutorial bench --cpu", error)

    def test_a_time_that_is_left_out_is_named(self):
        (error,) = self.errors(fast="-")
        self.assertIn("fast has -", error)

    def test_a_row_that_was_skipped_shows_none(self):
        text = TABLE.format(slow="100.0 us", fast="12.50 us", date="2026-11-20", options="type=float")
        skipped = text.replace("fast           1      12.50 us  ok", "fast    skipped: takes at most 8 keys")
        self.assertNotEqual(skipped, text)
        self.write("docs/results/cpu/ch01.txt", skipped)
        self.assertEqual(recorded_times.check(self.root), [])

    def test_times_of_another_day_or_of_other_options_are_wrong(self):
        for wrong in ({"date": "2026-11-19"}, {"options": "type=int"}):
            (error,) = self.errors(**wrong)
            self.assertIn("no results file has any", error)

    def test_a_stage_that_is_recorded_must_have_a_row(self):
        self.write("docs/results/cpu/ch01.txt", TABLE.replace("fast ", "quick").format(
            slow="100.0 us", fast="12.50 us", date="2026-11-20", options="type=float"
        ))  # fmt: skip
        missing, unknown = sorted(recorded_times.check(self.root))
        self.assertIn("has no row fast", missing)
        self.assertIn("quick has 12.50 us", unknown)

    def test_a_table_without_times_is_wrong_only_where_there_is_a_gpu(self):
        self.write("docs/results/cpu/ch01.txt", "stage  launches  check\nslow  1  ok\n")
        (error,) = recorded_times.check(self.root)
        self.assertIn("names no GPU", error)
        (self.root / "docs/results/test/ch01.csv").unlink()
        self.assertEqual(recorded_times.check(self.root), [])

    def test_units(self):
        self.assertTrue(recorded_times.is_shown_as(1844.2, "1.844 ms"))
        self.assertFalse(recorded_times.is_shown_as(1844.6, "1.844 ms"))
        self.assertTrue(recorded_times.is_shown_as(0.56, "560.0 ns"))
        self.assertTrue(recorded_times.is_shown_as(2405274, "2.405 s"))
