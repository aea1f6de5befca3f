"""The chart of chapter 6: time over n."""

import chart
import results

STORY = "insert,threshold,warp_queue,vector_queue,one_read,best"


def figures():
    measured = results.load("ch06", "h200")
    chosen = {
        "k": "20",
        "type": "int",
        "adversarial": "none",
        "distinct": "no",
        "index": "no",
        "input": "random",
        "stage": STORY + ",parallel_output,multi_pass,shared_threshold,one_launch,sample_threshold,cub_sort",
        "n": "2^16,2^20,2^22,2^24,2^28",
    }
    return {"time.svg": chart.time_over_n(measured, "The 20 largest of n ints", story=STORY, items="keys", **chosen)}
