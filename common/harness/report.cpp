#include "report.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>

#include "fmt.hpp"
#include "text.hpp"
#include "timer.hpp"

namespace tutorial {

const char* kind_text(RowKind kind) {
    switch (kind) {
        case RowKind::stage:
            return "stage";
        case RowKind::host:
            return "host";
        case RowKind::library:
            return "library";
    }
    return "";
}

namespace {

// ---- What the rows hold, as text ---------------------------------------------------------------

std::string check_text(const RowResult& result) {
    if (!result.skipped.empty()) return "";
    return result.verdict.ok ? "ok" : "wrong";
}

bool timed(const RowResult& result) { return result.cold_seconds > 0.0; }

/// How many times as fast as `other`; 0 if there is nothing to compare.
double speed_up(const RowResult& result, const RowResult* other) {
    if (other == nullptr || !timed(*other) || !timed(result)) return 0.0;
    return other->cold_seconds / result.cold_seconds;
}

/// Whether the two cold times cannot be told apart.
bool may_be_equal(const RowResult& result, const RowResult* other) {
    return other != nullptr && other != &result && other->row.name != result.row.name &&
           result.cold_spread.overlaps(other->cold_spread);
}

/// Half the width of the interval of the median, in percent of it.
double percent_known(double median, const Spread& spread) {
    return median > 0.0 ? 50.0 * (spread.high - spread.low) / median : 0.0;
}

/// Per second of the cold time; 0 if it is not known.
double bytes_per_second(const RunInfo& run, const RowResult& result) {
    return timed(result) ? static_cast<double>(run.bytes_needed) / result.cold_seconds : 0.0;
}

double items_per_second(const RunInfo& run, const RowResult& result) {
    return timed(result) ? static_cast<double>(run.options.n) / result.cold_seconds : 0.0;
}

/// The device's ceiling says nothing about a row that runs on the host.
double percent_of_ceiling(const RunInfo& run, const RowResult& result) {
    if (!timed(result) || result.row.kind == RowKind::host) return 0.0;
    return 100.0 * run.ceiling.seconds / result.cold_seconds;
}

std::string driver_text(const DeviceInfo& device) {
    if (!device.driver.empty()) return device.driver;
    return fmt::format("for CUDA {}", cuda_version_text(device.driver_version));
}

// ---- Columns -----------------------------------------------------------------------------------

struct Column {
    std::string head;
    std::string cell;
    int width = 0;
};

std::string or_dash(double value, const std::string& text) { return value > 0.0 ? text : "-"; }

std::vector<Column> time_columns(const RunInfo& run, const RowResult& result,
                                 const RowResult* first, const RowResult* library) {
    const auto time = [](double seconds) { return or_dash(seconds, format_time(seconds)); };
    const auto ratio = [&](const RowResult* other) {
        const double value = speed_up(result, other);
        return or_dash(value,
                       (may_be_equal(result, other) ? "~" : "") + format_number(value) + "x");
    };
    std::vector<Column> columns;
    columns.push_back({"cold", time(result.cold_seconds), 8});
    const double known = percent_known(result.cold_seconds, result.cold_spread);
    columns.push_back({"+-", or_dash(known, fmt::format("{:.1f} %", known)), 6});
    columns.push_back({"hot", time(result.hot_seconds), 8});
    if (run.times_copies) columns.push_back({"with copies", time(result.copies_seconds), 11});
    if (run.bytes_needed > 0) {
        const double rate = bytes_per_second(run, result);
        columns.push_back({"GB/s", or_dash(rate, format_number(rate / 1e9)), 7});
    } else {
        const double rate = items_per_second(run, result);
        columns.push_back({run.item + "s/s", or_dash(rate, format_rate(rate)), 7});
    }
    const double percent = percent_of_ceiling(run, result);
    columns.push_back({"% of ceiling", or_dash(percent, format_number(percent)), 12});
    columns.push_back({"x first", ratio(first), 7});
    columns.push_back({"x library", ratio(library), 9});
    const char* const stopped = result.stopped_by_time ? "*" : "";
    columns.push_back(
        {"samples", result.samples > 0 ? fmt::format("{}{}", result.samples, stopped) : "-", 7});
    return columns;
}

/// The lab's columns: what a stage does to memory.
std::vector<Column> traffic_columns(const RunInfo& run, const RowResult& result) {
    const Counts& counts = result.counts;
    const auto ratio = [&](std::uint64_t a, std::uint64_t b) {
        if (!counts.has_traffic || b == 0) return std::string("-");
        return fmt::format("{:.2f}", static_cast<double>(a) / static_cast<double>(b));
    };
    const std::size_t moved = static_cast<std::size_t>(32 * counts.sectors);
    const std::string bytes = !counts.has_traffic || moved == 0 ? "-"
                              : run.bytes_needed == 0           ? format_bytes(moved)
                                                                : ratio(moved, run.bytes_needed);
    const std::uint64_t barriers = counts.block_barriers + counts.grid_barriers;
    return {
        {"launches", counts.counted ? fmt::format("{}", counts.launches) : "-", 8},
        {"sectors/request", ratio(counts.sectors, counts.global_requests), 15},
        {"least", ratio(counts.least_sectors, counts.global_requests), 5},
        {run.bytes_needed == 0 ? "bytes moved" : "moved/needed", bytes, 12},
        {"wavefronts/request", ratio(counts.wavefronts, counts.shared_requests), 18},
        {"least", ratio(counts.least_wavefronts, counts.shared_requests), 5},
        {"active lanes", ratio(counts.lane_steps, counts.steps), 12},
        {"barriers", counts.counted ? fmt::format("{}", barriers) : "-", 9},
        {"queue",
         counts.has_traffic && counts.atomics > 0 ? fmt::format("{}", counts.longest_queue) : "-",
         7}};
}

/// The emulator's columns: per block and per warp where a reader of the kernel can check that.
std::vector<Column> count_columns(const RowResult& result) {
    const Counts& counts = result.counts;
    const auto count = [&](std::uint64_t value) {
        return counts.counted ? fmt::format("{}", value) : "-";
    };
    const auto each = [&](std::uint64_t value, std::uint64_t of) {
        if (!counts.counted || of == 0) return std::string("-");
        if (value % of == 0) return fmt::format("{}", value / of);
        return format_number(static_cast<double>(value) / static_cast<double>(of));
    };
    return {{"launches", count(counts.launches), 8},
            {"blocks", count(counts.blocks), 8},
            {"threads/block", each(counts.threads, counts.blocks), 13},
            {"barriers/block", each(counts.block_barriers, counts.blocks), 14},
            {"exchanges/warp", each(counts.shuffles + counts.votes, counts.warps()), 14},
            {"atomics", count(counts.atomics), 9}};
}

std::vector<Column> columns_of(const RunInfo& run, const RowResult& result, const RowResult* first,
                               const RowResult* library) {
    if (!run.device.is_emulator) return time_columns(run, result, first, library);
    return run.has_traffic ? traffic_columns(run, result) : count_columns(result);
}

}  // namespace

std::string utc_date() {
    const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
    char text[sizeof("2026-01-31T12:34:56Z")];
    std::strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&now));
    return text;
}

