// malloc(), free(), new and delete in kernels. Source: CUDA C++ Programming Guide, "Dynamic Global
// Memory Allocation and Operations".
#include <cuda_runtime.h>

#include <doctest/doctest.h>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "../device_array.hpp"
#include "../expect.hpp"

using conformance::DeviceArray;

namespace {

struct Node {
    int value;
    Node* next;
    __device__ Node(int its_value, Node* its_next) : value(its_value), next(its_next) {}
};

struct Counted {
    int value = 7;
    int* destroyed = nullptr;
    __device__ ~Counted() {
        if (destroyed != nullptr) atomicAdd(destroyed, 1);
    }
};

__global__ void malloc_kernel(int* out) {
    int* const mine = static_cast<int*>(malloc(4 * sizeof(int)));
    if (mine == nullptr) return;
    for (int i = 0; i < 4; ++i) mine[i] = 10 * static_cast<int>(threadIdx.x) + i;
    out[threadIdx.x] = mine[3] + (reinterpret_cast<std::uintptr_t>(mine) % 16 == 0 ? 0 : 1000);
    free(mine);
    std::free(nullptr);
}

__host__ __device__ int sum_of_copy(const int* values, int n) {
    int* const copy = (int*)malloc(n * sizeof(int));
    int sum = 0;
    for (int i = 0; i < n; ++i) copy[i] = values[i];
    for (int i = 0; i < n; ++i) sum += copy[i];
    free(copy);
    return sum;
}
__global__ void both_sides_kernel(const int* values, int n, int* out) {
    *out = sum_of_copy(values, n);
}

__global__ void list_kernel(Node** list) {
    Node* first = nullptr;
    for (int i = 0; i < 5; ++i) first = new Node(i, first);
    *list = first;
}
__global__ void take_list_kernel(Node** list, int* out) {
    int digits = 0;
    for (Node* at = *list; at != nullptr;) {
        digits = 10 * digits + at->value;
        Node* const next = at->next;
        delete at;
        at = next;
    }
    *out = digits;
}

__global__ void arrays_kernel(int* out, int* destroyed) {
    Counted* const all = new Counted[3];
    int* const numbers = new int[2]{20, 30};
    for (int i = 0; i < 3; ++i) {
        out[i] = all[i].value;
        all[i].destroyed = destroyed;
    }
    out[3] = numbers[0] + numbers[1];
    int place = 0;
    int* const placed = new (&place) int(9);
    out[4] = *placed;
    delete[] numbers;
    delete[] all;
}

/// Far more than the heap holds in all, but freed memory can be allocated again.
__global__ void again_kernel(std::size_t bytes, int* given) {
    for (int i = 0; i < 100; ++i) {
        void* const large = malloc(bytes);
        if (large != nullptr) ++*given;
        free(large);
    }
}

__global__ void exhaust_kernel(std::size_t bytes, int* given) {
    void* all[64];
    for (int i = 0; i < 64; ++i) {
        all[i] = malloc(bytes);
        if (all[i] != nullptr) ++*given;
    }
    for (void* each : all) free(each);
}

}  // namespace

TEST_CASE("kernel heap: every thread has memory of its own") {
    DeviceArray<int> d_out(64);
    malloc_kernel<<<1, 64>>>(d_out.data());
    const std::vector<int> out = d_out.download();
    for (int i = 0; i < 64; ++i) CHECK(out[i] == 10 * i + 3);
}

TEST_CASE("kernel heap: a function of both sides takes memory of its side") {
    const std::vector<int> values{1, 2, 3, 4};
    CHECK(sum_of_copy(values.data(), 4) == 10);
    DeviceArray<int> d_values(values), d_out(1);
    both_sides_kernel<<<1, 1>>>(d_values.data(), 4, d_out.data());
    CHECK_SAME(d_out.download(), (std::vector<int>{10}));
}

TEST_CASE("kernel heap: what a kernel leaves there the next one finds") {
    DeviceArray<Node*> d_list(1);
    DeviceArray<int> d_out(1);
    list_kernel<<<1, 1>>>(d_list.data());
    take_list_kernel<<<1, 1>>>(d_list.data(), d_out.data());
    CHECK_SAME(d_out.download(), (std::vector<int>{43210}));
}

TEST_CASE("kernel heap: arrays of objects, and placement new") {
    DeviceArray<int> d_out(5), d_destroyed(std::vector<int>{0});
    arrays_kernel<<<1, 1>>>(d_out.data(), d_destroyed.data());
    CHECK_SAME(d_out.download(), (std::vector<int>{7, 7, 7, 50, 9}));
    CHECK_SAME(d_destroyed.download(), (std::vector<int>{3}));
}

TEST_CASE("kernel heap: it has a limit, and what was freed can be had again") {
    std::size_t bytes = 0;
    REQUIRE_OK(cudaDeviceGetLimit(&bytes, cudaLimitMallocHeapSize));
    CHECK(bytes >= std::size_t{8} << 20);
    DeviceArray<int> d_again(std::vector<int>{0}), d_given(std::vector<int>{0});
    again_kernel<<<1, 1>>>(bytes / 8, d_again.data());
    CHECK_SAME(d_again.download(), (std::vector<int>{100}));
    exhaust_kernel<<<1, 1>>>(bytes / 8, d_given.data());
    const int given = d_given.download()[0];
    CHECK(given >= 1);
    CHECK(given < 64);
    again_kernel<<<1, 1>>>(bytes / 8, d_again.data());
    CHECK_SAME(d_again.download(), (std::vector<int>{200}));
}
