// Warp shuffles: every kind, width and type, against a model on the host.
#include <cuda_runtime.h>

#include <doctest/doctest.h>
#include <vector>

#include "../device_array.hpp"
#include "../expect.hpp"
#include "../random_input.hpp"

using conformance::DeviceArray;

namespace {

enum class Kind { index, up, down, exclusive_or };

constexpr unsigned kFull = 0xffffffffu;

template <class T>
__global__ void shuffle_kernel(const T* in, T* out, Kind kind, int argument, int width) {
    const int t = threadIdx.x;
    const T value = in[t];
    T result = value;
    switch (kind) {
        case Kind::index:
            result = __shfl_sync(kFull, value, argument, width);
            break;
        case Kind::up:
            result = __shfl_up_sync(kFull, value, argument, width);
            break;
        case Kind::down:
            result = __shfl_down_sync(kFull, value, argument, width);
            break;
        case Kind::exclusive_or:
            result = __shfl_xor_sync(kFull, value, argument, width);
            break;
    }
    out[t] = result;
}

/// The lane whose value `lane` receives. Source: CUDA C++ Programming Guide, warp shuffle
/// functions.
int source_lane(Kind kind, int lane, int argument, int width) {
    const int first = lane / width * width;
    const int within = lane - first;
    switch (kind) {
        case Kind::index:
            return first + argument % width;
        case Kind::up:
            return within < argument ? lane : lane - argument;
        case Kind::down:
            return within + argument >= width ? lane : lane + argument;
        case Kind::exclusive_or: {
            // A partner in an earlier group may be read, one in a later group may not.
            const int partner = lane ^ argument;
            return partner >= first + width ? lane : partner;
        }
    }
    return -1;
}

template <class T>
void check_shuffles(const std::vector<T>& in) {
    DeviceArray<T> d_in(in), d_out(in.size());
    for (const Kind kind : {Kind::index, Kind::up, Kind::down, Kind::exclusive_or}) {
        for (const int width : {32, 16, 8, 4, 2, 1}) {
            for (int argument = 0; argument < 32; argument += argument < 9 ? 1 : 11) {
                CAPTURE(int(kind));
                CAPTURE(width);
                CAPTURE(argument);
                shuffle_kernel<T>
                    <<<1, int(in.size())>>>(d_in.data(), d_out.data(), kind, argument, width);
                std::vector<T> expected(in.size());
                for (int t = 0; t < int(in.size()); ++t)
                    expected[t] = in[t / 32 * 32 + source_lane(kind, t % 32, argument, width)];
                CHECK_SAME(d_out.download(), expected);
            }
        }
    }
}

__global__ void index_per_lane_kernel(const int* source, int* out) {
    const int lane = threadIdx.x;
    out[lane] = __shfl_sync(kFull, 100 + lane, source[lane]);
}

__global__ void part_of_warp_kernel(int* out) {
    // Even and odd lanes shuffle in their own branches, each with its own mask.
    const int lane = threadIdx.x;
    int value = lane;
    if (lane % 2 == 0) {
        for (int distance = 2; distance < 32; distance *= 2)
            value += __shfl_xor_sync(0x55555555u, value, distance);
    } else {
        value = __shfl_sync(0xaaaaaaaau, value * 10, (lane + 2) % 32);
    }
    out[lane] = value;
}

__global__ void last_warp_kernel(int* out, int n) {
    // The block's last warp is not full: the mask names the lanes that are there.
    const int t = threadIdx.x;
    const int left = n - t / 32 * 32;
    const unsigned mask = left >= 32 ? kFull : (1u << left) - 1;
    int sum = t;
    for (int delta = 16; delta > 0; delta /= 2) {
        const int other = __shfl_down_sync(mask, sum, delta);
        if (t % 32 + delta < left) sum += other;
    }
    out[t] = __shfl_sync(mask, sum, 0);
}

__global__ void different_lines_kernel(int* out) {
    // A chain of shuffles in a loop; between them the lanes of the warp do different work.
    const int lane = threadIdx.x % 32;
    int value = lane;
    for (int round = 0; round < 6; ++round) {
        int extra = 0;
        for (int i = 0; i < lane; ++i) extra += i & round;
        value = __shfl_sync(kFull, value + extra, (lane + 1) % 32);
    }
    out[threadIdx.x] = value;
}

__global__ void bool_and_small_types_kernel(int* out) {
    // Small integers are promoted to int.
    const int lane = threadIdx.x;
    const char letter = char('a' + lane % 26);
    const short number = short(-lane);
    const bool flag = lane % 3 == 0;
    out[lane] = __shfl_xor_sync(kFull, letter, 1) * 10000 + __shfl_xor_sync(kFull, number, 1) * 10 +
                __shfl_xor_sync(kFull, flag, 1);
}

}  // namespace

