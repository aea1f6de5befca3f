// Votes, matches and integer reductions of a warp.
#include <cuda_runtime.h>

#include <doctest/doctest.h>
#include <algorithm>
#include <vector>

#include "../device_array.hpp"
#include "../expect.hpp"
#include "../random_input.hpp"

using conformance::DeviceArray;

namespace {

constexpr unsigned kFull = 0xffffffffu;

__global__ void votes_kernel(const int* in, int* all, int* any, unsigned* ballot) {
    const int t = threadIdx.x;
    all[t] = __all_sync(kFull, in[t]) != 0;
    any[t] = __any_sync(kFull, in[t]) != 0;
    ballot[t] = __ballot_sync(kFull, in[t]);
}

__global__ void masked_votes_kernel(unsigned* out) {
    // A quarter of a warp votes alone; the lanes of the mask's complement also vote.
    const int lane = threadIdx.x;
    const unsigned quarter = 0xffu << (lane / 8 * 8);
    if (lane < 16)
        out[lane] = __ballot_sync(quarter, lane % 2);
    else
        out[lane] =
            (__any_sync(quarter, lane == 20) != 0) * 2 + (__all_sync(quarter, lane > 23) != 0);
}

__global__ void active_mask_kernel(unsigned* out) { out[threadIdx.x] = __activemask(); }

__global__ void matches_kernel(const int* in, unsigned* any, unsigned* all, int* predicate) {
    const int t = threadIdx.x;
    any[t] = __match_any_sync(kFull, in[t]);
    all[t] = __match_all_sync(kFull, in[t], &predicate[t]);
}

template <class T>
__global__ void arithmetic_reductions_kernel(const T* in, T* out, unsigned mask) {
    const int lane = threadIdx.x;
    if ((mask >> lane & 1) == 0) return;
    out[lane] = __reduce_add_sync(mask, in[lane]);
    out[32 + lane] = __reduce_min_sync(mask, in[lane]);
    out[64 + lane] = __reduce_max_sync(mask, in[lane]);
}

__global__ void bit_reductions_kernel(const unsigned* in, unsigned* out, unsigned mask) {
    const int lane = threadIdx.x;
    if ((mask >> lane & 1) == 0) return;
    out[lane] = __reduce_and_sync(mask, in[lane]);
    out[32 + lane] = __reduce_or_sync(mask, in[lane]);
    out[64 + lane] = __reduce_xor_sync(mask, in[lane]);
}

__global__ void leader_kernel(const int* bins, int* histogram, int n) {
    // Lanes with the same bin elect one of them, which adds for all: match, popc and ffs together.
    const int t = threadIdx.x;
    const unsigned there = __ballot_sync(kFull, t < n);
    if (t >= n) return;
    const unsigned peers = __match_any_sync(there, bins[t]);
    if (t % 32 == __ffs(peers) - 1) atomicAdd(&histogram[bins[t]], __popc(peers));
}

template <class T, class Operation>
std::vector<T> reduced(const std::vector<T>& in, unsigned mask, Operation operation) {
    bool first = true;
    T result{};
    for (int lane = 0; lane < 32; ++lane) {
        if ((mask >> lane & 1) == 0) continue;
        result = first ? in[lane] : operation(result, in[lane]);
        first = false;
    }
    std::vector<T> out(32, T(-1));
    for (int lane = 0; lane < 32; ++lane)
        if (mask >> lane & 1) out[lane] = result;
    return out;
}

template <class T>
void append(std::vector<T>& list, const std::vector<T>& more) {
    list.insert(list.end(), more.begin(), more.end());
}

template <class T>
void check_arithmetic_reductions() {
    const std::vector<T> in = conformance::random_values<T>(32, 9);
    for (const unsigned mask : {kFull, 1u, 0x80000000u, 0x0000ffffu, 0x13570248u}) {
        CAPTURE(mask);
        DeviceArray<T> d_in(in), d_out(std::vector<T>(96, T(-1)));
        arithmetic_reductions_kernel<T><<<1, 32>>>(d_in.data(), d_out.data(), mask);
        std::vector<T> expected;
        // Sums wrap around, as unsigned sums do.
        append(expected, reduced(in, mask, [](T a, T b) { return T(unsigned(a) + unsigned(b)); }));
        append(expected, reduced(in, mask, [](T a, T b) { return std::min(a, b); }));
        append(expected, reduced(in, mask, [](T a, T b) { return std::max(a, b); }));
        CHECK_SAME(d_out.download(), expected);
    }
}

}  // namespace

