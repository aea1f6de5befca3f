// Which accesses are ordered: by barriers, __syncwarp, and atomics with fences.
//
// Two accesses to the same bytes, at least one of them a store, by threads that nothing orders, are
// a race. The idea of epochs instead of full vector clocks is that of FastTrack (Flanagan and
// Freund, 2009); barriers make most of the clocks unnecessary here.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include "access_sites.hpp"

namespace lab {

/// Who used a word, and when.
struct Stamp {
    std::uint32_t epoch = 0;     ///< of the launch and its grid-wide barriers; 0: none
    std::uint32_t block = 0;     ///< number in the grid
    std::uint32_t interval = 0;  ///< barriers that the block had passed
    std::uint32_t clock = 0;     ///< the thread's own
    /// For an atomic operation, its number among those on its variable; for a plain store, how many
    /// atomic operations its thread had done.
    std::uint32_t operation = 0;
    SiteId site = kNoSite;
    // There are five of these for each watched word, so no byte is wasted.
    union {
        struct {
            std::uint16_t thread : 11;    ///< number in the block
            std::uint16_t bytes : 4;      ///< of the word: a bit for each
            std::uint16_t is_atomic : 1;  ///< a flag
        };
        std::uint16_t user;  ///< all three
    };

    Stamp() : user(0) {}

    /// `user` for a nonatomic access. If it were set in parts, a read right afterwards would stall.
    static std::uint16_t plain_user(unsigned thread, unsigned bytes) {
        return static_cast<std::uint16_t>((thread & 0x7ffu) | (bytes & 0xfu) << 11);
    }
};

/// Atomic variables, and how many operations on each have been seen. A thread that has seen some of
/// them and then executes a fence is ordered after everything released there.
class Seen {
  public:
    struct Entry {
        std::uintptr_t variable;
        std::uint32_t operation;  ///< the last that was seen, from 1
    };

    /// 0: none.
    std::uint32_t last(std::uintptr_t variable) const;
    /// From now on at least this many are known.
    void raise(std::uintptr_t variable, std::uint32_t operation);
    void clear();
    bool empty() const { return entries_.empty(); }
    auto begin() const { return entries_.begin(); }
    auto end() const { return entries_.end(); }

  private:
    static constexpr std::size_t kFew = 8;  ///< up to this many are searched one by one
    std::size_t place_of(std::uintptr_t variable) const;
    void make_places();

    std::vector<Entry> entries_;
    std::vector<std::uint32_t> places_;  ///< a hash table of numbers in `entries_`, from 1
};

/// For each lane of a warp: what it did before this clock is known.
using Lanes = std::array<std::uint32_t, 32>;

/// A thread's last fence.
struct Fence {
    std::uint32_t clock = 0;             ///< what the thread did before this is before the fence
    std::uint32_t interval = 0;          ///< the block's interval at the fence
    std::shared_ptr<const Lanes> lanes;  ///< what it knew by __syncwarp; null: nothing
};

struct ThreadClock {
    std::uint32_t clock = 1;           ///< counts fences and __syncwarp
    std::uint32_t operations = 0;      ///< counts atomic operations
    Fence fence;                       ///< __threadfence()
    Fence block_fence;                 ///< the same or __threadfence_block()
    Seen heard;                        ///< since the last barrier, and no fence since
    Seen acquired;                     ///< since the last barrier, and a fence since
    Seen acquired_in_block;            ///< the same with a fence of block scope
    bool has_acquired_blocks = false;  ///< a fence since the block's last observation
    /// For each thread of the block: what it did before this clock is known through cuda::barriers;
    /// null: nothing is.
    std::shared_ptr<const std::vector<std::uint32_t>> learnt;
};

/// A cuda::barrier: what the threads that arrived had done, and what is known after it.
struct AsyncMeeting {
    std::vector<std::uint32_t> arrived;
    std::shared_ptr<const std::vector<std::uint32_t>> complete;
};

struct BlockClock {
    std::uint32_t block = 0;
    std::uint32_t interval = 1;
    std::vector<ThreadClock> threads;
    std::vector<std::uint32_t> seen;  ///< [thread][lane]: what the lane did before is known
    Seen heard, acquired;             ///< by all threads, as above
    std::uintptr_t shared = 0;        ///< where the block's shared memory is
    std::size_t shared_bytes = 0;
    std::map<const void*, AsyncMeeting> meetings;  ///< by their cuda::barrier
    int fences = 0;                                ///< in this interval
    std::uint32_t fenced_interval = 0;  ///< the last interval in which every thread had a fence
};

enum class Lack {
    no_fence,
    operation_after,  ///< the writer's atomic operation came before the store, none after it
    fence_before_release,
    both_fences,  ///< this fence, and the one after the operation that sees it
    fence_after_acquire,
    wider_fence,  ///< there is a __threadfence_block() where a __threadfence() is needed
};

class HappensBefore {
  public:
    /// A launch begins: everything before it is over.
    void begin();

