// What a chapter gives to the harness: a table of stages, and an Experiment that makes the input,
// runs any stage on it and checks the result. chapter.hpp is the program that does the rest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "backend.hpp"
#include "options.hpp"
#include "spread.hpp"
#include "verify.hpp"

namespace tutorial {

/// stage: a kernel of the chapter, or several; host: runs on the host, timed with the host's clock;
/// library: what people would call instead, on the device.
enum class RowKind { stage, host, library };

/// The limits of a row. The harness skips the row and prints the reason.
struct Limits {
    std::size_t max_n = SIZE_MAX;  ///< largest n that the row takes
    std::string why = {};          ///< why not more, e.g. "one block sorts 2 keys per thread"
    std::string needs_gpu = {};    ///< not empty: what it uses that only a GPU has
    bool is_quadratic = false;     ///< it compares n * n / 2 times: too often to count each
};

/// What the harness knows of one row of a chapter's table.
struct RowInfo {
    std::string name;  ///< the kernel, the heading in README.md, the test: the same everywhere
    std::string idea;  ///< one line
    RowKind kind = RowKind::stage;
    Limits limits = {};
};

/// One row of a chapter's typed table: what the harness knows of it, and how to launch it. An
/// aggregate, so that a table reads as a table:
///
///     template <class Key>
///     using Launch = void (*)(Key* d_keys, std::size_t n);
///
///     template <class Key>
///     const std::vector<Stage<Launch<Key>>>& stages() {
///         static const std::vector<Stage<Launch<Key>>> table = {
///             {{"shared", "one block, keys in shared memory", RowKind::stage,
///               {kMaxKeys, "one block sorts two keys per thread"}}, shared<Key>},
///             {{"grid", "many blocks, one launch per half-step"}, grid<Key>},
///         };
///         return table;
///     }
///
/// `Launch` is whatever the chapter can call: a function pointer, or std::function.
template <class Launch>
struct Stage : RowInfo {
    Launch launch;
};

/// What the harness asks of a typed table: its rows without the launchers.
template <class Launch>
std::vector<RowInfo> rows_of(const std::vector<Stage<Launch>>& table) {
    return {table.begin(), table.end()};
}

/// The time that no kernel can beat: for "% of ceiling".
struct Ceiling {
    std::string name;      ///< what limits, e.g. "read bandwidth", "copy bandwidth", "min/max rate"
    double seconds = 0.0;  ///< least time of one run at this n; 0 if no ceiling is known
};

/// One row as measured; what the table prints and the CSV holds. Times are in seconds, and all 0
/// if nothing was timed: on the emulator, in a skipped row, and in a row whose result is
/// wrong (the time of a wrong kernel is worth nothing).
struct RowResult {
    RowInfo row;
    std::string skipped;           ///< reason, or empty
    double cold_seconds = 0.0;     ///< median, L2 flushed before each run; host rows: median
    double cold_minimum = 0.0;     ///< least, likewise
    double hot_seconds = 0.0;      ///< median per run, back to back; 0 if not measured
    double copies_seconds = 0.0;   ///< median with the copies; 0 if not measured
    int samples = 0;               ///< how many cold samples
    Spread cold_spread;            ///< of the cold samples, and how well their median is known
    Spread hot_spread;             ///< the same for the hot ones, per run
    bool stopped_by_time = false;  ///< the cold samples' time was spent before that was settled
    Counts counts;                 ///< what the emulator counted in one run
    Verdict verdict;
};

/// One chapter's problem at one n, whatever its types. The harness calls, in this order: rows();
/// device_bytes(); prepare(); then for each row reset(slot), run(row, slot), check(row, slot).
class Experiment {
  public:
    virtual ~Experiment() = default;

    /// The table, in teaching order; library rows last. Touches no device.
    virtual std::vector<RowInfo> rows() const = 0;

    /// Device memory in bytes that prepare() will ask for. Touches no device.
    virtual std::size_t device_bytes(const Options& options) const = 0;

    /// Makes the input, computes the reference from it, then allocates and fills device buffers.
    virtual void prepare(const Options& options) = 0;

    /// Independent copies of the input, so that launches timed back to back need no reset between
    /// them even when they work in place. At least 1.
    virtual int slots() const { return 1; }

    /// True: run() leaves the slot's input as it was, so it may be called on a slot again and again
    /// and does the same work each time (a reduction). The hot time can then take as many launches
    /// as it needs, cycling through the slots. False (the safe default, right for work in place):
    /// each slot is run once between two resets, so the hot time has slots() launches in a batch.
    virtual bool keeps_input() const { return false; }

    /// Restores the slot's input and fills its output with a sentinel. Never inside a timed span.
    virtual void reset(int slot) = 0;

    /// Does the work of rows()[row] once. Device rows enqueue on the default stream and do not
    /// wait; host rows compute on the host.
    virtual void run(std::size_t row, int slot) = 0;

    /// True: the table has a column "with copies", and run_with_copies() is called.
    virtual bool times_copies() const { return false; }

    /// The same with the copies from and to the host, for chapters that teach what they cost. What
    /// it leaves in the slot is checked like the result of run(). False: this row has no such
    /// version, and nothing was done.
    virtual bool run_with_copies(std::size_t /*row*/, int /*slot*/) { return false; }

    /// Compares what the last run() left in the slot with the reference.
    virtual Verdict check(std::size_t row, int slot) = 0;

    /// Bytes that one run must move at least, for GB/s; 0: show items per second instead.
    virtual std::size_t bytes_needed() const = 0;

    /// The least time of one run. Called once, after prepare(), on a GPU only.
    virtual Ceiling ceiling() const = 0;

    /// Text printed before the table (a prediction, a device list) and after it. `results` are the
    /// rows as measured.
    virtual std::string before() const { return {}; }
    virtual std::string after(const std::vector<RowResult>& /*results*/) const { return {}; }
};

/// Makes a chapter's experiment for the options as parsed. Touches no device.
using MakeExperiment = std::function<std::unique_ptr<Experiment>(const Options&)>;

}  // namespace tutorial
