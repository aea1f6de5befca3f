// Times that were recorded on a GPU, for the emulator's table: so that a reader without a GPU sees
// what the counts mean in microseconds. They come from docs/results/<machine>/chNN.csv, which the
// program reads when it runs; the folder is given at build time (TUTORIAL_RESULTS), so it works
// from anywhere.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tutorial {

struct RecordedTimes {
    std::string device;  ///< "NVIDIA H200"
    std::string cuda;    ///< "13.0"
    std::string date;    ///< "2026-11-21"
    std::size_t n = 0;
    std::map<std::string, double> cold_seconds;  ///< by stage; those that were measured
};

/// What was recorded for `chapter` (its folder's name) with this input and these options, at n; or
/// else at the size at which most stages were measured, of several such sizes the nearest to n.
/// `folder` is docs/results. Of several machines the last by name: the H200, which the texts quote.
/// Empty if nothing fits or nothing can be read.
std::optional<RecordedTimes> recorded_times(const std::string& folder, const std::string& chapter,
                                            std::size_t n, const std::string& input,
                                            const std::string& options);

/// The same in this checkout's docs/results; empty if the program was built without it.
std::optional<RecordedTimes> recorded_times(const std::string& chapter, std::size_t n,
                                            const std::string& input, const std::string& options);

/// The fields of one line of a CSV without line breaks in its fields.
std::vector<std::string> split_csv_line(const std::string& line);

/// "NVIDIA H200" as "H200": the name that heads a column.
std::string short_device_name(const std::string& device);

}  // namespace tutorial
