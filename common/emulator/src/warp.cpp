#include "emulator/warp.hpp"

#include <algorithm>

#include "diagnose.hpp"
#include "observer.hpp"
#include "poison.hpp"
#include "worker.hpp"

namespace emulator {
namespace {

constexpr std::uint64_t kPoisonBits = ~std::uint64_t{0};
static_assert(kPoison == 0xff, "poison is all ones");

/// Calls use(lane) for each lane of the mask, lowest first.
template <class Use>
void for_lanes(unsigned mask, Use use) {
    for (; mask != 0; mask &= mask - 1) use(__builtin_ctz(mask));
}

template <class T, class Combine>
void reduce(Thread* lanes, unsigned mask, Combine combine) {
    T result{};
    bool first = true;
    for_lanes(mask, [&](int lane) {
        const T value = from_bits<T>(lanes[lane].value);
        result = first ? value : combine(result, value);
        first = false;
    });
    for_lanes(mask, [&](int lane) { lanes[lane].value = to_bits(result); });
}

/// Turns what the lanes of the mask passed into what each of them gets.
void exchange(Collective kind, Thread* lanes, unsigned mask) {
    std::uint64_t given[32];
    switch (kind) {
        case Collective::syncwarp:
            break;
        case Collective::shuffle:
            for_lanes(mask, [&](int lane) {
                given[lane] = lanes[lane].value;
                current_counts.shuffle_values +=
                    std::uint64_t{static_cast<std::uint32_t>(given[lane])} * (lane + 1u);
            });
            // A lane that is not in the mask, or does not exist, passes no usable value.
            for_lanes(mask, [&](int lane) {
                const int source = lanes[lane].source;
                lanes[lane].value = (mask >> source & 1u) != 0 ? given[source] : kPoisonBits;
            });
            break;
        case Collective::ballot: {
            std::uint64_t ballot = 0;
            for_lanes(mask, [&](int lane) { ballot |= lanes[lane].value << lane; });
            for_lanes(mask, [&](int lane) { lanes[lane].value = ballot; });
            break;
        }
        case Collective::match_any:
            for_lanes(mask, [&](int lane) { given[lane] = lanes[lane].value; });
            for_lanes(mask, [&](int lane) {
                std::uint64_t equal = 0;
                for_lanes(mask, [&](int other) {
                    equal |= static_cast<std::uint64_t>(given[other] == given[lane]) << other;
                });
                lanes[lane].value = equal;
            });
            break;
        case Collective::match_all: {
            const std::uint64_t first = lanes[__builtin_ctz(mask)].value;
            bool all = true;
            for_lanes(mask, [&](int lane) { all = all && lanes[lane].value == first; });
            for_lanes(mask, [&](int lane) { lanes[lane].value = all ? mask : 0u; });
            break;
        }
        case Collective::reduce_add:
            reduce<unsigned>(lanes, mask, [](unsigned a, unsigned b) { return a + b; });
            break;
        case Collective::reduce_min_signed:
            reduce<int>(lanes, mask, [](int a, int b) { return std::min(a, b); });
            break;
        case Collective::reduce_max_signed:
            reduce<int>(lanes, mask, [](int a, int b) { return std::max(a, b); });
            break;
        case Collective::reduce_min_unsigned:
            reduce<unsigned>(lanes, mask, [](unsigned a, unsigned b) { return std::min(a, b); });
            break;
        case Collective::reduce_max_unsigned:
            reduce<unsigned>(lanes, mask, [](unsigned a, unsigned b) { return std::max(a, b); });
            break;
        case Collective::reduce_and:
            reduce<unsigned>(lanes, mask, [](unsigned a, unsigned b) { return a & b; });
            break;
        case Collective::reduce_or:
            reduce<unsigned>(lanes, mask, [](unsigned a, unsigned b) { return a | b; });
            break;
        case Collective::reduce_xor:
            reduce<unsigned>(lanes, mask, [](unsigned a, unsigned b) { return a ^ b; });
            break;
    }
}

/// Tells a tool of lanes that ask for a value that no lane of the mask passes. At the upper end of
/// a sum with __shfl_down_sync that is harmless: the value that such a lane gets is never used.
/// Such a lane is at least as far from the first one as the shuffle's distance.
void tell_of_sources(const Thread* lanes, unsigned mask, Site site) {
    Observer* const observer = current_observer();
    if (observer == nullptr) return;
    // In a sum by __shfl_down, the upper lanes' results are not used; by __shfl_xor, all are.
    bool goes_down = true;
    int distance = 0;
    for_lanes(mask, [&](int lane) {
        goes_down = goes_down && lanes[lane].source >= lane;
        distance = std::max(distance, lanes[lane].source - lane);
    });
    // Half of an odd distance leaves a lane out.
    const unsigned size = static_cast<unsigned>(__builtin_popcount(mask));
    if (goes_down && distance > 1 && distance % 2 != 0 && (size & (size - 1)) != 0) {
        observer->shuffled_beyond(ShuffleBeyond::uneven_group, static_cast<unsigned>(distance),
                                  size, site);
    }
    for_lanes(mask, [&](int lane) {
        const int source = lanes[lane].source;
        const bool is_unused = goes_down && source > lane && lane >= source - lane;
        if ((mask >> source & 1u) != 0 || is_unused) return;
        observer->shuffled_from_outside(lane, source, mask, site);
    });
}

void count(Collective kind, Thread* lanes, unsigned mask) {
    const std::uint64_t size = static_cast<std::uint64_t>(__builtin_popcount(mask));
    if (kind == Collective::syncwarp) {
        ++current_counts.warp_barriers;
        current_counts.warp_barrier_lanes += size;
        return;
    }
    if (kind == Collective::shuffle) {
        ++current_counts.shuffles;
        current_counts.shuffle_lanes += size;
    } else {
        ++current_counts.votes;
        current_counts.vote_lanes += size;
    }
    std::uint64_t& most = current_counts.most_exchanges;
    for_lanes(mask,
              [&](int lane) { most = std::max<std::uint64_t>(most, ++lanes[lane].exchanges); });
}

/// Lets the lanes of the mask run again, in the chosen order.
void release(Block& block, Thread* lanes, unsigned mask) {
    if (block.order() == Order::forward) {
        for_lanes(mask, [&](int lane) { block.make_ready(lanes[lane]); });
        return;
    }
    int sequence[32];
    int size = 0;
    for_lanes(mask, [&](int lane) { sequence[size++] = lane; });
    block.arrange(sequence, size);
    for (int i = 0; i < size; ++i) block.make_ready(lanes[sequence[i]]);
}

Thread* first_lane(Block& block, const Thread& thread) {
    return &block.threads[thread.number & ~31u];
}

}  // namespace

int lane_id() { return kernel_worker("a warp function").thread->number % 32; }

void check_shuffle_width(int width, Site site) {
    if (width > 0 && width <= 32 && (width & (width - 1)) == 0) return;
    Worker& worker = kernel_worker("a shuffle");
    worker.fail(shuffle_width_report(worker, width, site));
}

std::uint64_t warp_collective(Collective kind, unsigned mask, std::uint64_t value, int source,
                              Site site) {
    Worker& worker = kernel_worker("a warp function");
    Block& block = *worker.block;
    Thread& self = *worker.thread;
    Warp& warp = block.warp_of(self);
    const unsigned own = 1u << (self.number % 32);
    self.site = site;
    self.kind = kind;
    if ((mask & own) == 0 || (mask & warp.returned) != 0) {
        worker.fail(wrong_mask_report(worker, mask, site));
    }
    mask &= warp.lanes;
    self.mask = mask;
    self.value = value;
    self.source = source;
    self.state = State::in_warp;
    warp.waiting |= own;
    Thread* const lanes = first_lane(block, self);
    bool complete = (warp.waiting & mask) == mask;
    if (complete) {
        for_lanes(mask, [&](int lane) { complete = complete && lanes[lane].mask == mask; });
    }
    if (complete) {
        for_lanes(mask, [&](int lane) {
            const Thread& other = lanes[lane];
            // __syncwarp may be called at different places; a call that exchanges values may not.
            if (other.kind != kind ||
                (kind != Collective::syncwarp && !same_site(other.site, site))) {
                worker.fail(different_collectives_report(worker, mask));
            }
        });
        if (kind == Collective::shuffle) tell_of_sources(lanes, mask, site);
        exchange(kind, lanes, mask);
        count(kind, lanes, mask);
        warp.waiting &= ~mask;
        --warp.runnable;
        release(block, lanes, mask);
        worker.progress.store(worker.progress.load(std::memory_order_relaxed) + 1,
                              std::memory_order_relaxed);
        if (Observer* const observer = current_observer()) {
            observer->warp_passed(block.index, self.number / 32, mask, site);
        }
    }
    worker.leave();
    return self.value;
}

unsigned active_mask(Site site) {
    Worker& worker = kernel_worker("__activemask");
    Thread& self = *worker.thread;
    Warp& warp = worker.block->warp_of(self);
    self.site = site;
    self.state = State::converging;
    warp.converging |= 1u << (self.number % 32);
    worker.leave();
    return static_cast<unsigned>(self.value);
}

void tell_of_active_mask(unsigned lanes, Site site) noexcept {
    Observer* const observer = current_observer();
    if (observer == nullptr) return;
    const Worker& worker = kernel_worker("__activemask");
    const Warp& warp = worker.block->warp_of(*worker.thread);
    if (lanes != warp.lanes) observer->diverged_mask(lanes, warp.lanes, site);
}

void tell_of_distance(unsigned distance, unsigned size, Site site) noexcept {
    const bool is_uneven = (size & (size - 1)) != 0;
    if ((distance < size && !is_uneven) || size == 1) return;
    if (Observer* const observer = current_observer()) {
        observer->shuffled_beyond(
            distance < size ? ShuffleBeyond::uneven_group : ShuffleBeyond::distance, distance, size,
            site);
    }
}

void tell_of_rank(unsigned rank, unsigned size, bool wraps, Site site) noexcept {
    if (rank < size) return;
    if (Observer* const observer = current_observer()) {
        observer->shuffled_beyond(wraps ? ShuffleBeyond::tile_rank : ShuffleBeyond::rank, rank,
                                  size, site);
    }
}

void converge(Worker& worker, Warp& warp) {
    Block& block = *worker.block;
    Thread* const lanes = &block.threads[static_cast<std::size_t>(&warp - block.warps.data()) * 32];
    const Site site = lanes[__builtin_ctz(warp.converging)].site;
    unsigned together = 0;
    for_lanes(warp.converging, [&](int lane) {
        if (same_site(lanes[lane].site, site)) together |= 1u << lane;
    });
    for_lanes(together, [&](int lane) { lanes[lane].value = together; });
    warp.converging &= ~together;
    release(block, lanes, together);
}

}  // namespace emulator
