// Sectors of global memory: patterns of access whose counts follow from 32-byte sectors alone.
#include <cuda_runtime.h>
#include <doctest/doctest.h>

#include <cstdint>

#include "pattern.hpp"

namespace {

using lab::Operation;
using lab::Space;

// What one warp does is the same in all warps here, so a count is that of one warp times kWarps.
constexpr int kBlocks = 3;
constexpr int kThreads = 64;
constexpr std::uint64_t kWarps = kBlocks * kThreads / 32;

__device__ int index() { return static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); }

template <class T>
__global__ void store_kernel(T* out, int stride, int offset) {
    out[index() * stride + offset] = T(1);
}

/// What a warp costs when its lanes store T at a stride.
template <class T>
lab::Traffic stored(int stride, int offset) {
    DeviceArray<T> out(kBlocks * kThreads * stride + offset);
    const lab::Report report =
        lab::count([&] { store_kernel<T><<<kBlocks, kThreads>>>(out.data, stride, offset); });
    const lab::Traffic all = report.total(Space::global);
    CHECK(all.requests == kWarps);
    CHECK(all.lanes == kWarps * 32);
    CHECK(all.bytes == kWarps * 32 * sizeof(T));
    return all;
}

TEST_CASE("neighbouring lanes, neighbouring items: as many sectors as the bytes fill") {
    CHECK(stored<char>(1, 0).sectors == kWarps * 1);
    CHECK(stored<short>(1, 0).sectors == kWarps * 2);
    CHECK(stored<float>(1, 0).sectors == kWarps * 4);
    CHECK(stored<double>(1, 0).sectors == kWarps * 8);
    CHECK(stored<double>(1, 0).least_sectors == kWarps * 8);
    CHECK(stored<char>(1, 0).least_sectors == kWarps * 1);
}

TEST_CASE("a stride touches more sectors, up to one for each lane") {
    CHECK(stored<float>(2, 0).sectors == kWarps * 8);
    CHECK(stored<float>(2, 0).least_sectors == kWarps * 4);
    CHECK(stored<float>(3, 0).sectors == kWarps * 12);
    CHECK(stored<float>(4, 0).sectors == kWarps * 16);
    CHECK(stored<float>(8, 0).sectors == kWarps * 32);
    CHECK(stored<float>(32, 0).sectors == kWarps * 32);
    CHECK(stored<float>(32, 0).least_sectors == kWarps * 4);
    CHECK(stored<char>(32, 0).sectors == kWarps * 32);
}

TEST_CASE("items that begin off a sector's edge reach into one more") {
    CHECK(stored<float>(1, 1).sectors == kWarps * 5);
    CHECK(stored<float>(1, 7).sectors == kWarps * 5);
    CHECK(stored<float>(1, 8).sectors == kWarps * 4);
    CHECK(stored<char>(1, 1).sectors == kWarps * 2);
    CHECK(stored<double>(1, 3).sectors == kWarps * 9);
    CHECK(stored<double>(1, 3).least_sectors == kWarps * 8);
}

template <class Index>
__global__ void load_kernel(const float* in, float* out, Index which) {
    const float value = in[which(index())];
    if (value > 0.0f) out[0] = value;
}

/// What a warp costs when lane i loads item which(i).
template <class Index>
lab::Traffic loaded(Index which, std::size_t items = 32 * 1024) {
    DeviceArray<float> in(items), out(1);
    const lab::Report report =
        lab::count([&] { load_kernel<<<kBlocks, kThreads>>>(in.data, out.data, which); });
    const lab::Traffic all = report.total(Space::global);
    CHECK(all.requests == kWarps);
    return all;
}

struct Same {
    __device__ int operator()(int) const { return 5; }
};
struct TwoSectors {
    __device__ int operator()(int i) const { return i % 2 * 8; }
};
struct Reversed {
    __device__ int operator()(int i) const { return i / 32 * 32 + 31 - i % 32; }
};
struct Shuffled {
    __device__ int operator()(int i) const { return i / 32 * 32 + i * 13 % 32; }
};
struct Column {
    int width;
    __device__ int operator()(int i) const { return i % 32 * width + i / 32; }
};
struct InPairs {
    __device__ int operator()(int i) const { return i / 2; }
};

TEST_CASE("the order of lanes does not matter, only which sectors they touch") {
    CHECK(loaded(Reversed{}).sectors == kWarps * 4);
    CHECK(loaded(Shuffled{}).sectors == kWarps * 4);
}

TEST_CASE("lanes that load the same item share its sector") {
    CHECK(loaded(Same{}).sectors == kWarps * 1);
    CHECK(loaded(Same{}).least_sectors == kWarps * 1);
    CHECK(loaded(TwoSectors{}).sectors == kWarps * 2);
    CHECK(loaded(TwoSectors{}).least_sectors == kWarps * 1);
    CHECK(loaded(InPairs{}).sectors == kWarps * 2);
}

TEST_CASE("a column of a matrix is one sector for each lane") {
    CHECK(loaded(Column{64}).sectors == kWarps * 32);
    CHECK(loaded(Column{64}).least_sectors == kWarps * 4);
    CHECK(loaded(Column{65}).sectors == kWarps * 32);
}

struct Pair {
    int key, value;
};
struct Three {
    float x, y, z;
};
struct Body {
    float x, y, z, mass;
};

template <class T>
__global__ void copy_kernel(T* out, const T* in) {
    out[index()] = in[index()];
}

template <class T>
lab::Report copied() {
    DeviceArray<T> out(kBlocks * kThreads), in(kBlocks * kThreads);
    return lab::count([&] { copy_kernel<<<kBlocks, kThreads>>>(out.data, in.data); });
}

