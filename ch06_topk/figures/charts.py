"""The chart of chapter 6: time over n."""

import chart
import results


def figures():
    measured = results.load("ch06", "h200")
    chosen = {
        "k": "20",
        "type": "int",
        "adversarial": "none",
        "distinct": "no",
        "index": "no",
        "input": "random",
        "stage": "insert,threshold,warp_queue,vector_queue,one_read,best,cub_sort",
        "n": "2^16,2^20,2^22,2^24,2^28,2^30",
    }
    return {"time.svg": chart.time_over_n(measured, "The 20 largest of n ints", **chosen)}
