"""The chart of chapter 5: time over the number of keys, as measured."""

import chart
import results


def figures():
    measured = results.load("ch05", "h200")
    stages = "odd_even,merge_thread,merge_rank,merge_path,merge_best,bitonic_global,bitonic_best,sample_best,cub_merge,"
    stages += "cub_radix"
    chosen = {"type": "int", "values": "no", "input": "random", "stage": stages}
    return {"time.svg": chart.time_over_n(measured, "Sorting n ints", **chosen)}
