import unittest

import sample_repository
from errors import DocsError
from results import load, parse_size, quantity, show, show_digits, show_n, show_ratio, show_seconds
from tables import compare, table, value


class Shown(unittest.TestCase):
    def test_sizes_are_read_as_the_chapters_read_them(self):
        self.assertEqual(
            [parse_size(t) for t in ("1000", "64k", "1M", "2^20", "2^20+3", "2^20-1")],
            [1000, 65536, 1048576, 1048576, 1048579, 1048575],
        )
        for wrong in ("", "k", "1.5M", "2^", "x"):
            self.assertRaises(DocsError, parse_size, wrong)

    def test_numbers_have_three_digits_and_no_exponent(self):
        self.assertEqual(
            [show_digits(v) for v in (65.44, 1234, 0.01234, 9.999, 99.99, 0, 12345.6)],
            ["65.4", "1,234", "0.0123", "10.0", "100", "0", "12,346"],
        )
        self.assertEqual(
            [show_seconds(v) for v in (65.44e-6, 9.996e-4, 0.99951e-3, 2.5, 4e-9)],
            ["65.4 us", "1.00 ms", "1.00 ms", "2.50 s", "4.00 ns"],
        )
        self.assertEqual(
            [show_ratio(v) for v in (1.04, 7.04, 9.94, 9.96, 310.4, 0.0999, 0.0142, 0.000131)],
            ["1.04", "7.0", "9.9", "10", "310", "0.10", "0.014", "0.00013"],
        )
        self.assertEqual(
            [show_n(n) for n in (1000, 1024, 65536, 1048576, 1048577)], ["1,000", "1,024", "2^16", "2^20", "1,048,577"]
        )


class Quantities(sample_repository.RepositoryTest):
    def row(self, **filters):
        self.results = load("ch01", "test", self.root)
        (row,) = self.results.select(**filters)
        return row

    def test_quantities_of_a_row(self):
        row = self.row(stage="fast", n="1k")
        expected = {
            "time": 12.5e-6,
            "rate": 4096 / 12.5e-6,
            "ceiling": 0.8,
            "ceiling_rate": 4096 / 10e-6,
            "first": 8.0,
            "library": 2.0,
        }
        for name, wanted in expected.items():
            self.assertAlmostEqual(quantity(self.results, row, name) / wanted, 1, msg=name)
        self.assertIsNone(quantity(self.results, row, "hot"))
        self.assertAlmostEqual(quantity(self.results, self.row(stage="slow", n="1k"), "hot_ceiling"), 0.2)
        self.assertEqual(show(self.results, row, "sm_count"), "4")
        self.assertEqual(show(self.results, row, "device"), "NVIDIA Test")
        self.assertRaisesRegex(DocsError, "called absent", quantity, self.results, row, "absent")

    def test_an_experiment_next_to_a_chapter_has_a_file_of_its_own(self):
        self.write(
            "docs/results/test/ch01_ablations.csv",
            f"{sample_repository.HEADER}\n{sample_repository.csv_row('cluster', 'stage', 1024, 3)}\n",
        )
        self.assertEqual(value("ch01_ablations test time stage=cluster".split(), self.root), "3.00 us")
        self.assertEqual(load("ch01_bubble", "test", self.root).name, "docs/results/test/ch01.csv")

    def test_a_part_of_a_time(self):
        self.assertEqual(value("ch01 test time stage=fast n=1k per=5".split(), self.root), "2.50 us")
        for words in ("ch01 test rate stage=fast n=1k per=5", "ch01 test time stage=fast n=1k per=5 / stage=slow"):
            self.assertRaisesRegex(DocsError, "per= goes with a time", value, words.split(), self.root)

    def test_what_is_missing_is_named(self):
        self.assertRaisesRegex(DocsError, "docs/results/none/ch01.csv does not exist", load, "ch01", "none", self.root)
        self.assertRaisesRegex(DocsError, "no chapter is called ch09", load, "ch09", "test", self.root)
        self.assertRaisesRegex(DocsError, "no row for stage=absent", self.row, stage="absent")

    def test_an_option_of_the_chapter_selects_as_well(self):
        self.assertEqual(self.row(stage="fast", n="1k", type="float")["cold_us"], "12.5")
        self.assertRaisesRegex(DocsError, "no row for type=int", self.row, type="int")

    def test_a_flag_of_the_chapter_selects_by_yes_and_no(self):
        rows = [
            sample_repository.csv_row("fast", "stage", n, 8, options=o) for n, o in ((1, "k=5"), (2, "k=5 distinct"))
        ]
        self.write("docs/results/test/ch01.csv", "\n".join([sample_repository.HEADER, *rows, ""]))
        self.assertEqual(self.row(distinct="no")["n"], "1")
        self.assertEqual(self.row(distinct="yes", k="5")["n"], "2")
        self.assertRaisesRegex(DocsError, "no row for k=no", self.row, k="no")


