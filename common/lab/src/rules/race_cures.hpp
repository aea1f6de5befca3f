// The fix for a race: chosen at the end, when all pairs of the same two lines have been seen.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "emulator/for_observers.hpp"
#include "finding_list.hpp"
#include "race_pair.hpp"

namespace lab {

/// For each basic block of the kernels: which warps of a block reach it.
class WarpPaths {
  public:
    static constexpr int kSeveral = -1;
    /// Whether it is already known that this warp gets here; called at every step.
    bool knows(const void* pc, int warp) const {
        const Known& seen = latest_[slot(pc)];
        return seen.pc == pc && (seen.warp == warp || seen.warp == kSeveral);
    }
    void pass(const void* pc, int warp);
    void clear();
    /// Whether only threads of one warp reached the lines between the two. False if that is
    /// unknown.
    bool is_passed_by_one(SiteId one, SiteId other) const;

  private:
    struct Known {
        const void* pc = nullptr;
        int warp = 0;
    };
    static constexpr std::size_t kLatest = 1024;
    static std::size_t slot(const void* pc) {
        return reinterpret_cast<std::uintptr_t>(pc) % kLatest;
    }
    std::unordered_map<const void*, int> warp_at_;
    std::vector<Known> latest_{kLatest};
};

class RaceCures {
  public:
    /// What is wrong with the index of a line that several threads store an item with; it is asked
    /// once.
    template <class Ask>
    void note_index(SiteId site, Ask ask) {
        const auto [at, fresh] = index_faults_.try_emplace(site);
        if (fresh) at->second = ask();
    }
    using Key = FindingList::Key;
    /// That the two lines use parts of one array that overlap; `again`: also if nothing was said.
    template <class Ask>
    void note_overlap(const Key& key, bool again, Ask ask) {
        const auto [at, fresh] = overlaps_.try_emplace(key);
        if (fresh || (again && at->second.empty())) at->second = ask();
    }
    /// Another pair of the same two lines. False: the report on the first one is better.
    bool add(const Key& key, const RacePair& pair);
    /// A thread has loaded a word by a plain load, and then does an atomic operation on it.
    void load_then_atomic(SiteId load, bool is_compare_and_swap);
    /// A compare-and-swap of a thread (its number in the grid), which is described for a report.
    template <class Describe>
    void note_claim(SiteId swap, std::uint64_t thread, Describe describe) {
        const auto [at, fresh] = claims_.try_emplace(swap);
        Claim& claim = at->second;
        if (fresh) claim = {thread, false, describe()};
        claim.by_several = claim.by_several || claim.thread != thread;
    }
    /// A cuda::barrier is made, and a thread arrives at it; `name`: asked once more threads have
    /// arrived, in all phases, than one phase expects.
    void make_barrier(const void* barrier, unsigned expected) { arrivals_[barrier] = {expected}; }
    template <class Name>
    void arrive(const void* barrier, int thread, Name name) {
        const auto at = arrivals_.find(barrier);
        if (at == arrivals_.end() || at->second.threads.size() > at->second.expected) return;
        at->second.threads.insert(thread);
        if (at->second.threads.size() > at->second.expected) overfull_.insert(name());
    }
    /// Gives each race its fix, and drops those that follow from others.
    void choose(FindingList& findings, const WarpPaths& paths);

  private:
    struct Load {
        bool only_compare_and_swap = true;
    };
    void drop_loads_of_updates(FindingList& findings);
    void add_stale_swaps(FindingList& findings);
    void explain_waits(FindingList& findings);
    void join_steps(FindingList& findings);
    void drop_stores_of_rounds(FindingList& findings);
    void drop_stores_of_other_array(FindingList& findings);
    void join_barriers(FindingList& findings) const;
    static void drop_after_thread_numbers(FindingList& findings);
    void choose(Finding& finding, const Race& race, const WarpPaths& paths) const;
    bool choose_claimed(Finding& finding, const Race& race) const;
    bool choose_shared_index(Finding& finding, const Race& race) const;
    bool choose_atomic(Finding& finding, const Race& race) const;
    void choose_barrier(Finding& finding, const Race& race, const WarpPaths& paths) const;
    bool is_lacked_across_warps(const RacePair& pair) const;
    int short_phase(const Race& race) const;

    std::map<Key, SeenPairs> seen_;
    std::map<SiteId, Load> loads_;
    struct Claim {
        std::uint64_t thread = 0;  ///< the first one
        bool by_several = false;
        Finding found;  ///< with its kernel and its party
    };
    std::map<SiteId, Claim> claims_;
    std::map<Key, std::string> overlaps_;
    struct Arrivals {
        unsigned expected = 0;
        std::set<int> threads = {};
    };
    std::map<const void*, Arrivals> arrivals_;
    std::set<std::string> overfull_;  ///< barriers at which more threads arrive than are expected
    std::map<SiteId, std::string> index_faults_;  ///< by the store
};

}  // namespace lab
