"""The charts of chapter 1: the time of each stage over the number of keys, as measured."""

import chart
import results

CORE = "global,shared,grid,tiles,coalesced,shuffle,persistent,cub_radix"
FASTEST = "shuffle,registers,overlap,unrolled,two_pipes,halo,persistent,cub_radix"


def figures():
    measured = results.load("ch01", "h200")
    filters = {"options": "type=float", "input": "random"}
    jump = (1025, 120e-6, "1,025 keys: three rounds instead of one", 2.5e-6)
    return {
        "time.svg": chart.time_over_n(measured, "Bubble sort of n keys", notes=[jump], stage=CORE, **filters),
        "time_fastest.svg": chart.time_over_n(
            measured, "Bubble sort of n keys: the fastest stages", stage=FASTEST, **filters
        ),
    }