template <class T>
void check_copy(std::uint64_t requests, std::uint64_t sectors) {
    const lab::Report report = copied<T>();
    for (const Operation operation : {Operation::load, Operation::store}) {
        const lab::Traffic all = report.kernels.at(0).total(Space::global, operation);
        CHECK(all.requests == kWarps * requests);
        CHECK(all.sectors == kWarps * sectors);
        CHECK(all.bytes == kWarps * 32 * sizeof(T));
    }
}

TEST_CASE("vectors are one request of 8 or 16 bytes per lane") {
    check_copy<float2>(1, 8);
    check_copy<float4>(1, 16);
    check_copy<double2>(1, 16);
    check_copy<int4>(1, 16);
    check_copy<char4>(1, 4);
}

TEST_CASE("a struct that is aligned to 4 bytes is copied word by word") {
    check_copy<Pair>(2, 2 * 8);
    check_copy<Three>(3, 3 * 12);
    check_copy<Body>(4, 4 * 16);
    check_copy<uchar3>(3, 3 * 3);
}

__global__ void field_kernel(Body* bodies) { bodies[index()].mass = 1.0f; }

TEST_CASE("one field of an array of structs drags the others along") {
    DeviceArray<Body> bodies(kBlocks * kThreads);
    const lab::Report report =
        lab::count([&] { field_kernel<<<kBlocks, kThreads>>>(bodies.data); });
    CHECK(report.total(Space::global).sectors == kWarps * 16);
    CHECK(report.total(Space::global).least_sectors == kWarps * 4);
}

__global__ void row_kernel(float* matrix, int pitch) {
    matrix[threadIdx.y * pitch + threadIdx.x] = 1.0f;
}

TEST_CASE("a warp of a 16 x 16 block covers two rows") {
    DeviceArray<float> matrix(16 * 64);
    const lab::Report report =
        lab::count([&] { row_kernel<<<1, dim3(16, 16)>>>(matrix.data, 64); });
    CHECK(report.total(Space::global).requests == 8);
    CHECK(report.total(Space::global).sectors == 8 * 4);
    const lab::Report odd = lab::count([&] { row_kernel<<<1, dim3(16, 16)>>>(matrix.data, 20); });
    CHECK(odd.total(Space::global).sectors == 4 * (3 + 2) + 4 * (2 + 3));
}

TEST_CASE("the last warp of a block may have fewer lanes") {
    DeviceArray<float> out(80);
    const lab::Report report = lab::count([&] { store_kernel<float><<<2, 40>>>(out.data, 1, 0); });
    const lab::Traffic all = report.total(Space::global);
    CHECK(all.requests == 4);
    CHECK(all.lanes == 80);
    CHECK(all.sectors == 2 * (4 + 1));
    CHECK(report.kernels.at(0).warps == 4);
}

__global__ void add_kernel(int* sum, float* sums, int apart) {
    atomicAdd(sum, 1);
    atomicAdd(&sums[index() * apart], 1.0f);
}

TEST_CASE("atomics are requests like others, once for each lane") {
    DeviceArray<int> sum(1);
    DeviceArray<float> sums(kBlocks * kThreads * 8);
    for (const int apart : {1, 8}) {
        const lab::Report report =
            lab::count([&] { add_kernel<<<kBlocks, kThreads>>>(sum.data, sums.data, apart); });
        const lab::Traffic all = report.kernels.at(0).total(Space::global, Operation::atomic);
        CHECK(all.requests == kWarps * 2);
        CHECK(all.lanes == kWarps * 64);
        CHECK(all.sectors == kWarps * (1 + (apart == 1 ? 4 : 32)));
        CHECK(report.kernels.at(0).atomics == kWarps * 64);
    }
}

__global__ void hint_kernel(const float* in, float* out) { out[index()] = __ldg(&in[index()]); }

TEST_CASE("what a header does counts for the line that calls it") {
    DeviceArray<float> in(kBlocks * kThreads), out(kBlocks * kThreads);
    const lab::Report report =
        lab::count([&] { hint_kernel<<<kBlocks, kThreads>>>(in.data, out.data); });
    const lab::KernelReport& kernel = report.kernels.at(0);
    REQUIRE(kernel.rows.size() == 2);
    for (const lab::Row& row : kernel.rows) {
        CHECK(row.source.find("__ldg(&in[index()])") != std::string::npos);
        CHECK(row.file.find("global_test.cu") != std::string::npos);
    }
    CHECK(kernel.total(Space::global, Operation::load).sectors == kWarps * 4);
    CHECK(kernel.name.find("hint_kernel") != std::string::npos);
}

__device__ float table[kThreads];

__global__ void variable_kernel() { table[threadIdx.x] = 1.0f; }

TEST_CASE("a __device__ variable is global memory") {
    const lab::Report report = lab::count([&] { variable_kernel<<<1, kThreads>>>(); });
    CHECK(report.total(Space::global).requests == 2);
    CHECK(report.total(Space::global).lanes == 64);
}

TEST_CASE("launches of one kernel add up, and nothing else does") {
    DeviceArray<float> out(kBlocks * kThreads);
    const lab::Report report = lab::count([&] {
        for (int i = 0; i < 5; ++i) store_kernel<float><<<kBlocks, kThreads>>>(out.data, 1, 0);
        variable_kernel<<<1, kThreads>>>();
    });
    REQUIRE(report.kernels.size() == 2);
    CHECK(report.kernels[0].launches == 5);
    CHECK(report.kernels[0].blocks == 5 * kBlocks);
    CHECK(report.kernels[0].total(Space::global).requests == 5 * kWarps);
    CHECK(lab::count([] {}).kernels.empty());
}

}  // namespace
