// Copies of structs and of memory, constant memory, and atomic operations that wait for each other.
#include <cuda_runtime.h>
#include <doctest/doctest.h>

#include <cstdint>
#include <cstring>

#include "pattern.hpp"

namespace {

using lab::Operation;
using lab::Space;

// One block of two warps; what one warp does is the same in both.
constexpr int kThreads = 64;
constexpr std::uint64_t kWarps = 2;

struct ThreeDoubles {
    double x, y, z;
};
struct TwoDoubles {
    double x, y;
};
struct SixFloats {
    float at[6];
};
struct TwoVectors {
    float4 low, high;
};
struct Large {
    int at[100];
};

template <class T>
__global__ void copy_kernel(const T* from, T* to) {
    to[threadIdx.x] = from[threadIdx.x];
}

template <class T>
__device__ __noinline__ T same(T value) {
    return value;
}

/// The copy goes through a function, by value both ways.
template <class T>
__global__ void call_kernel(const T* from, T* to) {
    to[threadIdx.x] = same(from[threadIdx.x]);
}

struct Guard {
    int* count;
    __device__ ~Guard() { ++*count; }
};

/// The same next to an object with a destructor: a call that may throw ends its basic block.
template <class T>
__global__ void guarded_kernel(const T* from, T* to) {
    int count = 0;
    const Guard guard{&count};
    T (*volatile may_throw)(T) = same<T>;
    to[threadIdx.x] = may_throw(from[threadIdx.x]);
}

/// As a member of a larger struct, returned through two calls, and on both sides of a branch.
template <class T>
__global__ void nested_kernel(const T* from, T* to) {
    int count = 0;
    const Guard guard{&count};
    T (*volatile may_throw)(T) = same<T>;
    if (threadIdx.x % 2 == 0) {
        to[threadIdx.x] = may_throw(may_throw(from[threadIdx.x]));
    } else {
        const Guard other{&count};
        to[threadIdx.x] = may_throw(from[threadIdx.x]);
    }
}

template <class T, class Kernel>
lab::Report run_copy(Kernel kernel) {
    DeviceArray<T> from(kThreads), to(kThreads);
    return lab::count([&] { kernel<<<1, kThreads>>>(from.data, to.data); });
}

template <class T>
void check_copy(std::uint64_t requests, std::uint64_t sectors) {
    for (const lab::Report& report : {run_copy<T>(copy_kernel<T>), run_copy<T>(call_kernel<T>),
                                      run_copy<T>(guarded_kernel<T>)}) {
        for (const Operation operation : {Operation::load, Operation::store}) {
            const lab::Traffic all = report.kernels.at(0).total(Space::global, operation);
            CHECK(all.requests == kWarps * requests);
            CHECK(all.sectors == kWarps * sectors);
            CHECK(all.bytes == kThreads * sizeof(T));
        }
    }
}

#if defined(LAB_SEES_STRUCTS)
TEST_CASE("a struct is copied in pieces of its alignment, also by value") {
    check_copy<ThreeDoubles>(3, 72);
    check_copy<TwoDoubles>(2, 32);
    check_copy<SixFloats>(6, 144);
    check_copy<TwoVectors>(2, 64);
    check_copy<Large>(100, 3200);
}

TEST_CASE("no copy of a struct by value is missed in branches with destructors") {
    const lab::KernelReport report = run_copy<SixFloats>(nested_kernel<SixFloats>).kernels.at(0);
    for (const Operation operation : {Operation::load, Operation::store}) {
        CHECK(report.total(Space::global, operation).bytes == kThreads * sizeof(SixFloats));
    }
}
#endif

/// Thread 0 loads 8 words in straight-line code, 15 others one each, and one stores.
__global__ void shares_kernel(const int* from, int* to) {
    const unsigned t = threadIdx.x;
    if (t == 0) {
        *to = from[0] + from[1] + from[2] + from[3] + from[4] + from[5] + from[6] + from[7];
    } else if (t < 16) {
        atomicAdd(to + 1, 1);
    }
}

TEST_CASE("what the busiest thread loads, and how many threads load") {
    DeviceArray<int> from(kThreads), to(kThreads);
    const lab::Report report =
        lab::count([&] { shares_kernel<<<2, kThreads>>>(from.data, to.data); });
    const lab::KernelReport& kernel = report.kernels.at(0);
    CHECK(kernel.moved[lab::move_of(Space::global, Operation::load)].most == 32);
    CHECK(kernel.moved[lab::move_of(Space::global, Operation::load)].threads == 32);
    CHECK(kernel.moved[lab::move_of(Space::global, Operation::store)].most == 4);
    CHECK(kernel.moved[lab::move_of(Space::global, Operation::store)].threads == 32);
    CHECK(kernel.moved[lab::move_of(Space::shared, Operation::load)].threads == 0);
}

TEST_CASE("what is moved to and from the array that is followed") {
    DeviceArray<int> from(kThreads), to(kThreads);
    lab::follow(to.data, 2 * sizeof(int));
    const lab::KernelReport followed =
        lab::count([&] { shares_kernel<<<2, kThreads>>>(from.data, to.data); }).kernels.at(0);
    lab::follow(nullptr, 0);
    const lab::KernelReport none =
        lab::count([&] { shares_kernel<<<2, kThreads>>>(from.data, to.data); }).kernels.at(0);
    const lab::Moved load = followed.moved[lab::move_of_followed(Operation::load)];
    const lab::Moved store = followed.moved[lab::move_of_followed(Operation::store)];
    CHECK(load.most == 4);
    CHECK(load.threads == 2 * 15);  // those with an atomic operation
    CHECK(load.bytes == 2 * 15 * 4);
    CHECK(store.threads == 2 * 16);
    CHECK(store.bytes == 2 * 16 * 4);
    CHECK(none.moved[lab::move_of_followed(Operation::store)].bytes == 0);
    CHECK(none.moved[lab::move_of(Space::global, Operation::load)].bytes == 2 * (8 + 15) * 4);
}

__global__ void values_kernel() {
    __shared__ int left[kThreads];
    const int t = static_cast<int>(threadIdx.x);
    left[t] = 5 * __shfl_down_sync(~0u, t % 32 == 1 ? 100 : 0, 1);
}

TEST_CASE("what lanes give to shuffles, and what blocks leave in shared memory") {
    const lab::KernelReport kernel =
        lab::count([&] { values_kernel<<<3, kThreads>>>(); }).kernels.at(0);
    constexpr std::uint64_t kWarps = 3 * kThreads / 32;
    CHECK(kernel.shuffle_values == kWarps * 100 * 2);  // by lane 1, the second
    CHECK(kernel.left_in_shared == kWarps * 5 * 100);  // by lane 0
}

__global__ void states_kernel(int* out) {
    __shared__ int word[1];
    for (int k = 0; k < 4; ++k) {
        if (threadIdx.x == 0) word[0] = k / 2 + 5;  // 5, 5, 6, 6
        __syncthreads();
    }
    if (threadIdx.x == 0) out[1] = 10;
}

TEST_CASE("the states of memory at barriers: each different one, but not the first") {
    DeviceArray<int> out(2);
    const auto states = [&] {
        return lab::count([&] { states_kernel<<<1, kThreads>>>(out.data); }).kernels.at(0).states;
    };
    CHECK(states() == 0);  // nothing is followed
    lab::follow(out.data, 2 * sizeof(int));
    cudaMemset(out.data, 0, 2 * sizeof(int));
    CHECK(states() == 5 + 6 + 2 * 10);
    CHECK(states() == 5 + 6);  // it ends as it began
    lab::follow(nullptr, 0);
}

__global__ void heap_kernel(int* out, bool is_shared) {
    __shared__ int* given;
    int* const mine = new int[4];
    mine[0] = 0;
    if (threadIdx.x == 0) given = mine;
    __syncthreads();
    int* const used = is_shared ? given : mine;
    if (threadIdx.x == 1) used[0] = 7;
    if (threadIdx.x == 1) out[0] = used[0];
    __syncthreads();
    if (threadIdx.x == 0) out[0] = *given;  // its own, whether or not others have used it
    __syncthreads();
    delete[] mine;
}

TEST_CASE("what new gives a thread is its own: what another one does there is global memory") {
    DeviceArray<int> out(1);
    const auto loads = [&](bool is_shared) {
        const lab::Report report =
            lab::count([&] { heap_kernel<<<1, kThreads>>>(out.data, is_shared); });
        return report.kernels.at(0).total(Space::global, Operation::load).lanes;
    };
    CHECK(loads(false) == 0);
    CHECK(loads(true) == 2);
}

__global__ void memcpy_kernel(const char* from, char* to, int bytes) {
    __shared__ char staged[kThreads * 64];
    std::memcpy(&staged[threadIdx.x * 64], from + threadIdx.x * 64, bytes);
    std::memmove(to + threadIdx.x * 64, &staged[threadIdx.x * 64], bytes);
    std::memset(to + threadIdx.x * 64, 0, bytes);
}

TEST_CASE("memcpy, memmove and memset: bytes of a pointer, words of an array in shared memory") {
    DeviceArray<char> from(kThreads * 64), to(kThreads * 64);
    for (const int bytes : {0, 1, 3, 4, 12, 31, 32, 33, 64}) {
        const lab::Report report =
            lab::count([&] { memcpy_kernel<<<1, kThreads>>>(from.data, to.data, bytes); });
        const std::uint64_t words = bytes % 4 == 0 ? bytes / 4 : bytes;
        const lab::KernelReport& kernel = report.kernels.at(0);
        CHECK(kernel.total(Space::global, Operation::load).requests == kWarps * bytes);
        CHECK(kernel.total(Space::global, Operation::store).requests == kWarps * 2 * bytes);
        CHECK(kernel.total(Space::shared, Operation::store).requests == kWarps * words);
        CHECK(kernel.total(Space::shared, Operation::load).requests == kWarps * words);
        CHECK(kernel.total(Space::global).bytes ==
              std::uint64_t{3} * kThreads * static_cast<std::uint64_t>(bytes));
    }
}

#if defined(LAB_SEES_STRUCTS)  // by the same plugin
template <class T>
__global__ void memcpy_one_kernel(const T* from, T* to) {
    __shared__ T staged[kThreads];
    T item;
    std::memcpy(&item, from + threadIdx.x, sizeof item);
    std::memcpy(&staged[threadIdx.x], &item, sizeof item);
    __syncthreads();
    std::memcpy(&item, &staged[threadIdx.x ^ 1], sizeof item);
    std::memcpy(to + threadIdx.x, &item, sizeof item);
    unsigned char first;
    std::memcpy(&first, &item, 1);
    to[threadIdx.x] = first == 0 ? item : T{};
}

TEST_CASE_TEMPLATE("a memcpy of one access is one in shared memory only, and none of two variables",
                   T, char, short, int, double, float4) {
    DeviceArray<T> from(kThreads), to(kThreads);
    const lab::Report report =
        lab::count([&] { memcpy_one_kernel<T><<<1, kThreads>>>(from.data, to.data); });
    const lab::KernelReport& kernel = report.kernels.at(0);
    CHECK(kernel.total(Space::global, Operation::load).requests == kWarps * sizeof(T));
    CHECK(kernel.total(Space::global, Operation::store).requests == kWarps * (sizeof(T) + 1));
    CHECK(kernel.total(Space::shared, Operation::store).requests == kWarps);
    CHECK(kernel.total(Space::shared, Operation::load).requests == kWarps);
}
#endif

__constant__ float weights[32] = {1.0f};

template <class Index>
__global__ void constant_kernel(float* out, Index which) {
    out[threadIdx.x] = weights[which(static_cast<int>(threadIdx.x))];
}

struct One {
    __host__ __device__ int operator()(int) const { return 7; }
};
struct Four {
    __host__ __device__ int operator()(int t) const { return t % 4; }
};
struct Own {
    __host__ __device__ int operator()(int t) const { return t % 32; }
};

template <class Index>
void check_constant(std::uint64_t words) {
    DeviceArray<float> out(kThreads);
    const lab::Report report =
        lab::count([&] { constant_kernel<<<1, kThreads>>>(out.data, Index{}); });
    const lab::Traffic all = report.total(Space::constant);
    CHECK(all.requests == kWarps);
    CHECK(all.wavefronts == kWarps * words);
    CHECK(all.least_wavefronts == kWarps);
    CHECK(report.kernels.at(0).total(Space::global, Operation::load).requests == 0);
}

TEST_CASE("constant memory is no global traffic: one word after the other") {
    check_constant<One>(1);
    check_constant<Four>(4);
    check_constant<Own>(32);
}

__global__ void atomic_kernel(int* out, int words) { atomicAdd(&out[threadIdx.x % words], 1); }

TEST_CASE("atomic operations on one word take turns") {
    DeviceArray<int> out(kThreads);
    for (const int words : {1, 2, 16, 32}) {
        const lab::Report report = lab::count([&] {
            atomic_kernel<<<3, kThreads>>>(out.data, words);
            atomic_kernel<<<1, kThreads>>>(out.data, words);
        });
        const lab::Traffic all = report.total(Space::global);
        CHECK(all.turns == std::uint64_t{4} * kWarps * 32 / static_cast<std::uint64_t>(words));
        // The longer of the two launches' queues.
        CHECK(all.longest_queue == std::uint64_t{3} * kThreads / static_cast<std::uint64_t>(words));
    }
}

}  // namespace
