#include "lockstep.hpp"

#include <algorithm>
#include <cstring>

#include "emulator/for_observers.hpp"
#include "traffic.hpp"

namespace lab {

Followed followed;

namespace {

template <class Use>
void for_lanes(std::uint32_t mask, Use use) {
    if (mask == ~std::uint32_t{0}) {  // nearly always; the compiler can unroll this loop
        for (int lane = 0; lane < 32; ++lane) use(lane);
        return;
    }
    for (; mask != 0; mask &= mask - 1) use(__builtin_ctz(mask));
}

std::uint32_t count_of(std::uint32_t mask) {
    return mask == ~std::uint32_t{0} ? 32 : static_cast<std::uint32_t>(__builtin_popcount(mask));
}

/// How many of the first `most` events in a row two threads had at the same places.
std::size_t same_sites(const Event* one, const Event* other, std::size_t most) {
    constexpr std::size_t kAtOnce = 8;  // what a compiler turns into a few wide instructions
    std::size_t same = 0;
    for (; same + kAtOnce <= most; same += kAtOnce) {
        Event different = 0;
        for (std::size_t i = 0; i < kAtOnce; ++i) different |= one[same + i] ^ other[same + i];
        if (site_of(different) != kNoSite) break;
    }
    while (same < most && site_of(one[same]) == site_of(other[same])) ++same;
    return same;
}

template <class T>
T& grown(std::vector<T>& table, std::size_t index, const T& fresh = T{}) {
    if (index >= table.size()) table.resize(index + 256, fresh);
    return table[index];
}

}  // namespace

// ---- Frames ------------------------------------------------------------------------------------

Frames& Frames::operator=(const Frames& other) {
    if (this == &other) return *this;
    depth = other.depth;
    const int kept = std::min(depth, kMaxFrames);
    std::memcpy(at, other.at, static_cast<std::size_t>(kept) * sizeof(Frame));
    return *this;
}

bool Frames::operator==(const Frames& other) const {
    if (depth != other.depth) return false;
    for (int i = 0; i < std::min(depth, kMaxFrames); ++i) {
        if (at[i].caller != other.at[i].caller || at[i].block != other.at[i].block) return false;
    }
    return true;
}

void Frames::push(std::uintptr_t caller, bool is_kernel) {
    if (depth < kMaxFrames) at[depth] = {caller, kNoSite, is_kernel};
    ++depth;
}

void Frames::pop() {
    if (depth > 0) --depth;
}

void WarpState::set_frames(std::uint32_t mask, const Frames& now) {
    if ((together & ~mask) == 0) {
        common = now;
        together = mask;
        return;
    }
    together &= ~mask;
    for_lanes(mask, [&](int lane) { frames[lane] = now; });
}

// ---- Learning ----------------------------------------------------------------------------------

void Lockstep::add_edge(SiteId from, SiteId to, bool in_kernel) {
    auto& [first, second] = grown(known_, from, {kNoSite, kNoSite});
    if (to == first || to == second) return;
    if (first == kNoSite) {
        first = to;
    } else if (second == kNoSite) {
        second = to;
    }
    flow_.add_edge(from, to, in_kernel);
}

bool Lockstep::is_kernel_entry(SiteId entry) {
    std::uint8_t& known = grown(kernel_entry_, entry);
    if (known == 0) {
        const void* const kernel = *emulator::this_worker->launch->call.address;
        const void* const pc = reinterpret_cast<const void*>(site(entry).pc);
        known = kernel != nullptr && emulator::function_containing(pc) == kernel ? 2 : 1;
    }
    return known == 2;
}

/// Adds one lane's walk to the graph; leaves the lane's frames as they were.
void Lockstep::learn(WarpState& warp, int lane, const Event* event) {
    frames_ = warp.frames_of(lane);
    for (; site_of(*event) != kNoSite; ++event) {
        const SiteId id = site_of(*event);
        const Kind kind = site(id).kind;
        if (kind == Kind::block) {
            Frame* const frame = frames_.top();
            if (frame == nullptr) continue;
            if (frame->block != kNoSite) add_edge(frame->block, id, frame->is_kernel);
            frame->block = id;
        } else if (kind == Kind::entry) {
            frames_.push(address_of(*event), is_kernel_entry(id));
        } else if (kind == Kind::exit) {
            Frame* const frame = frames_.top();
            if (frame != nullptr && frame->block != kNoSite) {
                add_edge(frame->block, kReturn, frame->is_kernel);
            }
            frames_.pop();
        } else if (const Frame* const frame = frames_.top()) {
            std::uint8_t& known = grown(has_access_, frame->block);
            if (known == 0) flow_.add_access(frame->block);
            known = 1;
        }
    }
    for (int i = 0; i < std::min(frames_.depth, kMaxFrames); ++i) {
        const SiteId block = frames_.at[i].block;
        std::uint8_t& known = grown(is_waited_in_, block);
        if (known == 0 && block != kNoSite) flow_.add_wait(block);
        known = 1;
    }
}

void Lockstep::refresh() {
    const std::uint64_t version = flow_.version();
    if (version == version_) return;
    version_ = version;
    reconvergence_points_ = flow_.reconvergence_points();
    for (std::size_t block = 0; block < used_.size(); ++block) {
        const SiteId now =
            block < reconvergence_points_.size() ? reconvergence_points_[block] : kReturn;
        if (used_[block] != kNoSite && used_[block] != now) stale_ = true;
    }
}

SiteId Lockstep::reconvergence_point(SiteId block) {
    const SiteId point =
        block < reconvergence_points_.size() ? reconvergence_points_[block] : kReturn;
    grown(used_, block) = point;
    return point;
}

// ---- Lockstep ----------------------------------------------------------------------------

void Lockstep::run(WarpState& warp, Record* records, int count, const Spaces& spaces,
                   Counters& counters) {
    warp_ = &warp;
    spaces_ = &spaces;
    counters_ = &counters;
    std::uint32_t waiting = 0, fresh = 0;
    for (int lane = 0; lane < count; ++lane) {
        if (records[lane].empty()) continue;
        const std::uint32_t bit = std::uint32_t{1} << lane;
        if ((warp.lanes & bit) == 0) {
            fresh |= bit;
            warp.steps[lane] = 0;
            for (auto& lanes : warp.moved) lanes[lane] = 0;
        }
        waiting |= bit;
        warp.steps[lane] += records[lane].size();
        counters.longest = std::max(counters.longest, warp.steps[lane]);
        cursor_[lane] = records[lane].close();
        events_[lane] = records[lane].size();
    }
    warp.lanes |= fresh;
    if (fresh != 0) warp.set_frames(fresh, Frames{});
    alike_ = 0;
    const int first = waiting != 0 ? __builtin_ctz(waiting) : 0;
    for_lanes(waiting, [&](int lane) {
        // A thread that does the same as the first adds nothing to learn.
        const bool is_alike =
            lane == first ||
            (events_[lane] == events_[first] && warp.has_same_frames(lane, first) &&
             same_sites(cursor_[lane], cursor_[first], events_[lane]) == events_[lane]);
        if (is_alike) alike_ |= std::uint32_t{1} << lane;
        if (!is_alike || lane == first) learn(warp, lane, cursor_[lane]);
    });
    refresh();
    while (waiting != 0) {
        const int lead = __builtin_ctz(waiting);
        std::uint32_t together = 0;
        for_lanes(waiting, [&](int lane) {
            if (warp.has_same_frames(lane, lead)) together |= 1u << lane;
        });
        waiting &= ~together;
        frames_ = warp.frames_of(lead);
        walk(together, -1, kNoSite);
    }
    for (int move = 0; move < kMoves; ++move) settle_moved(move);
    for (int lane = 0; lane < count; ++lane) records[lane].clear();
}

/// The lanes' records end: next time they continue here.
void Lockstep::pause(std::uint32_t mask) { warp_->set_frames(mask, frames_); }

/// How many of their next events, up to a limit, all the lanes have at the same places.
std::size_t Lockstep::same_events(std::uint32_t mask, std::size_t most) const {
    const int lead = __builtin_ctz(mask);
    std::size_t same = std::min(most, events_[lead]);
    const std::uint32_t others = (alike_ >> lead & 1u) != 0 ? mask & ~alike_ : mask & (mask - 1);
    for_lanes(others, [&](int lane) {
        same = same_sites(cursor_[lead], cursor_[lane], std::min(same, events_[lane]));
    });
    return same;
}

/// Advances the lanes by this many events.
void Lockstep::advance(std::uint32_t mask, std::size_t events) {
    for_lanes(mask, [&](int lane) {
        cursor_[lane] += events;
        events_[lane] -= events;
    });
}

/// Continues with lanes that are at the same place until all have reached block `stop` of the frame
/// at `stop_depth`, or the end of their records. Returns those that reached `stop`.
std::uint32_t Lockstep::walk(std::uint32_t mask, int stop_depth, SiteId stop) {
    constexpr std::size_t kFirstLook = 4, kFarthestLook = 4096;
    std::uint32_t arrived = 0;
    std::size_t look = kFirstLook;
    for (;;) {
        const std::size_t same = same_events(mask, look);
        const Event* const lead = cursor_[__builtin_ctz(mask)];
        for (std::size_t i = 0; i < same; ++i) {
            const SiteId id = site_of(lead[i]);
            if (id == kNoSite) {
                pause(mask);
                return arrived;
            }
            if (frames_.depth == stop_depth &&
                (stop == kReturn ? site(id).kind == Kind::exit : id == stop)) {
                advance(mask, i);
                return arrived | mask;
            }
            step(mask, id, i);
        }
        advance(mask, same);
        if (same != 0) {
            look = std::min(4 * look, kFarthestLook);
            continue;
        }
        look = kFirstLook;
        const Frame* const frame = frames_.top();
        const SiteId meet = frame != nullptr ? reconvergence_point(frame->block) : kReturn;
        const int depth = frames_.depth;
        const Frames before = frames_;
        std::uint32_t met = 0;
        while (mask != 0) {
            const SiteId next = site_of(*cursor_[__builtin_ctz(mask)]);
            std::uint32_t group = 0;
            for_lanes(mask, [&](int lane) {
                group |= static_cast<std::uint32_t>(site_of(*cursor_[lane]) == next) << lane;
            });
            mask &= ~group;
            frames_ = before;
            met |= walk(group, depth, meet);
        }
        frames_ = before;
        if (depth == stop_depth && meet == stop) return arrived | met;
        if (met == 0) return arrived;
        mask = met;
    }
}

/// Does the lanes' event at this distance from their cursors.
void Lockstep::step(std::uint32_t mask, SiteId id, std::size_t event) {
    const AccessSite& place = site(id);
    switch (place.kind) {
        case Kind::block:
            if (Frame* const frame = frames_.top()) frame->block = id;
            ++counters_->steps;
            counters_->lane_steps += count_of(mask);
            break;
        case Kind::entry:
            frames_.push(address_of(cursor_[__builtin_ctz(mask)][event]), is_kernel_entry(id));
            break;
        case Kind::exit:
            frames_.pop();
            break;
        default:
            count(mask, id, place, event);
            ++counters_->steps;
            counters_->lane_steps += count_of(mask);
    }
}

// ---- Counting ----------------------------------------------------------------------------------

namespace {

/// The width of the instructions that copy a struct of this size: its alignment. If the compiler
/// has not given it, a word, or less if the addresses are not aligned to words.
std::uint32_t piece_bytes(const AccessSite& place, Space space, std::uint32_t lanes,
                          const std::uint64_t* address) {
    if (place.kind != Kind::read_some && place.kind != Kind::write_some) return place.bytes;
    constexpr std::uint32_t kWidest = 16;
    std::uint32_t widest = 4;
    if (place.traits.alignment == kAlignmentOfBytes) {
        if (space != Space::shared) return 1;
        widest = kWidest;
    } else if (place.traits.alignment != 0) {
        return std::min<std::uint32_t>(place.traits.alignment, kWidest);
    }
    std::uintptr_t bits = place.bytes | widest;
    for_lanes(lanes, [&](int lane) { bits |= address[lane]; });
    return 1u << __builtin_ctzll(bits);
}

}  // namespace

/// The same place as seen from the innermost caller that is in the user's files.
SiteId Lockstep::from_users_file(SiteId id) {
    for (int i = std::min(frames_.depth, kMaxFrames); i-- > 0 && site(id).in_header;) {
        const std::uintptr_t caller = frames_.at[i].caller;
        Called& known = called_[(id * std::uintptr_t{31} + caller) % 256u];
        if (known.site != id || known.caller != caller) {
            known = {id, site_id_from(id, caller), caller};
        }
        id = known.result;
    }
    return id;
}

void Lockstep::count_turns(SiteId id, Space space, const Request& request, Traffic& traffic) {
    traffic.turns += turns(request);
    if (space != Space::global) return;
    auto& words = counters_->queues[id];
    for_lanes(request.mask, [&](int lane) {
        const std::uintptr_t word = request.address[lane];
        const auto known = words.find(word);
        if (known != words.end()) {
            ++known->second;
        } else if (words.size() < Counters::kMaxWords) {
            words.emplace(word, 1);
        }
    });
}

void Lockstep::LastRequest::renew(SiteId at, std::uint32_t lanes, const std::uint64_t* address) {
    const std::uint64_t first = address[__builtin_ctz(lanes)];
    std::uint64_t least = first, most = first;
    for_lanes(lanes, [&](int lane) {
        distance[lane] = address[lane] - first;
        least = std::min(least, address[lane]);
        most = std::max(most, address[lane]);
    });
    site = at;
    mask = lanes;
    low = least - first;
    high = most - first;
    bytes = 0;
}

/// What a request costs; `last` has its distances. The sectors of such a request are the same if it
/// begins at the same offset in a sector, and its wavefronts if it begins at the same offset in a
/// word.
Cost Lockstep::cost(LastRequest& last, Space space, Kind kind, const Request& request) {
    constexpr std::uint32_t kSectorBytes = 32, kWordBytes = 4;
    const std::uint32_t unit = space == Space::global ? kSectorBytes : kWordBytes;
    const std::uint32_t begin =
        static_cast<std::uint32_t>(request.address[__builtin_ctz(request.mask)]) % unit;
    const bool is_whole = last.mask == request.mask;  // otherwise other lanes use other memory
    if (is_whole && last.space == space && last.bytes == request.bytes && last.begin == begin) {
        return last.cost;
    }
    const Cost cost = space == Space::global     ? sectors(request)
                      : space == Space::constant ? constant_words(request)
                      : kind == Kind::atomic     ? atomic_wavefronts(request)
                                                 : wavefronts(request);
    if (is_whole) {
        last.space = space;
        last.bytes = request.bytes;
        last.begin = begin;
        last.cost = cost;
    }
    return cost;
}

inline void Lockstep::count_moved(int load, int store, Kind kind, std::uint32_t lanes,
                                  std::uint32_t bytes) {
    const bool is_load = kind == Kind::read || kind == Kind::read_some;
    for (const int move : {load, store}) {
        if (kind != Kind::atomic && is_load != (move == load)) continue;
        Moving& moving = moving_[move];
        if (moving.lanes != lanes) {
            settle_moved(move);
            moving.lanes = lanes;
        }
        moving.bytes += bytes;
    }
}

void Lockstep::settle_moved(int move) {
    const Moving moving = moving_[move];
    moving_[move] = {};
    if (moving.bytes == 0) return;
    std::uint64_t* const moved = warp_->moved[move];
    for_lanes(moving.lanes, [&](int lane) { moved[lane] += moving.bytes; });
}

void Lockstep::count_in(Space space, SiteId id, const AccessSite& place, std::uint32_t lanes,
                        std::uint64_t* address, LastRequest& last) {
    const bool is_load = place.kind == Kind::read || place.kind == Kind::read_some;
    const std::uint32_t piece = piece_bytes(place, space, lanes, address);
    const std::uint32_t pieces = place.bytes / piece;
    if (space != Space::constant) {
        count_moved(move_of(space, Operation::load), move_of(space, Operation::store), place.kind,
                    lanes, place.bytes);
    }
    if (space == Space::global && followed.bytes != 0) {
        std::uint32_t within = 0;
        for_lanes(lanes, [&](int lane) {
            within |= std::uint32_t{address[lane] - followed.begin < followed.bytes} << lane;
        });
        count_moved(move_of_followed(Operation::load), move_of_followed(Operation::store),
                    place.kind, within, place.bytes);
    }
    Traffic& traffic = counters_->at(space, id);
    const std::uint32_t active = count_of(lanes);
    for (std::uint32_t i = 0; i < pieces; ++i) {
        const Request request{address, lanes, piece, is_load};
        ++traffic.requests;
        traffic.lanes += active;
        traffic.bytes += std::uint64_t{active} * piece;
        const Cost cost = this->cost(last, space, place.kind, request);
        (space == Space::global ? traffic.sectors : traffic.wavefronts) += cost.actual;
        (space == Space::global ? traffic.least_sectors : traffic.least_wavefronts) += cost.least;
        if (place.kind == Kind::atomic) count_turns(id, space, request, traffic);
        if (i + 1 < pieces) for_lanes(lanes, [&](int lane) { address[lane] += piece; });
    }
}

/// A thread's own memory costs nothing here.
void Lockstep::count_local(SiteId id, const AccessSite& place, std::uint32_t lanes,
                           std::uint64_t* address, LastRequest& last) {
    if (!spaces_->has_given()) return;
    std::uint32_t shared = 0;
    for_lanes(lanes, [&](int lane) {
        shared |= std::uint32_t{spaces_->is_shared_heap(address[lane], lane)} << lane;
    });
    if (shared != 0) count_in(Space::global, id, place, shared, address, last);
}

void Lockstep::count(std::uint32_t mask, SiteId id, const AccessSite& place, std::size_t event) {
    // Many successive requests are alike: the same lanes at the same distances as last time.
    LastRequest& last = last_requests_[id % kLastRequests];
    const std::uint64_t first = address_of(cursor_[__builtin_ctz(mask)][event]);
    std::uint64_t address[32], different = 0;
    for_lanes(mask, [&](int lane) {
        address[lane] = address_of(cursor_[lane][event]);
        different |= (address[lane] - first) ^ last.distance[lane];
    });
    if (different != 0 || last.site != id || last.mask != mask) last.renew(id, mask, address);
    const std::uint64_t low = first + last.low, high = first + last.high;
    if (place.in_header) id = from_users_file(id);
    if (listener != nullptr) listener->request(id, frames_, mask, address);
    const Space space = spaces_->of(low);
    if (low == high || spaces_->is_all_alike(low, high)) {
        if (space != Space::local) {
            count_in(space, id, place, mask, address, last);
        } else {
            count_local(id, place, mask, address, last);
        }
        return;
    }
    // Through a generic pointer lanes may access different kinds of memory.
    std::uint32_t in_space[kSpaces + 1] = {};
    for_lanes(mask, [&](int lane) {
        in_space[static_cast<int>(spaces_->of(address[lane]))] |= 1u << lane;
    });
    for (int which = 0; which < kSpaces; ++which) {
        if (in_space[which] == 0) continue;
        count_in(static_cast<Space>(which), id, place, in_space[which], address, last);
    }
    count_local(id, place, in_space[kSpaces], address, last);
}

}  // namespace lab
