// What a run prints: a table on stdout, row by row, and a CSV file. The columns of the CSV are
// explained in docs/results/README.md, what the emulator counts in backend.hpp. One line per row of
// the table; a field that does not apply is empty.
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
