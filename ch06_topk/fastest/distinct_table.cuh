// --distinct: a hash table in which no value appears twice, with linear probing.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "../../common/harness/device_code.cuh"
#include "../topk.hpp"

namespace topk {

constexpr unsigned kHashFactor = 0x9E3779B1u;

/// Multiplicative hashing (Knuth, "The art of computer programming", volume 3, section 6.4): the
/// top bits of the product, as one of kPlaces places.
template <unsigned kPlaces>
__device__ unsigned hash_of(unsigned radix_key, unsigned factor = kHashFactor) {
    return static_cast<unsigned>(std::uint64_t{radix_key * factor} * kPlaces >> 32);
}

template <unsigned kPlaces>
struct DistinctTable {
    KeyIndex* places;  ///< kPlaces of them, shared; 0: free
    unsigned factor;   ///< of the hash function

    /// Where a value is looked for first.
    __device__ __forceinline__ unsigned first_place(KeyIndex candidate) const {
        return hash_of<kPlaces>(radix_key_of(candidate), factor);
    }

    /// What the place holds now: other threads may insert at the same time.
    __device__ __forceinline__ KeyIndex look(unsigned place) const {
        return load_relaxed(&places[place]);
    }

    /// Any thread: does one lookup show that the value is there, with an index as low or lower?
    __device__ __forceinline__ bool is_found_at_once(KeyIndex candidate) const {
        const KeyIndex there = look(first_place(candidate));
        return radix_key_of(there) == radix_key_of(candidate) &&
               static_cast<unsigned>(there) >= static_cast<unsigned>(candidate);
    }

    /// Any thread. Returns whether the value is new. There must be a free place.
    __device__ bool insert(KeyIndex candidate) const {
        for (unsigned i = first_place(candidate);; i = (i + 1) % kPlaces) {
            // A lookup first: otherwise threads that insert the same value would take turns.
            KeyIndex there = look(i);
            if (there == 0) there = atomicCAS(&places[i], KeyIndex{0}, candidate);
            if (there == 0) return true;
            if (radix_key_of(there) == radix_key_of(candidate)) {
                if (there < candidate) atomicMax(&places[i], candidate);
                return false;
            }
        }
    }
};

}  // namespace topk
