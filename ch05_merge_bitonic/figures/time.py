"""The chart of chapter 5: time over the number of keys, as measured."""

import chart
import results


def figures():
    measured = results.load("ch05", "h200")
    return {"time.svg": chart.time_over_n(measured, "Sorting n ints", type="int", values="no", input="random")}
