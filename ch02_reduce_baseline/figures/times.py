"""The chart of chapter 2: the time of each stage over the number of items, as measured."""

import chart
import results


def figures():
    measured = results.load("ch02", "h200")
    note = (1 << 20, 15e-6, "three stages, nearly equal", 2e-6)
    drawn = chart.time_over_n(
        measured, "Sum of n floats, first tries", notes=[note], items="floats", finish="launch", input="random"
    )
    return {"time.svg": drawn}