// ---- CSV ---------------------------------------------------------------------------------------

namespace {

std::vector<CsvField> csv_row(const RunInfo& run, const RowResult& result, const RowResult* first,
                              const RowResult* library) {
    const auto number = [](double value) {
        return value > 0.0 ? fmt::format("{:.7g}", value) : std::string();
    };
    const auto microseconds = [&](double seconds) { return number(seconds * 1e6); };
    const auto count = [&](std::uint64_t value) {
        return result.counts.counted ? fmt::format("{}", value) : std::string();
    };
    const auto traffic = [&](std::uint64_t value) {
        return result.counts.has_traffic ? fmt::format("{}", value) : std::string();
    };
    const auto name_of = [&](const RowResult* other) {
        return other != nullptr && speed_up(result, other) > 0.0 ? other->row.name : std::string();
    };
    const DeviceInfo& device = run.device;
    const bool gpu = !device.is_emulator;
    return {
        {"chapter", run.chapter},
        {"stage", result.row.name},
        {"kind", kind_text(result.row.kind)},
        {"n", fmt::format("{}", run.options.n)},
        {"input", run.options.input},
        {"seed", fmt::format("{}", run.options.seed)},
        {"options", run.chapter_options},
        {"backend", gpu ? "gpu" : "cpu"},
        {"device", device.name},
        {"sm_count", fmt::format("{}", device.sm_count)},
        {"clock_mhz", number(device.sm_clock_hz / 1e6)},
        {"cuda", gpu ? cuda_version_text(device.cuda_version) : ""},
        {"driver", gpu ? driver_text(device) : ""},
        {"date", run.date},
        {"samples", result.samples > 0 ? fmt::format("{}", result.samples) : ""},
        {"cold_us", microseconds(result.cold_seconds)},
        {"cold_min_us", microseconds(result.cold_minimum)},
        {"cold_q1_us", microseconds(result.cold_spread.first_quarter)},
        {"cold_q3_us", microseconds(result.cold_spread.third_quarter)},
        {"cold_low_us", microseconds(result.cold_spread.low)},
        {"cold_high_us", microseconds(result.cold_spread.high)},
        {"stopped", result.samples == 0      ? ""
                    : result.stopped_by_time ? "time"
                                             : "stable"},
        {"hot_us", microseconds(result.hot_seconds)},
        {"hot_q1_us", microseconds(result.hot_spread.first_quarter)},
        {"hot_q3_us", microseconds(result.hot_spread.third_quarter)},
        {"hot_low_us", microseconds(result.hot_spread.low)},
        {"hot_high_us", microseconds(result.hot_spread.high)},
        {"processes", result.samples > 0 ? "1" : ""},
        {"copies_us", microseconds(result.copies_seconds)},
        {"bytes_needed", run.bytes_needed > 0 ? fmt::format("{}", run.bytes_needed) : ""},
        {"gb_per_s", number(bytes_per_second(run, result) / 1e9)},
        {"items_per_s", number(items_per_second(run, result))},
        {"ceiling", run.ceiling.name},
        {"ceiling_us", microseconds(run.ceiling.seconds)},
        {"percent_of_ceiling", number(percent_of_ceiling(run, result))},
        {"read_gb_per_s", number(run.ceilings.read_bytes_per_second / 1e9)},
        {"copy_gb_per_s", number(run.ceilings.copy_bytes_per_second / 1e9)},
        {"launch_overhead_us", microseconds(run.ceilings.launch_cold_seconds)},
        {"hot_launch_overhead_us", microseconds(run.ceilings.launch_hot_seconds)},
        {"programmatic_overhead_us", microseconds(run.ceilings.programmatic_hot_seconds)},
        {"tick_us", microseconds(gpu ? event_tick_seconds() : 0.0)},
        {"first", name_of(first)},
        {"x_first", number(speed_up(result, first))},
        {"library", name_of(library)},
        {"x_library", number(speed_up(result, library))},
        {"check", check_text(result)},
        {"message", result.skipped.empty() ? (result.verdict.ok ? "" : result.verdict.message)
                                           : result.skipped},
        {"launches", count(result.counts.launches)},
        {"blocks", count(result.counts.blocks)},
        {"threads", count(result.counts.threads)},
        {"block_barriers", count(result.counts.block_barriers)},
        {"grid_barriers", count(result.counts.grid_barriers)},
        {"shuffles", count(result.counts.shuffles)},
        {"votes", count(result.counts.votes)},
        {"warp_barriers", count(result.counts.warp_barriers)},
        {"atomics", count(result.counts.atomics)},
        {"global_requests", traffic(result.counts.global_requests)},
        {"sectors", traffic(result.counts.sectors)},
        {"least_sectors", traffic(result.counts.least_sectors)},
        {"shared_requests", traffic(result.counts.shared_requests)},
        {"wavefronts", traffic(result.counts.wavefronts)},
        {"least_wavefronts", traffic(result.counts.least_wavefronts)},
        {"longest_queue", traffic(result.counts.longest_queue)},
        {"steps", traffic(result.counts.steps)},
        {"lane_steps", traffic(result.counts.lane_steps)},
    };
}

}  // namespace

