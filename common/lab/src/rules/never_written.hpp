// Items that were never written, but that the host uses: a grid that is too small, x and y of a
// grid in the wrong order, a ticket that was not reset. No kernel reads them, so nothing else here
// notices.
//
// Copying such items to the host is no fault by itself: a buffer may be longer than its contents.
// The fault is a load of one by the host. If no item of the copy is ever loaded in files that the
// lab sees, there is only a note.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "access_sites.hpp"
#include "emulator/for_observers.hpp"
#include "lab/lab.hpp"
#include "order/shadow.hpp"
#include "order/stream_order.hpp"

namespace lab {

/// "The launch at ... has 3 blocks of 128 threads: 384 threads for 400 items."
std::string threads_for_items(const emulator::LaunchShape& shape, const SourcePlace& launch,
                              std::size_t items);
/// How a launch with fewer threads than items gets enough of them.
/// `each`: how many items a thread writes.
std::string more_threads(const emulator::LaunchShape& shape, std::size_t each = 1);

class NeverWritten {
  public:
    explicit NeverWritten(const StreamOrder& streams) : streams_(streams) {}

    /// A kernel that begins in this epoch.
    void launched(std::uint32_t epoch, const emulator::LaunchShape& shape);

    /// A copy was made; `source`, `target`: the device memory (or mapped memory) that it has used,
    /// or null.
    void copied(const emulator::Copy& copy, Watched* source, const Watched* target);

    /// Whether the host's access here may be of interest.
    bool may_hold(std::uintptr_t address) const { return address - low_ < high_ - low_; }

    /// The host's access to what was copied; true: `made` says what is wrong with it.
    bool host_access(SiteId site, std::uintptr_t address, std::uint32_t bytes, Kind kind,
                     Finding* made);

    /// Where the memory begins that this was about, if nothing was written there at all; else 0.
    std::uintptr_t unwritten() const { return unwritten_; }

    /// The same for memory that both sides use.
    bool mapped_access(SiteId site, const Watched& memory, std::uintptr_t address,
                       std::uint32_t bytes, Finding* made);

    /// Notes on copies from which the host has loaded nothing.
    std::vector<Finding> take_notes();

  private:
    /// A line that has written some of the items.
    struct Writer {
        SiteId site = kNoSite;
        std::uint32_t epoch = 0;
    };
    /// What is known about a range of memory, and which lines wrote it.
    struct Range {
        std::string description, call;  ///< "the allocation ..."; the copying call
        emulator::Site copy;
        std::uintptr_t memory = 0;  ///< where it begins
        std::size_t bytes = 0, missing = 0;
        std::size_t first_written = 0, last_written = 0;  ///< bytes; if not all are missing
        std::size_t first_missing = 0, last_missing = 0;  ///< the same
        std::vector<Writer> writers;
        std::size_t pitch = 0;           ///< cudaMallocPitch's, if it is a row of such memory
        std::size_t memory_written = 0;  ///< bytes up to the last one written anywhere in it
        Writer padding{};                ///< a line that has written what follows a row
    };
    /// Host memory that holds such items.
    struct Brought {
        Range range;
        std::vector<bool> is_missing;  ///< of each byte
        bool is_used = false;          ///< the host has loaded others
    };

    Range range_of(const Watched& memory, std::uintptr_t begin, std::size_t bytes,
                   std::vector<bool>* is_missing) const;
    static void look_at_rows(const Watched& memory, Range& row);
    static bool are_in_one_line(const Range& range);
    bool is_covered(const Range& range) const;
    static std::size_t item_bytes(const Range& range, std::size_t otherwise);
    void forget(std::uintptr_t begin, std::size_t bytes);
    void find_limits();
    Finding finding(const Range& range, std::size_t item_bytes, const Party* host) const;
    void explain(const Range& range, std::size_t item_bytes, Finding& made) const;
    static std::string condition_of(const Range& range, std::size_t item_bytes);

    const StreamOrder& streams_;
    std::map<std::uint32_t, emulator::LaunchShape> shapes_;  ///< of kernels, by their operation
    std::map<std::uintptr_t, Brought> brought_;              ///< by its begin
    std::uintptr_t unwritten_ = 0;
    std::uintptr_t low_ = 0, high_ = 0;  ///< all of them are between these
    /// Mapped memory that was checked, by its number: how many epochs there were then.
    std::map<std::size_t, std::size_t> looked_at_;
};

}  // namespace lab
