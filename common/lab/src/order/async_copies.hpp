// Asynchronous copies into a block's shared memory: from their start until they land, no thread may
// use what they write.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "access_sites.hpp"
#include "emulator/for_observers.hpp"

namespace lab {

struct AsyncCopy {
    std::size_t first, last;  ///< words of shared memory, the last one included
    int thread;               ///< that started it
    SiteId site;
    const void* barrier;     ///< at which it lands; null: at the thread's wait
    std::uint32_t batch;     ///< how many commits of the thread came before it
    emulator::Site waited;   ///< the thread's last wait after it, which ignored it
    std::size_t prior;       ///< and how many commits that wait ignored
    std::uint32_t interval;  ///< barriers that the block had passed when it began
};

/// Those of one block that have not landed.
class AsyncCopies {
  public:
    void clear() {
        under_way_.clear();
        commits_.clear();
        landed_.clear();
    }
    void begin(AsyncCopy copy) {
        copy.batch = commits(copy.thread);
        under_way_.push_back(copy);
    }
    void commit(int thread) { ++commits(thread); }

    /// The one that will write the word; null if there is none.
    const AsyncCopy* find(std::size_t word) const {
        for (const AsyncCopy& each : under_way_) {
            if (each.first <= word && word <= each.last) return &each;
        }
        return nullptr;
    }

    /// The thread has waited for all but its newest `prior` commits.
    template <class Land>
    void wait(int thread, std::size_t prior, emulator::Site site, Land land) {
        const std::size_t committed = commits(thread);
        land_if(land, [&](AsyncCopy& each) {
            if (each.thread != thread || each.barrier != nullptr) return false;
            if (each.batch + prior < committed) return true;
            each.waited = site;
            each.prior = prior;
            return false;
        });
    }
    /// A phase of the barrier is complete.
    template <class Land>
    void complete(const void* barrier, Land land) {
        land_if(land, [&](const AsyncCopy& each) { return each.barrier == barrier; });
    }
    template <class Use>
    void each(Use use) const {
        for (const AsyncCopy& copy : under_way_) use(copy);
    }
    bool empty() const { return under_way_.empty(); }
    /// Whether an earlier copy into the word has landed: the word is filled again.
    bool has_landed(std::size_t word) const { return word < landed_.size() && landed_[word]; }

  private:
    std::uint32_t& commits(int thread) {
        const std::size_t number = static_cast<std::size_t>(thread);
        if (commits_.size() <= number) commits_.resize(number + 1);
        return commits_[number];
    }
    template <class Land, class Is>
    void land_if(Land land, Is is) {
        std::size_t left = 0;
        for (AsyncCopy& each : under_way_) {
            if (is(each)) {
                land(each);
                if (landed_.size() <= each.last) landed_.resize(each.last + 1);
                std::fill(landed_.begin() + static_cast<std::ptrdiff_t>(each.first),
                          landed_.begin() + static_cast<std::ptrdiff_t>(each.last) + 1, true);
            } else {
                under_way_[left++] = each;
            }
        }
        under_way_.resize(left);
    }

    std::vector<AsyncCopy> under_way_;
    std::vector<std::uint32_t> commits_;  ///< by thread
    std::vector<bool> landed_;            ///< words into which a copy has landed
};

}  // namespace lab