    void start(BlockClock& block, std::uint32_t number, std::size_t threads);
    void barrier(BlockClock& block);
    void sync_warp(BlockClock& block, int warp, std::uint32_t lanes);
    /// A shuffle or a vote passes on what a lane has learnt from atomics, but does not order
    /// memory.
    void exchange(BlockClock& block, int warp, std::uint32_t lanes);
    void fence(BlockClock& block, int thread, bool is_block_scope);
    /// The last fence was one of system scope.
    void system_fence() { has_system_fence_ = true; }
    /// A cuda::barrier is made; a thread arrives, perhaps as the last one; a thread has waited.
    void make_meeting(BlockClock& block, const void* barrier);
    void arrive(BlockClock& block, int thread, const void* barrier, bool completes);
    void pass(BlockClock& block, int thread, const void* barrier);
    /// An atomic operation on this address (or an access to a volatile variable). Returns its
    /// number among those on the same address, from 1.
    std::uint32_t atomic(BlockClock& block, int thread, std::uintptr_t address);

    /// Whether the stamped access comes before what the thread does now.
    bool is_ordered(const Stamp& before, const BlockClock& block, int thread) const;

    /// Of these lanes of one warp, all of which made the stamped access: those that did not do so
    /// before what the thread does now.
    std::uint32_t unordered_lanes(const Stamp& before, std::uint32_t lanes, const BlockClock& block,
                                  int thread) const;

    /// Whether the stamped access is an atomic operation on this word, and the thread, or its block
    /// before the last barrier, has done or seen a later one: that orders the two without a fence.
    bool has_seen(const Stamp& before, std::uintptr_t word, const BlockClock& block,
                  int thread) const;

    /// Which fence is all that is missing, if there is an atomic operation between the two.
    /// `stores`: what was stamped.
    Lack lacks_fence(const Stamp& before, bool stores, const BlockClock& block, int thread) const;

    /// The host sees this operation on a variable of the last launch, and everything ordered before
    /// it.
    void tell(Seen& host, std::uintptr_t variable, std::uint32_t operation) const;
    /// Whether the host, which has seen this much, knows what was stamped. One fence of system
    /// scope in the launch is taken for enough.
    bool is_told(const Stamp& before, const Seen& host) const {
        return has_system_fence_ && is_released(before, host);
    }
    /// Whether a thread that has seen this much knows what was stamped.
    bool is_released(const Stamp& before, const Seen& seen, bool in_block = false) const;

  private:
    void share_fences(BlockClock& block, int warp, std::uint32_t lanes, Fence ThreadClock::*which);
    struct Release {
        std::uint32_t operation;  ///< its number among those on the variable
        std::uint32_t interval;   ///< the block's, now
        std::uint32_t fenced_interval;
        Fence fence, block_fence;  ///< the thread's
        std::uint32_t of_thread;   ///< its number among those of the thread
        std::uint16_t thread;

        bool has_fence() const { return (fence.clock | block_fence.clock | fenced_interval) != 0; }
    };
    /// Of one block on one variable, the newest last.
    class Releases {
      public:
        void add(Release&& made);
        const std::vector<Release>& all() const { return all_; }

      private:
        static constexpr std::size_t kNewest = 32;  ///< this many are kept in any case
        void drop_old();

        std::vector<Release> all_;
        std::size_t most_ = 2 * kNewest;  ///< above this, old ones are dropped
    };
    struct Variable {
        std::uint32_t operations = 0;
        std::unordered_map<std::uint32_t, Releases> by_block;
        Seen known;  ///< by the threads that released here
    };

    template <class Use>
    bool any_release(const Stamp& before, const Seen& seen, Use use) const;

    /// The last variable used, with a block's operations on it, for most variables.
    struct Used {
        std::uintptr_t address = 0;  ///< 0: none
        std::uint32_t block = 0;
        Variable* variable = nullptr;
        Releases* releases = nullptr;
    };
    static constexpr std::size_t kUsed = 512;

    std::unordered_map<std::uintptr_t, Variable> variables_;
    std::array<Used, kUsed> used_{};
    bool has_system_fence_ = false;
};

}  // namespace lab
