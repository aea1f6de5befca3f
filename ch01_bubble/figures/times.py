"""The chart of chapter 1: the time of each stage over the number of keys, as measured."""

import chart
import results


def figures():
    measured = results.load("ch01", "h200")
    stages = "odd_even_host,global,shared,grid,coalesced,shuffle,registers,two_pipes,persistent,cub_radix"
    filters = {"options": "type=float", "input": "random", "stage": stages}
    jump = (1025, 120e-6, "from 1,024 to 1,025 keys: one key too many for one segment, so three rounds", 0.7e-6)
    return {"time.svg": chart.time_over_n(measured, "Bubble sort of n keys", notes=[jump], **filters)}
