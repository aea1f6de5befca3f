"""The charts of chapter 5: time over the number of keys, and the fastest stages compared with the library's."""

import chart
import results

CORE = "odd_even,merge_thread,merge_rank,merge_path,bitonic_shared,sample_best"
BESIDE_CORE = ",merge_split,merge_tiles,bitonic_global"
FASTEST = "merge_tiles,merge_windows,bitonic_best,sample_sort,few_ways,ordered_tiles,sample_best"
BESIDE_FASTEST = ",bitonic_registers,kept_buckets,register_buckets,computed_places"
LIBRARY = ",cub_merge,cub_radix"


def figures():
    measured = results.load("ch05", "h200")
    chosen = {"type": "int", "values": "no", "input": "random"}
    return {
        "time.svg": chart.time_over_n(
            measured, "Sorting n ints", story=CORE, items="keys", stage=CORE + BESIDE_CORE + LIBRARY, **chosen
        ),
        "time_fastest.svg": chart.speed_over_n(
            measured,
            "Sorting n ints: the fastest stages compared with the library's merge sort",
            "cub_merge",
            story=FASTEST,
            items="keys",
            stage=FASTEST + BESIDE_FASTEST + LIBRARY,
            **chosen,
        ),
    }
