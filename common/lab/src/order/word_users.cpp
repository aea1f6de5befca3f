#include "word_users.hpp"

namespace lab {
namespace {

/// Whether each access that races with `other`, by its bytes and its kind, would also race with
/// `one` if the two came at the same time.
bool is_like(const Users& one, const Stamp& other) {
    if ((other.bytes & ~one.bytes) != 0) return false;
    if (one.is_atomic == 0) return true;
    const Traits &mine = site(one.site).traits, &its = site(other.site).traits;
    return other.is_atomic != 0 && mine.is_block_scope == its.is_block_scope &&
           mine.is_volatile == its.is_volatile;
}

/// Whether each access that races with `one` races with `now` or with `other`, in no narrower
/// scope.
bool is_stood_for(const Users& one, const Users& now, const Users& other) {
    if (one.epoch != now.epoch || other.epoch != now.epoch) return false;
    if (!is_like(now, one) || !is_like(other, one)) return false;
    if (now.block != other.block) return true;
    return one.block == now.block && now.interval == other.interval &&
           one.interval <= now.interval && now.thread / 32 != other.thread / 32;
}

}  // namespace

template <class Is>
void WordUsers::drop_if(Is is) {
    for (int i = 0; i < 2; ++i) {
        if (first_[i].epoch != 0 && is(first_[i])) first_[i] = {};
    }
    if (rest_ == nullptr || rest_->empty()) return;
    rest_->erase(std::remove_if(rest_->begin(), rest_->end(), is), rest_->end());
}

bool WordUsers::add(const Stamp& now, const HappensBefore& order, const BlockClock& block) {
    // Nearly always a lane joins its warp, and nothing about the others needs to be forgotten.
    const auto is_joined = [&](Users& each) {
        if (each.epoch != now.epoch || each.block != now.block || each.interval != now.interval ||
            each.clock != now.clock || each.thread / 32 != now.thread / 32 ||
            each.is_atomic != now.is_atomic) {
            return false;
        }
        if (each.is_atomic == 0 && each.reaches(now.thread, now.bytes)) {
            each.reach(now.thread, now.site, now.bytes);
            return true;
        }
        const bool is_within = each.width == 0 ? each.bytes == now.bytes && is_like(each, now)
                                               : each.is_own(now.thread, now.bytes);
        if (!is_within) return false;
        each.join(now.thread, now.site);
        each.operation = now.operation;
        return true;
    };
    if (any(is_joined)) return true;
    const Users made(now);
    drop_if([&](Users& each) {
        if (each.epoch != now.epoch || each.block != now.block) return false;
        if (is_like(made, each)) {
            const auto left = order.unordered_lanes(each, each.lanes, block, now.thread);
            // Each of them says which bytes it used.
            if (left == 0 || each.width == 0) each.lanes = left;
        }
        return each.lanes == 0;
    });
    const auto is_needless = [&](const Users& one) {
        return any(
            [&](const Users& other) { return &other != &one && is_stood_for(one, made, other); });
    };
    // The older one first.
    for (const int i : {1, 0}) {
        if (first_[0].epoch != 0 && first_[1].epoch != 0 && is_needless(first_[i])) first_[i] = {};
    }
    if (rest_ != nullptr) {
        for (std::size_t i = rest_->size(); i-- > 0;) {
            if (is_needless((*rest_)[i])) rest_->erase(rest_->begin() + static_cast<long>(i));
        }
    }
    return append(made);
}

bool WordUsers::append(const Users& made) {
    if (first_[0].epoch != 0 && first_[1].epoch != 0) {
        if (rest_ == nullptr) return false;
        rest_->push_back(first_[1]);
        first_[1] = {};
    }
    if (first_[0].epoch != 0) first_[1] = first_[0];
    first_[0] = made;
    return true;
}

}  // namespace lab
