"""The charts of chapter 5: time over the number of keys, as measured."""

import chart
import results

CORE = "odd_even,merge_thread,merge_rank,merge_path,merge_tiles,bitonic_global,bitonic_shared,sample_best"
FASTEST = "merge_tiles,merge_windows,bitonic_registers,bitonic_best,sample_sort,sample_best"
LIBRARY = ",cub_merge,cub_radix"


def figures():
    measured = results.load("ch05", "h200")
    chosen = {"type": "int", "values": "no", "input": "random"}
    return {
        "time.svg": chart.time_over_n(measured, "Sorting n ints", stage=CORE + LIBRARY, **chosen),
        "time_fastest.svg": chart.time_over_n(
            measured, "Sorting n ints: the fastest stages", stage=FASTEST + LIBRARY, **chosen
        ),
    }
