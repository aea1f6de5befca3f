"""Merging several processes' rows: medians, intervals, and what is worth measuring again."""

from __future__ import annotations

import unittest

from tutorial import merge_results

HEADER = (
    "chapter,stage,kind,n,input,seed,options,samples,cold_us,cold_min_us,cold_q1_us,cold_q3_us,cold_low_us,"
    "cold_high_us,stopped,hot_us,hot_q1_us,hot_q3_us,hot_low_us,hot_high_us,processes,copies_us,bytes_needed,"
    "gb_per_s,items_per_s,ceiling_us,percent_of_ceiling,read_gb_per_s,copy_gb_per_s,"
    "launch_overhead_us,hot_launch_overhead_us,"
    "programmatic_overhead_us,first,x_first,library,x_library,check,message"
).split(",")


def row(stage: str, cold: float | None, kind: str = "stage", **more: str) -> merge_results.Row:
    values = dict.fromkeys(HEADER, "")
    values.update(chapter="ch00", stage=stage, kind=kind, n="1000", input="random", seed="1")
    if cold is not None:
        values.update(
            samples="10",
            cold_us=f"{cold}",
            cold_min_us=f"{cold - 2}",
            cold_q1_us=f"{cold - 1}",
            cold_q3_us=f"{cold + 1}",
            cold_low_us=f"{cold - 0.5}",
            cold_high_us=f"{cold + 0.5}",
            stopped="stable",
            processes="1",
            bytes_needed="4000",
            ceiling_us="2",
            first="slow",
            library="lib",
            check="ok",
        )
    values.update(more)
    return values


class Merged(unittest.TestCase):
    def test_the_median_of_the_processes_and_the_interval_over_all_of_them(self):
        runs = [[row("slow", 40), row("fast", cold), row("lib", lib, "library")] for cold, lib in ((10, 20), (12, 22))]
        runs.append([row("fast", 11, ceiling_us="1", stopped="time"), row("lib", 24, "library")])
        slow, fast, lib = merge_results.merged(runs)
        self.assertEqual((fast["cold_us"], fast["cold_low_us"], fast["cold_high_us"]), ("11", "9.5", "12.5"))
        self.assertEqual((fast["cold_q1_us"], fast["cold_q3_us"], fast["cold_min_us"]), ("10", "12", "8"))
        self.assertEqual((fast["samples"], fast["processes"], fast["stopped"]), ("30", "3", "time"))
        self.assertEqual((slow["samples"], slow["processes"], slow["stopped"]), ("20", "2", "stable"))
        # What follows from the times is computed again, with the best ceiling that was seen.
        self.assertEqual(fast["x_library"], "2")
        self.assertEqual(fast["x_first"], f"{40 / 11:.7g}")
        self.assertEqual(lib["x_library"], "1")
        self.assertEqual((fast["ceiling_us"], slow["ceiling_us"]), ("1", "1"))
        self.assertEqual(fast["percent_of_ceiling"], f"{100 / 11:.7g}")
        self.assertEqual(fast["gb_per_s"], f"{4 / 11:.7g}")

    def test_a_row_of_one_process_and_a_skipped_one_stay_as_they_are(self):
        alone, skipped = row("slow", 40, samples="7"), row("small", None, message="takes 10 keys")
        self.assertEqual(merge_results.merged([[dict(skipped)]]), [skipped])
        (merged,) = merge_results.merged([[alone], [row("fast", 10)]])
        self.assertEqual((merged["cold_us"], merged["samples"], merged["processes"]), ("40", "7", "1"))

    def test_rows_of_another_run_are_not_joined(self):
        (merged,) = merge_results.merged([[row("fast", 10)], [row("fast", 99, n="2000")]])
        self.assertEqual(merged["cold_us"], "10")


class Rivals(unittest.TestCase):
    def test_what_is_about_as_fast_as_the_fastest_and_the_libraries(self):
        rows = [row("slow", 1000), row("good", 20), row("best", 10), row("host", 5, "host"), row("lib", 90, "library")]
        self.assertEqual(merge_results.rivals(rows), ["good", "best", "lib"])
        self.assertEqual(merge_results.rivals([*rows[:4], row("lib", 200, "library")]), ["good", "best"])

    def test_what_takes_long_or_was_not_measured_is_left_out(self):
        self.assertEqual(merge_results.rivals([row("best", 60e3)]), [])
        self.assertEqual(merge_results.rivals([row("best", None)]), [])
        self.assertEqual(merge_results.rivals([row("lib", 5, "library")]), [])


class Lines(unittest.TestCase):
    def test_stages_are_told_from_options_wherever_they_stand(self):
        for words, options, stages in (
            ("--n 2^10 --stage a b --type int", "--n 2^10 --type int", "a b"),
            ("--stage=a b --values", "--values", "a b"),
            ("--input equal --stage equal", "--input equal", "equal"),
            ("--n 5", "--n 5", ""),
            ("", "", ""),
        ):
            self.assertEqual(merge_results.split_stages(words.split()), (options.split(), stages.split()))


if __name__ == "__main__":
    unittest.main()