class Tables(sample_repository.RepositoryTest):
    def test_one_run(self):
        text = table(["ch01", "test", "n=1k", "columns=stage,time,ceiling,first,library,check"], self.root)
        self.assertEqual(
            text.split("\n"),
            [
                "| stage | time | of ceiling | x first | x library | check |",
                "| --- | ---: | ---: | ---: | ---: | --- |",
                "| `slow` | 100 us | 10.0 % | 1.00 | 0.25 | ok |",
                "| `fast` | 12.5 us | 80.0 % | 8.0 | 2.0 | ok |",
                "| `small` | – | – | – | – | skipped: takes 1,000 keys |",
                "| lib | 25.0 us | 40.0 % | 4.0 | 1.00 | ok |",
                "",
                "*NVIDIA Test, CUDA 13.0, 2026-11-20, n = 1,024, random input, type=float.*",
            ],
        )

    def test_several_runs_must_be_told_apart(self):
        self.assertRaisesRegex(DocsError, r"several such runs \(n 1024, 65536\)", table, ["ch01", "test"], self.root)

    def test_one_column_a_size(self):
        text = table(["ch01", "test", "by=n", "quantity=time", "stage=slow,lib,small"], self.root)
        self.assertIn("| stage | 1,024 | 2^16 |", text)
        self.assertIn("| `slow` | 100 us | 2.00 ms |", text)
        self.assertIn("| `small` | – | – |", text)
        self.assertIn("*Time by n. NVIDIA Test, CUDA 13.0, 2026-11-20, random input, type=float.*", text)

    def test_one_column_a_seed(self):
        rows = [sample_repository.csv_row("fast", "stage", 1024, 10 + seed, seed=seed) for seed in (1, 2, 3)]
        rows.append(sample_repository.csv_row("fast", "stage", 2048, 21))
        self.write("docs/results/test/ch01.csv", "\n".join([sample_repository.HEADER, *rows]) + "\n")
        text = table("ch01 test by=seed stage=fast".split(), self.root)
        self.assertIn("| n | seed 1 | seed 2 | seed 3 |", text)
        self.assertIn("| 1,024 | 11.0 us | 12.0 us | 13.0 us |", text)
        self.assertIn("| 2,048 | 21.0 us | – | – |", text)
        self.assertIn("*Time of `fast`. NVIDIA Test, CUDA 13.0, 2026-11-20, random input, type=float.*", text)
        self.assertEqual(value("ch01 test time stage=fast n=1k".split(), self.root), "11.0 us")
        self.assertEqual(value("ch01 test time stage=fast n=1k seed=3".split(), self.root), "13.0 us")

    def test_a_table_by_seed_is_of_one_stage(self):
        self.assertRaisesRegex(DocsError, "one stage", table, "ch01 test by=seed n=1k".split(), self.root)
        self.assertRaisesRegex(DocsError, "by=n and by=seed", table, "ch01 test by=x".split(), self.root)

    def test_a_wrong_result_is_shown_as_wrong(self):
        row = sample_repository.csv_row("fast", "stage", 8, 1, check="wrong", message="first mismatch at 3")
        self.write("docs/results/test/ch01.csv", f"{sample_repository.HEADER}\n{row}\n")
        self.assertIn("WRONG: first mismatch at 3", table(["ch01", "test"], self.root))

    def test_values_and_ratios(self):
        self.assertEqual(value("ch01 test time stage=fast n=1k".split(), self.root), "12.5 us")
        self.assertEqual(value("ch01 test time n=1k stage=slow / stage=fast".split(), self.root), "8.0")
        self.assertEqual(value("ch01 test time n=64k stage=slow / n=1k".split(), self.root), "20")
        self.assertEqual(value("ch01 test ceiling n=64k stage=fast".split(), self.root), "64.0 %")
        self.assertEqual(value("ch01 test time n=1k stage=slow / quantity=hot".split(), self.root), "2.0")
        self.assertRaisesRegex(
            DocsError,
            "time or hot was not measured",
            value,
            "ch01 test time n=1k stage=slow / stage=fast quantity=hot".split(),
            self.root,
        )
        self.assertRaisesRegex(DocsError, "several rows match", value, "ch01 test time n=1k".split(), self.root)
        self.assertRaisesRegex(
            DocsError, "was skipped: takes 1,000", value, "ch01 test time stage=small".split(), self.root
        )
        self.assertRaisesRegex(DocsError, "name=value", value, "ch01 test time fast".split(), self.root)


