// Writes what threads do, one JSON object per line, in the order in which it happens. README.md
// describes the fields.
#pragma once

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "json_text.hpp"
#include "lab/lab.hpp"

namespace lab {

/// An access as it is written.
struct TracedAccess {
    std::uint64_t block;
    int thread;
    std::uint32_t interval;
    std::string file;
    int line;
    Operation operation;
    Space space;
    std::string array;
    std::size_t array_bytes;
    std::int64_t index;  ///< in items of `bytes`
    std::uint32_t bytes;
    std::uintptr_t address;
};

/// What a lane got from a shuffle or a vote.
struct TracedLane {
    int source;  ///< the lane that a shuffle read
    std::uint64_t value;
};

class Trace {
  public:
    /// Throws TraceError if the file cannot be written.
    explicit Trace(const std::string& file);
    ~Trace();
    Trace(const Trace&) = delete;
    Trace& operator=(const Trace&) = delete;

    void launch(const std::string& kernel, const Extents& grid, const Extents& block);
    void access(const TracedAccess& access);
    /// "barrier", "syncwarp" or "exchange"; `lanes`: of the warp, 0 for a barrier of the block.
    void meet(const char* what, std::uint64_t block, int warp, std::uint32_t lanes,
              std::uint32_t interval, const std::string& file, int line);
    /// A shuffle or a vote (`what`) of the lanes of `mask`, each of which got something.
    void exchange(const char* what, std::uint64_t block, int warp, std::uint32_t mask,
                  std::uint32_t interval, const std::string& file, int line,
                  const std::vector<TracedLane>& lanes);
    /// The finding about the access that was written last, or is about to be.
    void fault(const Finding& finding, std::uint64_t block, int thread);
    /// A store's value can be read only after the store, before anything else happens.
    void settle();

    /// So that a program that ends unexpectedly leaves its steps so far.
    void flush() {
        if (std::fflush(file_) != 0 && error_ == 0) error_ = errno;
    }
    /// Writes the rest. Throws TraceError if not all could be written.
    void close();

    /// True after kMaxSteps: nothing more is written.
    bool is_cut() const { return is_cut_; }

    /// More than a player shows; a browser needs seconds to write it.
    static constexpr std::uint64_t kMaxSteps = 200000;

  private:
    void write(const TracedAccess& access);
    void array(const TracedAccess& access);
    bool has_room();
    /// One object, a line of its own; defined where JSON is known.
    void put(const Json& line);

    std::string name_;
    std::FILE* file_;
    int error_ = 0;  ///< of the first write that failed
    std::uint64_t steps_ = 0;
    bool is_cut_ = false;
    bool has_pending_ = false;
    TracedAccess pending_;
    std::set<std::pair<Space, std::string>> arrays_;  ///< whose size is written
};

}  // namespace lab
