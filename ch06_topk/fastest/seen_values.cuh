// --distinct: a filter in front of the set, which knows the values that have been in it.
//
// A value that occurs a million times would be looked for in the set a million times. This table
// answers after one look, and also tells different values from repeated ones.
#pragma once

#include <cstdint>

namespace topk {

constexpr unsigned kThreads = 512;  ///< of every block that has a set
constexpr unsigned kWarps = kThreads / 32;
constexpr unsigned kBlocksPerSm = 2;  ///< so that 64 registers per thread suffice

// ---- A warp's sums and maximum ---------------------------------------------------------------

// In every lane. One instruction from compute capability 8.0 on, five shuffles before.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800

__device__ inline unsigned warp_sum(unsigned mine) {
#pragma unroll
    for (int distance = 16; distance > 0; distance /= 2) {
        mine += __shfl_xor_sync(kFullMask, mine, distance);
    }
    return mine;
}

__device__ inline unsigned warp_max(unsigned mine) {
#pragma unroll
    for (int distance = 16; distance > 0; distance /= 2) {
        mine = max(mine, __shfl_xor_sync(kFullMask, mine, distance));
    }
    return mine;
}

#else

__device__ inline unsigned warp_sum(unsigned mine) { return __reduce_add_sync(kFullMask, mine); }
__device__ inline unsigned warp_max(unsigned mine) { return __reduce_max_sync(kFullMask, mine); }

#endif

/// Of this lane's number and those of the lanes before.
__device__ inline unsigned warp_prefix_sum(unsigned sum) {
#pragma unroll
    for (unsigned distance = 1; distance < 32; distance *= 2) {
        const unsigned other = __shfl_up_sync(kFullMask, sum, distance);
        if (threadIdx.x % 32 >= distance) sum += other;
    }
    return sum;
}

// ---- Values that have been in the set -----------------------------------------------------------

constexpr unsigned kHashFactor = 0x9E3779B1u;

/// Multiplicative hashing (Knuth, "The art of computer programming", volume 3, section 6.4): the
/// top bits of the product, as a part of kPlaces.
template <unsigned kPlaces>
__device__ unsigned hash_of(unsigned radix_key, unsigned factor) {
    return static_cast<unsigned>(std::uint64_t{radix_key * factor} * kPlaces >> 32);
}

/// What the keys are tested with before the table is looked at.
struct alignas(8) SeenFilter {
    unsigned end_index;  ///< the highest index that was noted, and one; 0: nothing was
    unsigned factor;     ///< of the hash function
};

/// Open addressing, linear probing. A free place holds a radix key that is looked for elsewhere: 0
/// has place 0. So 0 and 1 can only be noted in the place where they are looked for first.
template <unsigned kNumberOfPlaces>
struct SeenValues {
    static constexpr unsigned kPlaces = kNumberOfPlaces;

    unsigned* radix_keys;  ///< shared; kPlaces of them, and as many indices behind
    SeenFilter* filter;    ///< shared

    /// Forgets everything. A barrier must follow.
    __device__ void clear() const {
        for (unsigned i = threadIdx.x; i < 2 * kPlaces; i += kThreads) {
            radix_keys[i] = empty_mark(i);
        }
        if (threadIdx.x == 0) filter->end_index = 0;
    }

    /// From now on exactly what is in these slots counts as seen. A barrier before. Few values get
    /// places of their own, by another factor where two of them have the same: then one probe is
    /// enough.
    template <unsigned kSlots>
    __device__ void record(const KeyIndex* slots, unsigned values) const {
        for (int attempt = 0;; ++attempt) {
            clear();
            if (threadIdx.x == 0 && attempt > 0) {
                filter->factor = filter->factor * kHashFactor | 0x80000001u;
            }
            __syncthreads();  // the table is empty
            const bool are_apart = __syncthreads_and(record_all<kSlots>(slots));
            if (are_apart || values > kApart || attempt == kTries) break;
        }
    }

    /// Any thread: the radix key in the place where this one is looked for first.
    __device__ unsigned probe(unsigned radix_key, unsigned factor) const {
        return radix_keys[hash_of<kPlaces>(radix_key, factor)];
    }

    /// Any thread: was the same value in, with an index as low or lower, when it was recorded?
    __device__ bool was_seen(KeyIndex candidate) const {
        const unsigned radix_key = radix_key_of(candidate);
        for (unsigned i = hash_of<kPlaces>(radix_key, filter->factor);; i = (i + 1) % kPlaces) {
            if (radix_keys[i] == radix_key) return radix_keys[kPlaces + i] <= index_of(candidate);
            if (radix_keys[i] == empty_mark(i) || radix_key <= 1) return false;
        }
    }

    /// Any thread: the radix key's place in a table of kTable places, which was free; kTable if it
    /// has one already, or gets none.
    template <unsigned kTable>
    __device__ unsigned note(unsigned radix_key, unsigned factor) const {
        for (unsigned i = hash_of<kTable>(radix_key, factor);; i = (i + 1) % kTable) {
            const unsigned there = atomicCAS(&radix_keys[i], empty_mark(i), radix_key);
            if (there == empty_mark(i)) return i;
            if (there == radix_key || radix_key <= 1) return kTable;
        }
    }

  private:
    static constexpr unsigned kApart = 64;  ///< up to so many values find places of their own,
    static constexpr int kTries = 8;        ///< mostly in so many attempts

    __device__ static unsigned empty_mark(unsigned place) { return place == 0 ? 1 : 0; }

    /// Puts what is in the slots into the empty table. Returns whether each of this thread's radix
    /// keys has the place where it is looked for first.
    template <unsigned kSlots>
    __device__ bool record_all(const KeyIndex* slots) const {
        bool are_apart = true;
        unsigned end_index = 0;
        for (unsigned slot = threadIdx.x; slot < kSlots; slot += kThreads) {
            const KeyIndex item = slots[slot];
            if (item == 0) continue;
            const unsigned place = note<kPlaces>(radix_key_of(item), filter->factor);
            are_apart &= place == hash_of<kPlaces>(radix_key_of(item), filter->factor);
            if (place == kPlaces) continue;
            radix_keys[kPlaces + place] = index_of(item);
            end_index = max(end_index, index_of(item) + 1);
        }
        end_index = warp_max(end_index);
        if (threadIdx.x % 32 == 0 && end_index != 0) atomicMax(&filter->end_index, end_index);
        return are_apart;
    }
};

}  // namespace topk