TEST_CASE("vote: __all_sync, __any_sync, __ballot_sync") {
    for (const int kind : {0, 1, 2}) {
        CAPTURE(kind);
        std::vector<int> in(96);
        conformance::Random random(11);
        for (int& value : in) value = kind == 0 ? 0 : kind == 1 ? -7 : int(random.below(2)) * 6;
        DeviceArray<int> d_in(in), d_all(96), d_any(96);
        DeviceArray<unsigned> d_ballot(96);
        votes_kernel<<<1, 96>>>(d_in.data(), d_all.data(), d_any.data(), d_ballot.data());
        std::vector<int> all(96), any(96);
        std::vector<unsigned> ballot(96);
        for (int t = 0; t < 96; ++t) {
            for (int lane = 0; lane < 32; ++lane)
                ballot[t] |= unsigned(in[t / 32 * 32 + lane] != 0) << lane;
            all[t] = ballot[t] == kFull;
            any[t] = ballot[t] != 0;
        }
        CHECK_SAME(d_all.download(), all);
        CHECK_SAME(d_any.download(), any);
        CHECK_SAME(d_ballot.download(), ballot);
    }
}

TEST_CASE("vote: parts of a warp vote apart") {
    DeviceArray<unsigned> d_out(32);
    masked_votes_kernel<<<1, 32>>>(d_out.data());
    std::vector<unsigned> expected(32);
    for (int lane = 0; lane < 32; ++lane)
        expected[lane] = lane < 8 ? 0xaau : lane < 16 ? 0xaa00u : lane < 24 ? 2u : 1u;
    CHECK_SAME(d_out.download(), expected);
}

TEST_CASE("vote: __activemask where all lanes run together") {
    for (const int threads : {32, 64, 40}) {
        CAPTURE(threads);
        DeviceArray<unsigned> d_out(threads);
        active_mask_kernel<<<1, threads>>>(d_out.data());
        const std::vector<unsigned> out = d_out.download();
        for (int t = 0; t < threads; ++t) {
            const int there = std::min(32, threads - t / 32 * 32);
            // The mask names the lane itself, and only lanes that exist.
            CHECK(((out[t] >> (t % 32)) & 1) == 1);
            if (there < 32) CHECK((out[t] >> there) == 0);
        }
    }
}

TEST_CASE("vote: __match_any_sync and __match_all_sync") {
    std::vector<int> in = conformance::random_below<int>(64, 5, 12);
    for (int t = 32; t < 64; ++t) in[t] = 4;
    DeviceArray<int> d_in(in), d_predicate(64);
    DeviceArray<unsigned> d_any(64), d_all(64);
    matches_kernel<<<1, 64>>>(d_in.data(), d_any.data(), d_all.data(), d_predicate.data());
    std::vector<unsigned> any(64), all(64);
    std::vector<int> predicate(64);
    for (int t = 0; t < 64; ++t) {
        for (int lane = 0; lane < 32; ++lane)
            any[t] |= unsigned(in[t / 32 * 32 + lane] == in[t]) << lane;
        all[t] = any[t] == kFull ? kFull : 0;
        predicate[t] = any[t] == kFull;
    }
    CHECK_SAME(d_any.download(), any);
    CHECK_SAME(d_all.download(), all);
    CHECK_SAME(d_predicate.download(), predicate);
}

TEST_CASE("vote: __reduce_add_sync, _min_, _max_ of int and unsigned") {
    check_arithmetic_reductions<int>();
    check_arithmetic_reductions<unsigned>();
}

TEST_CASE("vote: __reduce_and_sync, _or_, _xor_") {
    std::vector<unsigned> in = conformance::random_values<unsigned>(32, 13);
    for (unsigned& value : in) value |= 0x00100000u;
    for (const unsigned mask : {kFull, 2u, 0xffff0000u, 0x00700bb1u}) {
        CAPTURE(mask);
        DeviceArray<unsigned> d_in(in), d_out(std::vector<unsigned>(96, unsigned(-1)));
        bit_reductions_kernel<<<1, 32>>>(d_in.data(), d_out.data(), mask);
        std::vector<unsigned> expected;
        append(expected, reduced(in, mask, [](unsigned a, unsigned b) { return a & b; }));
        append(expected, reduced(in, mask, [](unsigned a, unsigned b) { return a | b; }));
        append(expected, reduced(in, mask, [](unsigned a, unsigned b) { return a ^ b; }));
        CHECK_SAME(d_out.download(), expected);
    }
}

TEST_CASE("vote: lanes with the same bin elect a leader") {
    for (const int n : {1, 31, 32, 33, 100, 128}) {
        CAPTURE(n);
        std::vector<int> bins = conformance::random_below<int>(n, 7, n);
        DeviceArray<int> d_bins(bins), d_histogram(std::vector<int>(7, 0));
        leader_kernel<<<1, 128>>>(d_bins.data(), d_histogram.data(), n);
        std::vector<int> expected(7);
        for (const int bin : bins) ++expected[bin];
        CHECK_SAME(d_histogram.download(), expected);
    }
}
