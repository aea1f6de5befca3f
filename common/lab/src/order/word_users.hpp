// The threads that have used a word, in as few stamps as possible without losing a race.
//
// The last of several ordered accesses represents them all (FastTrack: Flanagan and Freund, 2009).
// For those that are not ordered, the scope says which stamp represents which (HiRace: Jacobson,
// Burtscher and Gopalakrishnan, 2024): a later access can be ordered by a barrier after one of two
// blocks, or of two warps, but not after both, so it races with the other. Lanes of one warp are
// bits of one stamp.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "happens_before.hpp"

namespace lab {

/// Lanes of one warp that used a word between the same two barriers, all as the stamp says.
struct Users : Stamp {
    std::uint16_t earlier_thread : 11;  ///< one of the lanes before the stamp's thread
    std::uint16_t width : 5;  ///< neighbours used this many adjacent bytes each; 0: all used all
    SiteId earlier_site = kNoSite;  ///< where that was, if it was at another place
    std::uint32_t lanes = 0;        ///< a bit for each

    Users() : earlier_thread(0), width(0) {}
    explicit Users(const Stamp& by)
        : Stamp(by), earlier_thread(0), width(0), lanes(1u << by.thread % 32u) {}

    bool holds(unsigned number) const {
        return number / 32 == thread / 32u && (lanes >> number % 32 & 1u) != 0;
    }
    /// Another lane of the warp does the same: the fast path of nearly every load.
    void join(unsigned number, SiteId at) {
        if (number != thread) {
            earlier_thread = thread;
            earlier_site = site;
            thread = number & 0x7ffu;
        }
        site = at;
        lanes |= 1u << number % 32;
    }
    /// Whether the next lane does the same to the next bytes, up or down, as with items that are
    /// smaller than a word; for users that otherwise match this one.
    bool reaches(unsigned number, unsigned mask) const {
        const unsigned lane = number % 32u, used = bytes;
        const unsigned low = static_cast<unsigned>(__builtin_ctz(used));
        const unsigned high = 32u - static_cast<unsigned>(__builtin_clz(used));
        const unsigned first = static_cast<unsigned>(__builtin_ctz(lanes));
        const unsigned last = 31u - static_cast<unsigned>(__builtin_clz(lanes));
        if (width == 0 && (first != last || used != (1u << high) - (1u << low))) return false;
        const unsigned each = width != 0 ? width : high - low, one = (1u << each) - 1u;
        return (lane == last + 1u && mask == one << high) ||
               (lane + 1u == first && low >= each && mask << each == one << low);
    }
    void reach(unsigned number, SiteId at, unsigned mask) {
        width = static_cast<std::uint16_t>(__builtin_popcount(mask)) & 0x1fu;
        join(number, at);
        bytes = (bytes | mask) & 0xfu;
    }
    /// Whether only this lane used these bytes.
    bool is_own(unsigned number, unsigned mask) const {
        return number / 32 == thread / 32u && lanes_of(mask) == 1u << number % 32;
    }
    /// Those that used one of these bytes.
    std::uint32_t lanes_of(unsigned mask) const {
        if ((bytes & mask) == 0) return 0;
        if (width == 0) return lanes;
        std::uint32_t made = 0;
        unsigned part = ((1u << width) - 1u) << __builtin_ctz(bytes);
        for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1, part <<= width) {
            if ((part & mask) != 0) made |= rest & -rest;
        }
        return made;
    }
    /// The stamp of one of them. Only two of several places are known.
    Stamp of(unsigned number) const {
        Stamp made = static_cast<const Stamp&>(*this);  // without the other lanes
        made.thread = number & 0x7ffu;
        if (number != thread && number == earlier_thread && earlier_site != kNoSite) {
            made.site = earlier_site;
        }
        return made;
    }
    /// The one among these lanes about which the most is known.
    Stamp of_lanes(std::uint32_t some) const {
        if ((some >> thread % 32u & 1u) != 0) return of(thread);
        if (earlier_thread / 32u == thread / 32u && (some >> earlier_thread % 32u & 1u) != 0) {
            return of(earlier_thread);
        }
        return of(thread / 32u * 32u + static_cast<unsigned>(__builtin_ctz(some)));
    }
};

/// The users of a word for which its cell has no room.
struct MoreUsers {
    std::uint32_t epoch = 0;  ///< the last in which there was one
    Users atomic[2];
    std::vector<Users> reads, atomics;
    std::vector<Stamp> writes;  ///< the last of each byte, except those of the newest
};

/// Users of one kind: loads, or atomic operations. `first` holds two; `rest` the few others: uses
/// of other bytes, lanes that pass a __syncwarp() of only some lanes, other streams.
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

    /// Adds a use that no other represents, such as a copy's.
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
