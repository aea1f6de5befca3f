// What a message costs: the two numbers of the alpha-beta model, measured between neighbours.
//
// The model (Hockney, "The communication challenge for MPP: Intel Paragon and Meiko CS-2", Parallel
// Computing 20, 1994): a message of b bytes takes latency + b / bandwidth.
#pragma once

#include <functional>

namespace tutorial {

class Ranks;

struct Links {
    double latency = 0.0;    ///< seconds of a swap of 8 bytes with a neighbour, from the GPU's view
    double bandwidth = 0.0;  ///< bytes per second in each direction, both at once
    double reduce_latency = 0.0;  ///< seconds of an all-reduce of 8 bytes

    double message_seconds(double bytes) const {
        return bandwidth > 0.0 ? latency + bytes / bandwidth : 0.0;
    }
};

/// What the alpha-beta model says one run takes.
struct Prediction {
    double local = 0.0;     ///< seconds of the GPUs' own work
    double messages = 0.0;  ///< seconds of messages that nothing hides

    double seconds() const { return local + messages; }
};

/// Measures on the default stream, all ranks together: the slowest rank's median. With one rank, or
/// on the emulator, whose times mean nothing, all is 0.
Links measure_links(Ranks& ranks);

/// The median of `samples` runs of `work`, each begun by all GPUs at the same time: the slowest
/// rank's. `reset` is called before each and is not timed.
struct Quartiles {
    double median = 0.0, lower = 0.0, upper = 0.0;  ///< seconds; the quartiles
    int samples = 0;
};
Quartiles time_together(Ranks& ranks, int samples, const std::function<void()>& reset,
                        const std::function<void()>& work);

}  // namespace tutorial
