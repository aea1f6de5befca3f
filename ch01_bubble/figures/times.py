"""The chart of chapter 1: the time of each stage over the number of keys, as measured."""

import chart
import results


def figures():
    measured = results.load("ch01", "h200")
    stages = "odd_even_host,global,shared,grid,coalesced,shuffle,registers,halo,cub_radix"
    filters = {"options": "type=float", "input": "random", "stage": stages}
    return {"time.svg": chart.time_over_n(measured, "Bubble sort of n keys", **filters)}
