// A race between two lines, and where its fix goes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "emulator/for_observers.hpp"
#include "finding_list.hpp"
#include "order/happens_before.hpp"
#include "places.hpp"

namespace lab {

/// What is known about a pair of accesses that nothing orders.
struct RacingAccess {
    SiteId site = kNoSite;
    bool stores = false;
    bool is_atomic = false;    ///< or volatile, in global memory
    bool is_volatile = false;  ///< and no atomic operation
    bool is_update = false;    ///< changes what the thread has read
    SiteId load = kNoSite;     ///< of an update: where it has read that
};

struct RacePair {
    RacingAccess before, after;
    bool same_block = false, same_warp = false;
    bool is_block_one_warp = false;
    std::uint32_t atomic_bytes = 0;  ///< of the atomic operations on the word; 0: there are none
    int warp = 0;                    ///< of the second access
    emulator::Site last_barrier;     ///< of the block, before both
    Lack lack = Lack::no_fence;
};

/// All pairs of two lines: the one to report, and what is true of any of them.
struct SeenPairs {
    RacePair pair;
    bool across_warps = false, both_write = false;
    int warp = 0;  ///< that raced within itself; WarpPaths::kSeveral
    bool within_warp = false;
};

/// The same, with the lines.
struct Race {
    explicit Race(const SeenPairs& seen);

    const RacePair& pair;
    const bool both_write, across_warps;
    const int warp;
    const Place here, there;                ///< of the later access, and of the earlier one
    const Place kernel_here, kernel_there;  ///< the kernel's own lines that lead there
    const bool is_one_file, is_one_function, is_one_line;  ///< here and there
    const int low, high, kernel_low, kernel_high;

    bool is_update() const { return pair.before.is_update || pair.after.is_update; }
    bool both_store() const { return pair.before.stores && pair.after.stores; }
    /// If only one of the two stores.
    const Place& stored() const { return pair.before.stores ? there : here; }
    const Place& loaded() const { return pair.before.stores ? here : there; }
};

bool share_loop(const Place& one, const Place& other);

/// Where the fix goes.
void put(Finding& finding, const std::string& file, int line, Spot spot);
inline void put(Finding& finding, const Place& place, Spot spot) {
    put(finding, place.file, place.line, spot);
}
/// Before the end of the loop around both lines.
void put_in_loop(Finding& finding, const Place& one, const Place& other);
inline void advise(Finding& finding, const Place& place, Spot spot, Cure cure, std::string advice) {
    put(finding, place, spot);
    finding.cure = cure;
    finding.advice = std::move(advice);
}

/// Rounds in which each block changes what others read, as in a sort or an in-place stencil: the
/// line of their barrier; else 0.
int barrier_of_rounds(const Race& race);
/// Both are in a loop that has barriers in some rounds only: the first of these; else 0.
int lacks_in_some_rounds(const Race& race);

/// The loop around both that no barrier divides into rounds, and in which threads store items by
/// their own numbers; all run the same rounds, as in a sort. 0: it is none.
int loop_of_rounds(const Race& race);

/// The array's name in "race within a block in k, on s[3]".
std::string array_of(const Finding& finding);

}  // namespace lab