class Spread(sample_repository.RepositoryTest):
    """Rows with the intervals of their times."""

    def setUp(self):
        super().setUp()
        more = "cold_low_us,cold_high_us,hot_low_us,hot_high_us,launch_overhead_us,hot_launch_overhead_us"
        rows = [
            sample_repository.csv_row("slow", "stage", 1024, 40, hot_us=30, ceiling_us=2) + ",36,44,29,31,3,2",
            sample_repository.csv_row("fast", "stage", 1024, 10, hot_us=5, ceiling_us=2) + ",9.98,10.02,4,6,3,2",
            sample_repository.csv_row("near", "stage", 1024, 10.5, hot_us=9, ceiling_us=2) + ",10.01,11,8,10,3,2",
            sample_repository.csv_row("lib", "library", 1024, 12, hot_us=6, ceiling_us=2) + ",10.9,13,5,7,3,2",
        ]
        text = "\n".join([f"{sample_repository.HEADER},{more}", *rows, ""])
        self.write("docs/results/test/ch01.csv", text)

    def test_a_table_shows_what_is_known_of_a_time_and_marks_what_cannot_be_told_apart(self):
        text = table(["ch01", "test", "columns=stage,time,hot,library,above"], self.root)
        self.assertIn("| `slow` | 40.0 us ±10 % | 30.0 us ±3 % | 0.30 | 35.0 us |", text)
        self.assertIn("| `fast` | 10.0 us | 5.00 us ±20 % | 1.20 | 5.00 us |", text)
        self.assertIn("| `near` | 10.5 us ±5 % | 9.00 us ±11 % | ≈1.14 | 5.50 us |", text)
        self.assertIn("| lib | 12.0 us ±9 % | 6.00 us ±17 % | 1.00 | 7.00 us |", text)
        self.assertIn(
            "±: how far the true median may be from the value shown. ≈: the two times cannot be told apart.*", text
        )

    def test_a_table_by_size_says_it_from_one_percent_on(self):
        text = table(["ch01", "test", "by=n"], self.root)
        self.assertIn("| `slow` | 40.0 us ±10 % |", text)
        self.assertIn("| `fast` | 10.0 us |", text)

    def test_columns_and_values_of_their_own(self):
        text = table(
            ["ch01", "test", "columns=stage,known,launch_overhead,hot_launch_overhead", "stage=fast"], self.root
        )
        self.assertIn("| stage | known to | launch overhead | launch overhead, hot |", text)
        self.assertIn("| `fast` | ±0.20 % | 3.00 us | 2.00 us |", text)
        self.assertEqual(value("ch01 test known stage=slow".split(), self.root), "±10 %")
        self.assertEqual(value("ch01 test launch_overhead stage=slow".split(), self.root), "3.00 us")
        self.assertEqual(value("ch01 test time stage=slow / stage=fast".split(), self.root), "4.0")
        self.assertEqual(value("ch01 test time stage=near / stage=fast".split(), self.root), "≈1.05")
        self.assertEqual(value("ch01 test library stage=near".split(), self.root), "≈1.14")

    def test_faster_is_said_only_where_the_intervals_are_apart(self):
        def said(words):
            return compare(f"ch01 test {words}".split(), self.root)

        self.assertEqual(said("time stage=fast / stage=slow"), "4.0 times as fast as")
        self.assertEqual(said("time stage=near / stage=fast"), "about as fast as")
        self.assertEqual(said("time stage=fast / stage=near"), "about as fast as")
        self.assertEqual(said("time stage=slow / stage=fast"), "slower by a factor of 4.0 than")
        self.assertEqual(said("hot stage=fast / stage=lib"), "about as fast as")
        for wrong in ("time stage=fast", "rate stage=fast / stage=slow", "time stage=fast / stage=slow / n=1"):
            self.assertRaisesRegex(DocsError, "a compare marker reads", said, wrong)

    def test_what_one_process_measured_is_known_to_three_percent_at_best_and_hot_to_five(self):
        columns = "cold_low_us,cold_high_us,hot_low_us,hot_high_us,processes"
        rows = [
            sample_repository.csv_row(f"{name}{count}", "stage", 1024, us, hot_us=us) + f",{us},{us},{us},{us},{count}"
            for count in (1, 3)
            for name, us in (("a", 100), ("b", 105), ("c", 108), ("d", 111))
        ]
        text = "\n".join([f"{sample_repository.HEADER},{columns}", *rows, ""])
        self.write("docs/results/test/ch01.csv", text)

        def ratio(words):
            return value(f"ch01 test {words}".split(), self.root)

        self.assertEqual(ratio("time stage=b1 / stage=a1"), "≈1.05")
        self.assertEqual(ratio("time stage=c1 / stage=a1"), "1.08")
        self.assertEqual(ratio("time stage=b3 / stage=a3"), "1.05")
        self.assertEqual(ratio("hot stage=c1 / stage=a1"), "≈1.08")
        self.assertEqual(ratio("hot stage=d1 / stage=a1"), "1.11")
        self.assertEqual(compare("ch01 test time stage=a1 / stage=b1".split(), self.root), "about as fast as")

    def test_a_file_without_intervals_is_right_to_three_percent(self):
        rows = [sample_repository.csv_row(name, "stage", 1024, us) for name, us in (("a", 100), ("b", 105), ("c", 107))]
        self.write("docs/results/test/ch01.csv", "\n".join([sample_repository.HEADER, *rows, ""]))
        self.assertEqual(compare("ch01 test time stage=a / stage=b".split(), self.root), "about as fast as")
        self.assertEqual(compare("ch01 test time stage=a / stage=c".split(), self.root), "7 % faster than")
        self.assertEqual(compare("ch01 test time stage=c / stage=a".split(), self.root), "7 % slower than")
        self.assertEqual(value("ch01 test time stage=b / stage=a".split(), self.root), "1.05")
        self.assertNotIn("±", table(["ch01", "test"], self.root))
        self.assertRaisesRegex(
            DocsError, "hot was not measured", compare, "ch01 test hot stage=a / stage=b".split(), self.root
        )
