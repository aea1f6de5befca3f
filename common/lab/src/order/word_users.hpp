// Who has used a word, in as few stamps as no race is lost with.
//
// Of accesses that are ordered the last one stands for all (FastTrack: Flanagan and Freund, 2009).
// Of those that are not, the scope says who stands for whom (HiRace: Jacobson, Burtscher and
// Gopalakrishnan, 2024): whoever comes later, and after a barrier for one of two blocks or of two
// warps at most, races with the other. Lanes of one warp are bits of one stamp.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "happens_before.hpp"

namespace lab {

/// Lanes of one warp that used a word between the same two barriers, all as the stamp says.
struct Users : Stamp {
    std::uint16_t earlier_thread = 0;  ///< one of them, of those before the stamp's thread
    SiteId earlier_site = kNoSite;     ///< where that was, if it was at another place
    std::uint32_t lanes = 0;           ///< a bit for each

    Users() = default;
    explicit Users(const Stamp& by) : Stamp(by), lanes(1u << by.thread % 32u) {}

    bool holds(unsigned number) const {
        return number / 32 == thread / 32u && (lanes >> number % 32 & 1u) != 0;
    }
    /// Another lane of the warp does the same; quick, for nearly every load.
    void join(unsigned number, SiteId at) {
        if (number != thread) {
            earlier_thread = thread;
            earlier_site = site;
            thread = number & 0x7ffu;
        }
        site = at;
        lanes |= 1u << number % 32;
    }
    /// The stamp of one of them. Of several places only two are known.
    Stamp of(unsigned number) const {
        Stamp made = *this;
        made.thread = number & 0x7ffu;
        if (number != thread && number == earlier_thread && earlier_site != kNoSite) {
            made.site = earlier_site;
        }
        return made;
    }
    /// The one among these lanes of which the most is known.
    Stamp of_lanes(std::uint32_t some) const {
        if ((some >> thread % 32u & 1u) != 0) return of(thread);
        if (earlier_thread / 32u == thread / 32u && (some >> earlier_thread % 32u & 1u) != 0) {
            return of(earlier_thread);
        }
        return of(thread / 32u * 32u + static_cast<unsigned>(__builtin_ctz(some)));
    }
};

/// Those of a word for which its cell has no room.
struct MoreUsers {
    std::uint32_t epoch = 0;  ///< the last in which there was one
    Users atomic[2];
    std::vector<Users> reads, atomics;
    std::vector<Stamp> writes;  ///< the last of each byte, but for those of the newest
};

/// Users of one kind: loads, or atomic operations. `first` holds two; `rest` the others, which are
/// few: uses of other bytes, lanes that pass a __syncwarp() of some, other streams.
class WordUsers {
  public:
    WordUsers(Users (&first)[2], std::vector<Users>* rest) : first_(first), rest_(rest) {}

    /// Forgets those of other epochs (launches, blocks of shared memory) that are over.
    template <class IsOver>
    void forget(std::uint32_t epoch, IsOver is_over) {
        const auto is_past = [&](const Users& each) {
            return each.epoch != epoch && is_over(each.epoch);
        };
        for (int i = 0; i < 2; ++i) {
            if (first_[i].epoch != 0 && is_past(first_[i])) first_[i] = {};
        }
        if (rest_ != nullptr && !rest_->empty()) {
            rest_->erase(std::remove_if(rest_->begin(), rest_->end(), is_past), rest_->end());
        }
    }

    /// Adds what a thread of the block does now. False: there is no room, and no `rest`.
    bool add(const Stamp& now, const HappensBefore& order, const BlockClock& block);

    /// Adds what no other one stands for, as of a copy.
    bool append(const Users& made);

  private:
    template <class Is>
    void drop_if(Is is);
    template <class Is>
    bool any(Is is) const {
        for (int i = 0; i < 2; ++i) {
            if (first_[i].epoch != 0 && is(first_[i])) return true;
        }
        return rest_ != nullptr && std::any_of(rest_->begin(), rest_->end(), is);
    }

    Users (&first_)[2];  ///< the newest is the first
    std::vector<Users>* rest_;
};

}  // namespace lab
