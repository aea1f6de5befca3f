"""The charts of chapter 1: the time of each stage over the number of keys, as measured."""

import chart
import results

CORE = "global,shared,grid,shuffle,persistent"
BESIDE_CORE = ",tiles,coalesced,cub_radix"
FASTEST = "registers,overlap,two_pipes,halo,persistent"
BESIDE_FASTEST = ",unrolled,shuffle"


def figures():
    measured = results.load("ch01", "h200")
    filters = {"options": "type=float", "input": "random"}
    jump = (1025, 120e-6, "1,025 keys: three rounds instead of one", 2.5e-6)
    return {
        "time.svg": chart.time_over_n(
            measured,
            "Bubble sort of n keys",
            notes=[jump],
            story=CORE,
            items="keys",
            stage=CORE + BESIDE_CORE,
            **filters,
        ),
        "time_fastest.svg": chart.speed_over_n(
            measured,
            "Bubble sort of n keys: the fastest stages compared with shuffle",
            "shuffle",
            story=FASTEST,
            items="keys",
            stage=FASTEST + BESIDE_FASTEST,
            **filters,
        ),
    }