std::vector<std::string> csv_header() { return names_of(csv_row({}, {}, nullptr, nullptr)); }

std::vector<std::string> csv_fields(const RunInfo& run, const RowResult& result,
                                    const RowResult* first, const RowResult* library) {
    return values_of(csv_row(run, result, first, library));
}

// ---- Status line -------------------------------------------------------------------------------

StatusLine::StatusLine(std::FILE* terminal) : terminal_(terminal) {}

void StatusLine::show(const std::string& text) {
    if (terminal_ == nullptr) return;
    clear();
    constexpr std::size_t kMax = 78;  // a longer line would wrap, and could not be erased
    const std::string shown = text.substr(0, kMax);
    fmt::print(terminal_, "{}", shown);
    std::fflush(terminal_);
    shown_ = shown.size();
}

void StatusLine::clear() {
    if (terminal_ == nullptr || shown_ == 0) return;
    fmt::print(terminal_, "\r{:{}}\r", "", shown_);
    std::fflush(terminal_);
    shown_ = 0;
}

// ---- Table -------------------------------------------------------------------------------------

Report::Report(const RunInfo& run, std::FILE* out, CsvFile* csv)
    : run_(run), out_(out), csv_(csv) {}

void Report::begin(const std::vector<RowInfo>& rows, const std::string& before) {
    const DeviceInfo& device = run_.device;
    fmt::print(out_, "{}: {}\n", run_.chapter, run_.title);
    if (device.is_emulator) {
        fmt::print(out_, "{}: {} multiprocessors, threads in {} order; {}\n", device.name,
                   device.sm_count, run_.options.order, run_.date);
    } else {
        fmt::print(out_, "{}: {} multiprocessors at up to {:.0f} MHz, {}; CUDA {}, driver {}; {}\n",
                   device.name, device.sm_count, device.sm_clock_hz / 1e6,
                   format_bytes(device.memory_bytes), cuda_version_text(device.cuda_version),
                   driver_text(device), run_.date);
    }
    fmt::print(out_, "n = {} {}s, input {}, seed {}{}{}\n", format_size(run_.options.n), run_.item,
               run_.options.input, run_.options.seed, run_.chapter_options.empty() ? "" : ", ",
               run_.chapter_options);
    if (!device.is_emulator) print_ceilings();
    if (!before.empty()) fmt::print(out_, "\n{}{}", before, before.back() == '\n' ? "" : "\n");
    fmt::print(out_, "\n");

    name_width_ = 5;
    for (const RowInfo& row : rows) name_width_ = std::max(name_width_, row.name.size());
    fmt::print(out_, "{:<{}}", "stage", name_width_);
    for (const Column& column : columns_of(run_, {}, nullptr, nullptr)) {
        fmt::print(out_, "  {:>{}}", column.head, column.width);
    }
    if (device.is_emulator) {
        recorded_ =
            recorded_times(run_.chapter, run_.options.n, run_.options.input, run_.chapter_options);
    }
    if (recorded_) fmt::print(out_, "  {}", recorded_head());
    fmt::print(out_, "  check\n");
    std::fflush(out_);
}

