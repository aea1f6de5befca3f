// What a run prints: a table on stdout, row by row, and a CSV file.
//
// clang-format off: it would join the lines of this table
// The columns of the CSV. One line per row of the table; a field that does not apply is empty.
//   chapter, stage, kind    the chapter's folder; the row's name; stage, host or library
//   n, input, seed          as given by --n, --input, --seed
//   options                 the chapter's own options, e.g. "type=float"
//   backend                 gpu or cpu
//   device, sm_count, clock_mhz, cuda, driver   the machine; clock_mhz is the highest SM clock
//   date                    start of the run, UTC, ISO 8601
//   samples                 cold samples
//   cold_us, cold_min_us    median and least time of one run in microseconds, L2 flushed before
//                           each (host rows: by the host's clock, nothing flushed)
//   cold_q1_us, cold_q3_us  a quarter of the cold samples are shorter, a quarter longer
//   cold_low_us, cold_high_us   between these the median is known to lie: see Spread
//   stopped                 why no more samples were taken: stable, or time
//   hot_us                  median time of one run, back to back
//   hot_q1_us, hot_q3_us, hot_low_us, hot_high_us   the same for it
//   processes               in how many processes this was measured: 1 as written here
//   copies_us               median time with the copies to and from the device
//   bytes_needed            bytes that one run must move at least; empty if the chapter has none
//   gb_per_s                bytes_needed / cold time / 1e9
//   items_per_s             n / cold time
//   ceiling, ceiling_us     what limits this chapter, and the least time of one run by it
//   percent_of_ceiling      100 * ceiling_us / cold_us
//   read_gb_per_s, copy_gb_per_s   the measured ceilings of the memory
//   launch_overhead_us      time of an empty kernel, cold
//   hot_launch_overhead_us, programmatic_overhead_us   the same back to back, as usual, and with
//   overlapping launches
//   tick_us                 a tick of the clock on which CUDA's events are recorded
//   first, x_first          the first stage measured in this run; its cold time / this cold time
//   library, x_library      the first library row measured in this run; the same ratio
//   check                   ok or wrong; empty if skipped
//   message                 the first mismatch, or why the row was skipped
//   launches, blocks, threads, block_barriers, grid_barriers, shuffles, votes, warp_barriers,
//   atomics                 what the emulator counted in one run: see backend.hpp
//   global_requests, sectors, least_sectors, shared_requests, wavefronts, least_wavefronts,
//   longest_queue, steps, lane_steps   likewise, in a program with the lab
// clang-format on
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ceilings.hpp"
#include "csv.hpp"
#include "device_info.hpp"
#include "interface.hpp"
#include "recorded.hpp"

namespace tutorial {

/// What all rows of one run have in common.
struct RunInfo {
    std::string chapter;
    std::string title;
    std::string item;             ///< what n counts, singular
    std::string chapter_options;  /// as in the CSV
    Options options;
    DeviceInfo device;
    Ceilings ceilings;  ///< of the memory; 0 on the emulator
    Ceiling ceiling;    ///< of this chapter at this n
    std::size_t bytes_needed = 0;
    bool times_copies = false;
    bool has_traffic = false;  ///< rows get the counts of the lab, not only the emulator's
    std::string date;          ///< UTC, ISO 8601
};

/// stage, host or library: as in the CSV and in --list.
const char* kind_text(RowKind kind);

/// Now, as "2026-11-20T12:34:56Z".
std::string utc_date();

/// The CSV's header and one row's fields.
std::vector<std::string> csv_header();
std::vector<std::string> csv_fields(const RunInfo& run, const RowResult& result,
                                    const RowResult* first, const RowResult* library);

/// Shows, on a terminal only, what is being done now; erased before anything else is printed.
class StatusLine {
  public:
    explicit StatusLine(std::FILE* terminal);
    ~StatusLine() { clear(); }
    void show(const std::string& text);
    void clear();

  private:
    std::FILE* terminal_;  ///< nullptr if there is none
    std::size_t shown_ = 0;
};

/// The table. Rows are printed as soon as they are known.
class Report {
  public:
    /// `csv` may be nullptr.
    Report(const RunInfo& run, std::FILE* out, CsvFile* csv);

    /// Chapter, machine, size, ceilings, the chapter's own text `before` and the columns' heads.
    void begin(const std::vector<RowInfo>& rows, const std::string& before);

    /// One row, on stdout and in the CSV. `first` and `library` are the rows it is compared with,
    /// or nullptr.
    void row(const RowResult& result, const RowResult* first, const RowResult* library);

    /// What the columns mean, how many rows were right, and the chapter's own text `after`.
    void end(const std::vector<RowResult>& results, const RowResult* first,
             const RowResult* library, const std::string& after);

    /// Why a row could not be written to the CSV (no further one was then tried), or empty.
    const std::string& csv_error() const { return csv_error_; }

  private:
    void print_ceilings();
    std::string recorded_head() const;

    const RunInfo& run_;
    std::FILE* out_;
    CsvFile* csv_;
    std::string csv_error_;
    std::optional<RecordedTimes> recorded_;  ///< on the emulator only
    std::size_t name_width_ = 0;
};

}  // namespace tutorial
