// How far the samples of one time lie apart.
#pragma once

namespace tutorial {

/// In seconds. The interval is that of Samples::spread(): as wide as the samples and the clock say.
struct Spread {
    double first_quarter = 0.0;  ///< a quarter of the samples are shorter,
    double third_quarter = 0.0;  ///< a quarter are longer
    double low = 0.0;            ///< the true median lies between these two
    double high = 0.0;           ///< in about 95 of 100 cases

    /// Whether both medians may be the same. False if one of them is not known.
    bool overlaps(const Spread& other) const {
        return high > 0.0 && other.high > 0.0 && low <= other.high && other.low <= high;
    }
};

}  // namespace tutorial
