// cuRAND's device functions for two generators, XORWOW (curandState) and Philox4_32_10, with the
// sequences of the real library: the same seeds give the same bits. The others (MRG32k3a, MTGP32,
// Sobol) are not here. Philox: Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as
// 1, 2, 3", SC11.
#pragma once

#include <cstdint>

#include "cuda_runtime.h"
#include "emulator/xorwow.hpp"

/// The second of a pair of normal numbers, kept for the next call.
struct cpu_curand_pairs {
    int boxmuller_flag, boxmuller_flag_double;
    float boxmuller_extra;
    double boxmuller_extra_double;
};

struct curandStateXORWOW : cpu_curand_pairs {
    unsigned d, v[5];
};
typedef curandStateXORWOW curandStateXORWOW_t;
typedef curandStateXORWOW curandState_t;
typedef curandStateXORWOW curandState;

struct curandStatePhilox4_32_10 : cpu_curand_pairs {
    uint4 ctr, output;
    uint2 key;
    unsigned STATE;  ///< how many words of `output` were taken
};
typedef curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;

// ---- Bits ------------------------------------------------------------------------------------

inline unsigned curand(curandStateXORWOW* state) {
    unsigned* const v = state->v;
    const unsigned t = v[0] ^ v[0] >> 2;
    for (int i = 0; i < 4; ++i) v[i] = v[i + 1];
    v[4] = (v[4] ^ v[4] << 4) ^ (t ^ t << 1);
    state->d += 362437u;
    return v[4] + state->d;
}

inline void skipahead(unsigned long long n, curandStateXORWOW* state) {
    emulator::xorwow_jump(state->v, n, 0);
    state->d += 362437u * static_cast<unsigned>(n);
}
/// A subsequence has 2^67 numbers; d counts modulo 2^32 and stays.
inline void skipahead_sequence(unsigned long long n, curandStateXORWOW* state) {
    emulator::xorwow_jump(state->v, n, 67);
}

inline void curand_init(unsigned long long seed, unsigned long long subsequence,
                        unsigned long long offset, curandStateXORWOW* state) {
    const unsigned t0 = 1099087573u * (static_cast<unsigned>(seed) ^ 0xaad26b49u);
    const unsigned t1 = 2591861531u * (static_cast<unsigned>(seed >> 32) ^ 0xf7dcefddu);
    *state = {};
    state->d = 6615241u + t1 + t0;
    state->v[0] = 123456789u + t0;
    state->v[1] = 362436069u ^ t0;
    state->v[2] = 521288629u + t1;
    state->v[3] = 88675123u ^ t1;
    state->v[4] = 5783321u + t0;
    skipahead_sequence(subsequence, state);
    skipahead(offset, state);
}

namespace emulator {

inline uint4 philox(uint4 counter, uint2 key) {
    for (int round = 0; round < 10; ++round) {
        const std::uint64_t a = std::uint64_t{0xD2511F53u} * counter.x;
        const std::uint64_t b = std::uint64_t{0xCD9E8D57u} * counter.z;
        counter = {static_cast<unsigned>(b >> 32) ^ counter.y ^ key.x, static_cast<unsigned>(b),
                   static_cast<unsigned>(a >> 32) ^ counter.w ^ key.y, static_cast<unsigned>(a)};
        key.x += 0x9E3779B9u;
        key.y += 0xBB67AE85u;
    }
    return counter;
}

/// Adds to the lower or the upper 64 bits of the counter; a carry goes on to the upper ones.
inline void philox_add(uint4& counter, std::uint64_t low, std::uint64_t high) {
    const std::uint64_t before = std::uint64_t{counter.y} << 32 | counter.x;
    const std::uint64_t sum = before + low;
    const std::uint64_t upper =
        (std::uint64_t{counter.w} << 32 | counter.z) + high + (sum < before ? 1 : 0);
    counter = {static_cast<unsigned>(sum), static_cast<unsigned>(sum >> 32),
               static_cast<unsigned>(upper), static_cast<unsigned>(upper >> 32)};
}

inline unsigned word_of(uint4 v, unsigned i) {
    return i == 0 ? v.x : i == 1 ? v.y : i == 2 ? v.z : v.w;
}

}  // namespace emulator

