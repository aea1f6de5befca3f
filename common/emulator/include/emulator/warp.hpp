// What the lanes of a warp do together: shuffles, votes, matches, reductions.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "site.hpp"

namespace emulator {

/// Which collective a lane takes part in. Lanes of one collective must agree on it.
enum class Collective : std::uint8_t {
    syncwarp,
    shuffle,
    ballot,
    match_any,
    match_all,
    reduce_add,
    reduce_min_signed,
    reduce_max_signed,
    reduce_min_unsigned,
    reduce_max_unsigned,
    reduce_and,
    reduce_or,
    reduce_xor,
};

/// Waits until all lanes of `mask` take part in the same collective, then returns this lane's
/// result. `source` is the lane that a shuffle reads. Faults: a mask without the calling lane, with
/// a lane that has returned, or lanes of one mask that take part in different collectives.
std::uint64_t warp_collective(Collective kind, unsigned mask, std::uint64_t value, int source,
                              Site site);

/// The lanes of this warp that are here together. A lane waits until no other lane of its warp can
/// continue, so that as many as possible arrive.
unsigned active_mask(Site site);

/// Tells a tool if these are only some of the warp's lanes.
void tell_of_active_mask(unsigned lanes, Site site) noexcept;

/// The calling thread's place in its warp, 0 to 31.
int lane_id();

/// Checks a shuffle's width: a power of two from 1 to 32. Anything else is a fault.
void check_shuffle_width(int width, Site site);

/// Tells a tool of a shuffle by a number of lanes, down or by a bit, in groups of a given size: if
/// no lane is that far away, each gets its own value. The function tests that itself and throws
/// nothing: a branch or an exception path here would add a step to the watched kernel.
void tell_of_distance(unsigned distance, unsigned size, Site site) noexcept;

/// The same for a rank that the group does not have.
void tell_of_rank(unsigned rank, unsigned size, bool wraps, Site site) noexcept;

template <class T>
std::uint64_t to_bits(T value) {
    static_assert(std::is_trivially_copyable<T>::value && (sizeof(T) <= 8),
                  "a shuffle takes a type of at most 8 bytes");
    std::uint64_t bits = 0;
    __builtin_memcpy(&bits, &value, sizeof value);
    return bits;
}

template <class T>
T from_bits(std::uint64_t bits) {
    T value;
    __builtin_memcpy(&value, &bits, sizeof value);
    return value;
}

/// The types that CUDA's shuffles take.
template <class T>
constexpr bool kShuffles = std::is_arithmetic<T>::value && (sizeof(T) == 4 || sizeof(T) == 8) &&
                           !std::is_same<T, bool>::value;

template <class T>
T shuffle_from(unsigned mask, T value, int source, Site site) {
    return from_bits<T>(warp_collective(Collective::shuffle, mask, to_bits(value), source, site));
}

}  // namespace emulator

// Overloads rather than templates, so that arguments convert as they do in CUDA.
#define CPU_SHUFFLES(T)                                                                            \
    inline T __shfl_sync(unsigned mask, T value, int source, int width = 32,                       \
                         emulator::Site site = emulator::Site::here()) {                           \
        emulator::check_shuffle_width(width, site);                                                \
        const int lane = emulator::lane_id();                                                      \
        return emulator::shuffle_from(mask, value, (lane & ~(width - 1)) | (source & (width - 1)), \
                                      site);                                                       \
    }                                                                                              \
    inline T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32,                \
                            emulator::Site site = emulator::Site::here()) {                        \
        emulator::check_shuffle_width(width, site);                                                \
        const int lane = emulator::lane_id();                                                      \
        const int within = lane & (width - 1);                                                     \
        const bool inside = delta <= static_cast<unsigned>(within);                                \
        return emulator::shuffle_from(mask, value, inside ? lane - static_cast<int>(delta) : lane, \
                                      site);                                                       \
    }                                                                                              \
    inline T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32,              \
                              emulator::Site site = emulator::Site::here()) {                      \
        emulator::check_shuffle_width(width, site);                                                \
        emulator::tell_of_distance(delta, static_cast<unsigned>(width), site);                     \
        const int lane = emulator::lane_id();                                                      \
        const int within = lane & (width - 1);                                                     \
        const bool inside = delta < static_cast<unsigned>(width - within);                         \
        return emulator::shuffle_from(mask, value, inside ? lane + static_cast<int>(delta) : lane, \
                                      site);                                                       \
    }                                                                                              \
    inline T __shfl_xor_sync(unsigned mask, T value, int lane_mask, int width = 32,                \
                             emulator::Site site = emulator::Site::here()) {                       \
        emulator::check_shuffle_width(width, site);                                                \
        emulator::tell_of_distance(static_cast<unsigned>(lane_mask), static_cast<unsigned>(width), \
                                   site);                                                          \
        const int lane = emulator::lane_id();                                                      \
        const int source = (lane ^ lane_mask) & 31;                                                \
        const bool inside = source <= (lane | (width - 1));                                        \
        return emulator::shuffle_from(mask, value, inside ? source : lane, site);                  \
    }