TEST_CASE_TEMPLATE("shuffle: all kinds and widths", T, int, unsigned, long, unsigned long,
                   long long, unsigned long long, float, double) {
    check_shuffles(conformance::random_values<T>(96, 5));
}

TEST_CASE("shuffle: every lane names its own source, any int modulo the width") {
    std::vector<int> source = conformance::random_below<int>(32, 64, 6);
    source[3] = -1;
    DeviceArray<int> d_source(source), d_out(32);
    index_per_lane_kernel<<<1, 32>>>(d_source.data(), d_out.data());
    std::vector<int> expected(32);
    for (int lane = 0; lane < 32; ++lane) expected[lane] = 100 + (source[lane] & 31);
    CHECK_SAME(d_out.download(), expected);
}

TEST_CASE("shuffle: two branches with their own masks") {
    DeviceArray<int> d_out(32);
    part_of_warp_kernel<<<1, 32>>>(d_out.data());
    std::vector<int> expected(32);
    for (int lane = 0; lane < 32; ++lane)
        expected[lane] = lane % 2 == 0 ? 240 : (lane + 2) % 32 * 10;
    CHECK_SAME(d_out.download(), expected);
}

TEST_CASE("shuffle: a last warp that is not full") {
    for (const int n : {1, 2, 5, 31, 32, 33, 63, 77}) {
        CAPTURE(n);
        DeviceArray<int> d_out(n);
        last_warp_kernel<<<1, n>>>(d_out.data(), n);
        std::vector<int> expected(n);
        for (int t = 0; t < n; ++t) {
            const int first = t / 32 * 32;
            const int last = first + 32 < n ? first + 32 : n;
            for (int u = first; u < last; ++u) expected[t] += u;
        }
        CHECK_SAME(d_out.download(), expected);
    }
}

TEST_CASE("shuffle: between unequal work") {
    DeviceArray<int> d_out(64);
    different_lines_kernel<<<1, 64>>>(d_out.data());
    std::vector<int> warp(32), expected;
    for (int lane = 0; lane < 32; ++lane) warp[lane] = lane;
    for (int round = 0; round < 6; ++round) {
        std::vector<int> sent(32);
        for (int lane = 0; lane < 32; ++lane) {
            sent[lane] = warp[lane];
            for (int i = 0; i < lane; ++i) sent[lane] += i & round;
        }
        for (int lane = 0; lane < 32; ++lane) warp[lane] = sent[(lane + 1) % 32];
    }
    expected = warp;
    expected.insert(expected.end(), warp.begin(), warp.end());
    CHECK_SAME(d_out.download(), expected);
}

TEST_CASE("shuffle: bool, char and short are promoted") {
    DeviceArray<int> d_out(32);
    bool_and_small_types_kernel<<<1, 32>>>(d_out.data());
    std::vector<int> expected(32);
    for (int lane = 0; lane < 32; ++lane) {
        const int partner = lane ^ 1;
        expected[lane] = ('a' + partner % 26) * 10000 - partner * 10 + (partner % 3 == 0);
    }
    CHECK_SAME(d_out.download(), expected);
}
