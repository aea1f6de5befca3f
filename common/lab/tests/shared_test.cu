// Wavefronts of shared memory: patterns of access whose counts follow from 32 banks of 4 bytes.
#include <cuda_runtime.h>
#include <doctest/doctest.h>

#include <cstdint>

#include "pattern.hpp"

namespace {

using lab::Operation;
using lab::Space;

template <class T>
__global__ void store_kernel(int stride, int offset) {
    extern __shared__ char memory[];
    T* const items = reinterpret_cast<T*>(memory);
    items[static_cast<int>(threadIdx.x) * stride + offset] = T{};
}

/// What one warp costs when its lanes store T at a stride.
template <class T>
lab::Traffic stored(int stride, int offset = 0) {
    const std::size_t bytes = (31 * static_cast<std::size_t>(stride) + offset + 1) * sizeof(T);
    const lab::Report report =
        lab::count([&] { store_kernel<T><<<1, 32, bytes>>>(stride, offset); });
    const lab::Traffic all = report.total(Space::shared);
    CHECK(all.requests == 1);
    CHECK(all.lanes == 32);
    CHECK(report.total(Space::global).requests == 0);
    return all;
}

TEST_CASE("a stride in words collides as often as it shares factors with 32") {
    const int degree[][2] = {{1, 1},   {2, 2},  {3, 1},  {4, 4},   {5, 1},   {6, 2},  {7, 1},
                             {8, 8},   {9, 1},  {12, 4}, {16, 16}, {17, 1},  {24, 8}, {31, 1},
                             {32, 32}, {33, 1}, {34, 2}, {48, 16}, {64, 32}, {96, 32}};
    for (const auto& expected : degree) {
        const int stride = expected[0], wavefronts = expected[1];
        CAPTURE(stride);
        CHECK(stored<float>(stride).wavefronts == static_cast<std::uint64_t>(wavefronts));
        CHECK(stored<float>(stride, 5).wavefronts == static_cast<std::uint64_t>(wavefronts));
        CHECK(stored<float>(stride).least_wavefronts == 1);
    }
}

TEST_CASE("lanes that use the same word share a pass") {
    CHECK(stored<float>(0).wavefronts == 1);
    CHECK(stored<char>(1).wavefronts == 1);
    CHECK(stored<short>(1).wavefronts == 1);
    CHECK(stored<short>(2).wavefronts == 1);
    CHECK(stored<char>(4).wavefronts == 1);
    CHECK(stored<char>(8).wavefronts == 2);
    CHECK(stored<char>(128).wavefronts == 32);
}

template <class T>
__global__ void load_kernel(const int* index, T* out) {
    extern __shared__ char memory[];
    const int i = index[threadIdx.x];
    if (i >= 0) out[threadIdx.x] = reinterpret_cast<T*>(memory)[i];
}

/// What one warp costs when lane t loads the T number index(t), and nothing if that is negative.
template <class T, class Index>
lab::Traffic loaded(Index index) {
    int host[32];
    for (int t = 0; t < 32; ++t) host[t] = index(t);
    DeviceArray<int> d_index(32);
    DeviceArray<T> d_out(32);
    cudaMemcpy(d_index.data, host, sizeof(host), cudaMemcpyHostToDevice);
    const lab::Report report =
        lab::count([&] { load_kernel<T><<<1, 32, 64 * sizeof(T)>>>(d_index.data, d_out.data); });
    return report.total(Space::shared);
}

TEST_CASE("loads of 8 and 16 bytes that lanes share in pairs take half as many passes") {
    // The numbers are those of an H200; see patterns.cu.
    const auto passes_8 = [](auto index) { return loaded<double>(index).wavefronts; };
    CHECK(passes_8([](int t) { return t; }) == 2);
    CHECK(passes_8([](int) { return 3; }) == 1);
    CHECK(passes_8([](int t) { return t / 2; }) == 1);
    CHECK(passes_8([](int t) { return t / 16; }) == 1);
    CHECK(passes_8([](int t) { return t / 16 * 16; }) == 2);
    CHECK(passes_8([](int t) { return t % 2; }) == 1);
    CHECK(passes_8([](int t) { return t % 4; }) == 2);
    CHECK(passes_8([](int t) { return t % 16; }) == 2);
    CHECK(passes_8([](int t) { return t % 16 * 2; }) == 4);
    CHECK(passes_8([](int t) { return t == 31; }) == 2);
    CHECK(passes_8([](int t) { return t / 2 ^ t % 2; }) == 2);
    CHECK(passes_8([](int t) { return t < 17 ? 3 : -1; }) == 1);
    CHECK(passes_8([](int t) { return t < 17 ? t : -1; }) == 2);
    CHECK(passes_8([](int t) { return t % 2 == 0 ? t / 2 : -1; }) == 1);
    CHECK(loaded<double>([](int) { return 3; }).least_wavefronts == 1);

    const auto passes_16 = [](auto index) { return loaded<float4>(index).wavefronts; };
    CHECK(passes_16([](int t) { return t; }) == 4);
    CHECK(passes_16([](int) { return 3; }) == 2);
    CHECK(passes_16([](int t) { return t / 2; }) == 2);
    CHECK(passes_16([](int t) { return t % 2; }) == 2);
    CHECK(passes_16([](int t) { return t % 4; }) == 4);
    CHECK(passes_16([](int t) { return t < 20 ? 3 : -1; }) == 2);
    CHECK(passes_16([](int t) { return t < 12 ? 3 : -1; }) == 1);
    CHECK(passes_16([](int t) { return t % 8 == 0 ? t / 8 : -1; }) == 2);
    CHECK(passes_16([](int t) { return t % 8 == 0 ? t : -1; }) == 4);
}

TEST_CASE("8 bytes per lane take a half warp at a time, 16 bytes a quarter") {
    CHECK(stored<double>(1).wavefronts == 2);
    CHECK(stored<double>(1).least_wavefronts == 2);
    CHECK(stored<double>(2).wavefronts == 4);
    CHECK(stored<double>(3).wavefronts == 2);
    CHECK(stored<double>(16).wavefronts == 32);
    CHECK(stored<float2>(1).wavefronts == 2);
    CHECK(stored<float4>(1).wavefronts == 4);
    CHECK(stored<float4>(1).least_wavefronts == 4);
    CHECK(stored<float4>(2).wavefronts == 8);
    CHECK(stored<float4>(3).wavefronts == 4);
    CHECK(stored<float4>(8).wavefronts == 32);
}

template <int kWidth>
__global__ void transpose_kernel(float* out, const float* in) {
    __shared__ float tile[32][kWidth];
    tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * 32 + threadIdx.x];
    __syncthreads();  // the tile is complete
    out[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}

template <int kWidth>
lab::KernelReport transposed() {
    DeviceArray<float> out(32 * 32), in(32 * 32);
    return lab::count([&] { transpose_kernel<kWidth><<<1, dim3(32, 32)>>>(out.data, in.data); })
        .kernels.at(0);
}

TEST_CASE("a column of a tile: one bank without padding, all banks with it") {
    const lab::KernelReport plain = transposed<32>();
    CHECK(plain.total(Space::shared, Operation::store).wavefronts == 32);
    CHECK(plain.total(Space::shared, Operation::load).wavefronts == 32 * 32);
    CHECK(plain.total(Space::shared, Operation::load).least_wavefronts == 32);
    const lab::KernelReport padded = transposed<33>();
    CHECK(padded.total(Space::shared, Operation::store).wavefronts == 32);
    CHECK(padded.total(Space::shared, Operation::load).wavefronts == 32);
    for (const lab::KernelReport& each : {plain, padded}) {
        CHECK(each.total(Space::global).sectors == 2 * 32 * 4);
        CHECK(each.barriers == 1);
        CHECK(each.rows.size() == 4);
    }
}

__global__ void count_kernel(int apart) {
    __shared__ int counters[32];
    counters[threadIdx.x] = 0;
    __syncthreads();  // all counters are 0
    atomicAdd(&counters[threadIdx.x / apart], 1);
}

TEST_CASE("atomics on one word of shared memory take turns") {
    for (const int apart : {1, 2, 8, 32}) {
        const lab::Report report = lab::count([&] { count_kernel<<<1, 32>>>(apart); });
        const lab::Traffic all = report.kernels.at(0).total(Space::shared, Operation::atomic);
        CHECK(all.requests == 1);
        CHECK(all.wavefronts == static_cast<std::uint64_t>(apart));
    }
}

__global__ void half_kernel() {
    __shared__ double items[32];
    if (threadIdx.x < 16) items[threadIdx.x] = 0.0;
    if (threadIdx.x % 2 == 0) items[threadIdx.x] = 1.0;
}

TEST_CASE("a half warp that has nothing to do takes no pass") {
    const lab::Report report = lab::count([&] { half_kernel<<<1, 32>>>(); });
    REQUIRE(report.kernels.at(0).rows.size() == 2);
    CHECK(report.kernels[0].rows[0].traffic.wavefronts == 1);
    CHECK(report.kernels[0].rows[1].traffic.wavefronts == 2);
    CHECK(report.kernels[0].rows[1].traffic.lanes == 16);
}

}  // namespace
