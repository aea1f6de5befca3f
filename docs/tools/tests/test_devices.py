import csv

import sample_repository  # first: it says where the tools are
import device_results
from errors import DocsError


def result(**fields):
    common = dict(date="2026-01-02", what="compile", toolkit="CUDA 13.0", architecture="75", program="ch01_sort")
    return device_results.Result(**{**common, "result": "ok", "kernels": "3", "spilling": "0", **fields})


class Devices(sample_repository.RepositoryTest):
    def record(self, *results):
        (self.root / "docs" / "results").mkdir(parents=True, exist_ok=True)
        device_results.record(list(results), self.root)

    def table(self, word):
        return device_results.table([word], self.root).split("\n")

    def test_a_newer_result_takes_the_place_of_the_older(self):
        self.record(result(), result(program="ch02_sum"))
        self.record(result(date="2026-02-03", result="failed"))
        with (self.root / device_results.FILE).open(newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual([(r["program"], r["result"]) for r in rows], [("ch01_sort", "failed"), ("ch02_sum", "ok")])

    def test_a_line_for_each_architecture_with_what_was_tried(self):
        self.record(
            result(),
            result(program="ch02_sum", date="2026-01-01"),
            result(toolkit="CUDA 11.8", result="failed"),
            result(architecture="80"),
            result(what="jit", device="NVIDIA H200"),
        )
        lines = self.table("architectures")
        self.assertEqual(len(lines), 2 + len(device_results.ARCHITECTURES))
        self.assertIn("compiled, CUDA 11.8 | compiled, CUDA 13.0", lines[0])
        # The oldest day of all programs; what failed by name; on which GPU; a dash for the untried.
        self.assertEqual(
            lines[2],
            "| 7.5: T4, RTX 20 | ch01_sort failed, 2026-01-02 | 2026-01-01 | - "
            "| all but ch02_sum, 2026-01-02, NVIDIA H200 | - |",
        )
        self.assertEqual(lines[3], "| 8.0: A100 | - | all but ch02_sum, 2026-01-02 | - | - | - |")

    def test_what_has_run_nowhere_is_missing_as_well(self):
        names = [f"ch0{number}_x" for number in (1, 2, 3, 4)]
        self.record(*(result(program=name) for name in names), result(what="sanitizer", program="ch01_x"))
        self.assertIn("| 1 of 4 programs, 2026-01-02 |", self.table("architectures")[2])

    def test_spills_of_the_newest_toolkit(self):
        self.record(result(spilling="2", spilled_bytes="48"), result(toolkit="CUDA 11.8", architecture="80"))
        self.assertEqual(self.table("spills")[2], "| ch01_sort | 2 of 3, 48 B | - | - | - | - | - | - |")

    def test_days_on_which_each_file_was_measured(self):
        for machine, name, dates in (
            ("h100", "ch01", ["2026-01-03T10:00:00Z", "2026-01-02T10:00:00Z"]),
            ("h100", "ch02", ["2026-01-04T10:00:00Z"]),
            ("h200", "ch01", ["2026-01-05T10:00:00Z"]),
            ("cpu", "ch03", ["2026-01-06T10:00:00Z"]),
        ):
            folder = self.root / "docs" / "results" / machine
            folder.mkdir(parents=True, exist_ok=True)
            (folder / f"{name}.csv").write_text("\n".join(["stage,date", *(f"fast,{date}" for date in dates)]) + "\n")
        self.assertEqual(
            self.table("measured"),
            [
                "| file | `h100/` | `h200/` | `test/` |",
                "| --- | --- | --- | --- |",
                "| `ch01.csv` | 2026-01-02 to 2026-01-03 | 2026-01-05 | 2026-11-20 |",
                "| `ch02.csv` | 2026-01-04 | - | - |",
            ],
        )

    def test_what_cannot_be_shown_is_said(self):
        with self.assertRaises(DocsError):
            device_results.table(["architectures"], self.root)
        self.record(result())
        with self.assertRaises(DocsError):
            device_results.table(["colours"], self.root)