/// The head of the column of recorded times: they are another machine's, and perhaps for a
/// different n.
std::string Report::recorded_head() const {
    const std::size_t n = recorded_->n;
    const bool power = n >= (std::size_t{1} << 16) && (n & (n - 1)) == 0;
    const std::string size = power ? fmt::format("2^{:.0f}", std::log2(n)) : fmt::format("{}", n);
    return fmt::format("{} at {}", short_device_name(recorded_->device), size);
}

void Report::print_ceilings() {
    const auto rate = [](double bytes_per_second) {
        return or_dash(bytes_per_second, format_number(bytes_per_second / 1e9) + " GB/s");
    };
    fmt::print(out_, "memory, measured: read {}, copy {} (read + written)",
               rate(run_.ceilings.read_bytes_per_second),
               rate(run_.ceilings.copy_bytes_per_second));
    if (run_.ceiling.seconds > 0.0) {
        fmt::print(out_, "; ceiling here: {}, {}", run_.ceiling.name,
                   format_time(run_.ceiling.seconds));
    }
    fmt::print(out_, "\n");
}

void Report::row(const RowResult& result, const RowResult* first, const RowResult* library) {
    fmt::print(out_, "{:<{}}", result.row.name, name_width_);
    if (result.skipped.empty()) {
        for (const Column& column : columns_of(run_, result, first, library)) {
            fmt::print(out_, "  {:>{}}", column.cell, column.width);
        }
        if (recorded_) {
            const auto at = recorded_->cold_seconds.find(result.row.name);
            const bool known = at != recorded_->cold_seconds.end();
            fmt::print(out_, "  {:>{}}", known ? format_time(at->second) : "-",
                       recorded_head().size());
        }
        fmt::print(out_, "  {}\n", result.verdict.ok ? "ok" : "WRONG");
    } else {
        fmt::print(out_, "  skipped: {}\n", result.skipped);
    }
    std::fflush(out_);
    if (csv_ == nullptr || !csv_error_.empty()) return;
    try {
        csv_->append(csv_fields(run_, result, first, library));
    } catch (const std::exception& error) {
        csv_error_ = error.what();  // the remaining rows must not be lost because of that
    }
}