CPU_SHUFFLES(int)
CPU_SHUFFLES(unsigned int)
CPU_SHUFFLES(long)
CPU_SHUFFLES(unsigned long)
CPU_SHUFFLES(long long)
CPU_SHUFFLES(unsigned long long)
CPU_SHUFFLES(float)
CPU_SHUFFLES(double)
#undef CPU_SHUFFLES

inline void __syncwarp(unsigned mask = 0xffffffffu, emulator::Site site = emulator::Site::here()) {
    emulator::warp_collective(emulator::Collective::syncwarp, mask, 0, 0, site);
}

inline unsigned __ballot_sync(unsigned mask, int predicate,
                              emulator::Site site = emulator::Site::here()) {
    return static_cast<unsigned>(
        emulator::warp_collective(emulator::Collective::ballot, mask, predicate != 0, 0, site));
}
inline int __any_sync(unsigned mask, int predicate, emulator::Site site = emulator::Site::here()) {
    return __ballot_sync(mask, predicate, site) != 0;
}
/// True if no lane of the mask votes 0.
inline int __all_sync(unsigned mask, int predicate, emulator::Site site = emulator::Site::here()) {
    return __ballot_sync(mask, predicate == 0, site) == 0;
}
inline unsigned __activemask(emulator::Site site = emulator::Site::here()) {
    const unsigned lanes = emulator::active_mask(site);
    emulator::tell_of_active_mask(lanes, site);
    return lanes;
}

#define CPU_MATCHES(T)                                                                  \
    inline unsigned __match_any_sync(unsigned mask, T value,                            \
                                     emulator::Site site = emulator::Site::here()) {    \
        return static_cast<unsigned>(emulator::warp_collective(                         \
            emulator::Collective::match_any, mask, emulator::to_bits(value), 0, site)); \
    }                                                                                   \
    inline unsigned __match_all_sync(unsigned mask, T value, int* predicate,            \
                                     emulator::Site site = emulator::Site::here()) {    \
        const unsigned lanes = static_cast<unsigned>(emulator::warp_collective(         \
            emulator::Collective::match_all, mask, emulator::to_bits(value), 0, site)); \
        *predicate = lanes != 0;                                                        \
        return lanes;                                                                   \
    }

CPU_MATCHES(int)
CPU_MATCHES(unsigned int)
CPU_MATCHES(long)
CPU_MATCHES(unsigned long)
CPU_MATCHES(long long)
CPU_MATCHES(unsigned long long)
CPU_MATCHES(float)
CPU_MATCHES(double)
#undef CPU_MATCHES

#define CPU_WARP_REDUCTION(name, T, kind)                                                 \
    inline T name(unsigned mask, T value, emulator::Site site = emulator::Site::here()) { \
        return emulator::from_bits<T>(emulator::warp_collective(                          \
            emulator::Collective::kind, mask, emulator::to_bits(value), 0, site));        \
    }

CPU_WARP_REDUCTION(__reduce_add_sync, int, reduce_add)
CPU_WARP_REDUCTION(__reduce_add_sync, unsigned, reduce_add)
CPU_WARP_REDUCTION(__reduce_min_sync, int, reduce_min_signed)
CPU_WARP_REDUCTION(__reduce_min_sync, unsigned, reduce_min_unsigned)
CPU_WARP_REDUCTION(__reduce_max_sync, int, reduce_max_signed)
CPU_WARP_REDUCTION(__reduce_max_sync, unsigned, reduce_max_unsigned)
CPU_WARP_REDUCTION(__reduce_and_sync, unsigned, reduce_and)
CPU_WARP_REDUCTION(__reduce_or_sync, unsigned, reduce_or)
CPU_WARP_REDUCTION(__reduce_xor_sync, unsigned, reduce_xor)
#undef CPU_WARP_REDUCTION