inline void skipahead(unsigned long long n, curandStatePhilox4_32_10* state) {
    const unsigned taken = state->STATE + static_cast<unsigned>(n & 3u);
    state->STATE = taken & 3u;
    emulator::philox_add(state->ctr, n / 4 + taken / 4, 0);
    state->output = emulator::philox(state->ctr, state->key);
}
/// A subsequence has 2^66 numbers.
inline void skipahead_sequence(unsigned long long n, curandStatePhilox4_32_10* state) {
    emulator::philox_add(state->ctr, 0, n);
    state->output = emulator::philox(state->ctr, state->key);
}
inline void curand_init(unsigned long long seed, unsigned long long subsequence,
                        unsigned long long offset, curandStatePhilox4_32_10* state) {
    *state = {};
    state->key = {static_cast<unsigned>(seed), static_cast<unsigned>(seed >> 32)};
    skipahead_sequence(subsequence, state);
    skipahead(offset, state);
}
inline unsigned curand(curandStatePhilox4_32_10* state) {
    const unsigned result = emulator::word_of(state->output, state->STATE);
    skipahead(1, state);
    return result;
}
inline uint4 curand4(curandStatePhilox4_32_10* state) {
    uint4 result;
    result.x = curand(state);
    result.y = curand(state);
    result.z = curand(state);
    result.w = curand(state);
    return result;
}

// ---- Numbers ---------------------------------------------------------------------------------

namespace emulator {

/// 0 is excluded, 1 is not.
inline float curand_to_uniform(unsigned bits) {
    return static_cast<float>(bits) * 2.3283064e-10f + 2.3283064e-10f / 2.0f;
}
inline double curand_to_uniform_double(unsigned low, unsigned high) {
    const std::uint64_t bits = std::uint64_t{low} ^ std::uint64_t{high} << 21;
    return static_cast<double>(bits) * 1.1102230246251565e-16 + 1.1102230246251565e-16 / 2.0;
}
inline float2 curand_to_normal(unsigned x, unsigned y) {
    const float u = curand_to_uniform(x);
    const float v =
        static_cast<float>(y) * (2.3283064e-10f * 6.2831855f) + 2.3283064e-10f * 6.2831855f / 2.0f;
    const float s = sqrtf(-2.0f * logf(u));
    return {sinf(v) * s, cosf(v) * s};
}
inline double2 curand_to_normal(unsigned x0, unsigned x1, unsigned y0, unsigned y1) {
    const double u = curand_to_uniform_double(x0, x1);
    const std::uint64_t bits = std::uint64_t{y0} ^ std::uint64_t{y1} << 21;
    // In units of pi.
    const double v =
        static_cast<double>(bits) * (1.1102230246251565e-16 * 2.0) + 1.1102230246251565e-16;
    const double s = sqrt(-2.0 * log(u));
    return {sin(v * M_PI) * s, cos(v * M_PI) * s};
}

}  // namespace emulator

template <class State>
inline float curand_uniform(State* state) {
    return emulator::curand_to_uniform(curand(state));
}
inline double curand_uniform_double(curandStateXORWOW* state) {
    const unsigned low = curand(state);
    return emulator::curand_to_uniform_double(low, curand(state));
}
inline double curand_uniform_double(curandStatePhilox4_32_10* state) {
    return static_cast<double>(curand(state)) * 2.3283064365386963e-10 + 2.3283064365386963e-10;
}
template <class State>
inline float2 curand_normal2(State* state) {
    const unsigned x = curand(state);
    return emulator::curand_to_normal(x, curand(state));
}
template <class State>
inline float curand_normal(State* state) {
    if (state->boxmuller_flag != 0) {
        state->boxmuller_flag = 0;
        return state->boxmuller_extra;
    }
    const float2 pair = curand_normal2(state);
    state->boxmuller_extra = pair.y;
    state->boxmuller_flag = 1;
    return pair.x;
}
template <class State>
inline double2 curand_normal2_double(State* state) {
    const unsigned x0 = curand(state);
    const unsigned x1 = curand(state);
    const unsigned y0 = curand(state);
    return emulator::curand_to_normal(x0, x1, y0, curand(state));
}
template <class State>
inline double curand_normal_double(State* state) {
    if (state->boxmuller_flag_double != 0) {
        state->boxmuller_flag_double = 0;
        return state->boxmuller_extra_double;
    }
    const double2 pair = curand_normal2_double(state);
    state->boxmuller_extra_double = pair.y;
    state->boxmuller_flag_double = 1;
    return pair.x;
}
template <class State>
inline float curand_log_normal(State* state, float mean, float deviation) {
    return expf(mean + deviation * curand_normal(state));
}
template <class State>
inline double curand_log_normal_double(State* state, double mean, double deviation) {
    return exp(mean + deviation * curand_normal_double(state));
}
inline float4 curand_uniform4(curandStatePhilox4_32_10* state) {
    const uint4 bits = curand4(state);
    return {emulator::curand_to_uniform(bits.x), emulator::curand_to_uniform(bits.y),
            emulator::curand_to_uniform(bits.z), emulator::curand_to_uniform(bits.w)};
}
inline float4 curand_normal4(curandStatePhilox4_32_10* state) {
    const uint4 bits = curand4(state);
    const float2 first = emulator::curand_to_normal(bits.x, bits.y);
    const float2 second = emulator::curand_to_normal(bits.z, bits.w);
    return {first.x, first.y, second.x, second.y};
}

// The host's calls, as in CUDA; at the end, because they use what is above.
#include "curand.h"