void Report::end(const std::vector<RowResult>& results, const RowResult* first,
                 const RowResult* library, const std::string& after) {
    std::size_t right = 0;
    std::size_t skipped = 0;
    for (const RowResult& result : results) {
        if (!result.skipped.empty()) {
            ++skipped;
        } else if (result.verdict.ok) {
            ++right;
        }
    }
    fmt::print(out_, "\n");
    if (run_.device.is_emulator) {
        fmt::print(
            out_,
            "These are counts of one run, not times: how long a CPU takes to emulate a GPU says "
            "nothing about a GPU.\n{}\n",
            !run_.has_traffic
                ? "exchanges/warp: shuffles and votes per warp."
                : "sectors/request: 32-byte sectors of global memory per request of a warp; "
                  "least: the fewest possible.\nwavefronts/request: passes through shared "
                  "memory per request; least: the fewest possible.\nactive lanes: of 32, on "
                  "average; queue: the most atomic operations on one word, done one by "
                  "one.\nLine by line: --explain.");
        if (recorded_) {
            fmt::print(out_,
                       "{}: recorded on a GPU ({}, {}, CUDA {}), cold: data not in L2;\n"
                       "at n = {}{}.\n",
                       recorded_head(), recorded_->device, recorded_->date, recorded_->cuda,
                       format_size(recorded_->n),
                       recorded_->n == run_.options.n
                           ? ""
                           : ", because none was recorded for this run's n");
        }
    } else {
        fmt::print(out_,
                   "cold: data not in L2; hot: one of many runs back to back; both are medians; "
                   "+-: how well cold is known\n");
        if (std::any_of(results.begin(), results.end(),
                        [](const RowResult& result) { return result.stopped_by_time; })) {
            fmt::print(out_, "*: sampling stopped when its time was up\n");
        }
        if (first != nullptr) {
            fmt::print(out_, "x first: cold time of {} divided by that of the row\n",
                       first->row.name);
        }
        if (library != nullptr) {
            fmt::print(out_, "x library: the same with {}; ~: no measurable difference\n",
                       library->row.name);
        }
    }
    fmt::print(out_, "{} row{}: {} right, {} wrong, {} skipped\n", results.size(),
               results.size() == 1 ? "" : "s", right, results.size() - right - skipped, skipped);
    if (!after.empty()) fmt::print(out_, "\n{}{}", after, after.back() == '\n' ? "" : "\n");
    std::fflush(out_);
}

}  // namespace tutorial
