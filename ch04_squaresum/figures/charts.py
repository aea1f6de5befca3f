"""The charts of chapter 4: time and percentage of the ceiling over n."""

import chart
import results


def figures():
    measured = results.load("ch04", "h200")
    chosen = {"values": "digits", "input": "random", "kind": "stage,library"}
    story = "one_thread,chunked,interleaved,full_grid,shuffle,best"
    core = story + ",tree,cub"
    return {
        "time.svg": chart.time_over_n(
            measured, "The sum of the squares of n ints", story=story, items="ints", stage=core, **chosen
        ),
        "ceiling.svg": chart.ceiling_over_n(
            measured,
            "How much of the memory's speed is reached",
            items="ints",
            stage="tree,full_grid,best,cub",
            **chosen,
        ),
    }
