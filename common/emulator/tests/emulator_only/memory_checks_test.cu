// Poison, red zones, wrong pointers, wrong copies, wrong frees.
#include <cuda_runtime.h>

#include <cmath>
#include <vector>

#include "../device_array.hpp"
#include "../expect.hpp"
#include "fault.hpp"

using conformance::DeviceArray;
using emulator_test::at;
using emulator_test::CleanDevice;
using emulator_test::device_ints;
using emulator_test::fault_of;
using emulator_test::report_of;

namespace {

constexpr const char* kFile = "memory_checks_test.cu";

__global__ void write_kernel(int* data, int index) { data[index] = 1; }
__global__ void copy_kernel(const int* from, int* to, int index) { *to = from[index]; }
__global__ void write_byte_kernel(unsigned char* data, int index) { data[index] = 7; }

constexpr int kSharedLine = __LINE__ + 2;
__global__ void shared_kernel(int* out, int index) {
    __shared__ int keys[33];
    keys[threadIdx.x] = threadIdx.x;
    if (threadIdx.x == 0) keys[index] = 5;
    __syncthreads();  // keys is complete
    out[threadIdx.x] = keys[31 - threadIdx.x];
}

__global__ void two_shared_kernel(int* out, int index) {
    __shared__ int first[4];
    __shared__ int second[4];
    first[threadIdx.x] = second[threadIdx.x] = 0;
    __syncthreads();                          // both are complete
    if (threadIdx.x == 0) second[index] = 9;  // before the start of second, past the end of first
    __syncthreads();                          // the wrong store has happened
    out[threadIdx.x] = first[threadIdx.x] + second[threadIdx.x];
}

constexpr int kDynamicLine = __LINE__ + 2;
__global__ void dynamic_kernel(int* out, int index) {
    extern __shared__ int tail[];
    tail[threadIdx.x] = 0;
    if (threadIdx.x == 0) tail[index] = 5;
    __syncthreads();  // tail is complete
    out[threadIdx.x] = tail[threadIdx.x];
}

__global__ void endless_store_kernel(int* out, unsigned end) {
    __shared__ int keys[256];
    for (unsigned i = threadIdx.x; i < end; i += blockDim.x) keys[i] = 5;
    out[0] = keys[0];
}

__global__ void poison_kernel(unsigned* shared_values, float* shared_floats, unsigned* dynamic) {
    __shared__ unsigned s[64];
    __shared__ float f[64];
    extern __shared__ unsigned d[];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    shared_values[i] = s[threadIdx.x];
    shared_floats[i] = f[threadIdx.x];
    dynamic[i] = d[threadIdx.x];
    __syncthreads();  // the fresh values are read
    s[threadIdx.x] = d[threadIdx.x] = 1;
    f[threadIdx.x] = 1;
}

__global__ void two_pointers_kernel(int* d_first, const int* second) { *d_first = *second; }

}  // namespace

TEST_CASE("poison: fresh device memory is all ones: -1, and not a number") {
    const CleanDevice clean;
    unsigned* d_words = nullptr;
    REQUIRE(cudaMalloc(&d_words, 1000 * sizeof(unsigned)) == cudaSuccess);
    std::vector<unsigned> words(1000);
    REQUIRE(cudaMemcpy(words.data(), d_words, 4000, cudaMemcpyDeviceToHost) == cudaSuccess);
    CHECK_SAME(words, std::vector<unsigned>(1000, 0xffffffffu));
    // Memory that was used before is poisoned again.
    REQUIRE(cudaMemset(d_words, 0, 4000) == cudaSuccess);
    REQUIRE(cudaFree(d_words) == cudaSuccess);
    REQUIRE(cudaMalloc(&d_words, 1000 * sizeof(unsigned)) == cudaSuccess);
    REQUIRE(cudaMemcpy(words.data(), d_words, 4000, cudaMemcpyDeviceToHost) == cudaSuccess);
    CHECK_SAME(words, std::vector<unsigned>(1000, 0xffffffffu));
}

TEST_CASE("poison: every block finds fresh shared memory") {
    const CleanDevice clean;
    const int blocks = 20, n = 64 * blocks;
    DeviceArray<unsigned> d_shared(n), d_dynamic(n);
    DeviceArray<float> d_floats(n);
    poison_kernel<<<blocks, 64, 64 * sizeof(unsigned)>>>(d_shared.data(), d_floats.data(),
                                                         d_dynamic.data());
    CHECK_SAME(d_shared.download(), std::vector<unsigned>(n, 0xffffffffu));
    CHECK_SAME(d_dynamic.download(), std::vector<unsigned>(n, 0xffffffffu));
    int numbers = 0;
    for (const float value : d_floats.download()) numbers += !std::isnan(value);
    CHECK(numbers == 0);
}

TEST_CASE("red zones: a store past an allocation") {
    int line = 0;
    const emulator::Report report = fault_of([&] {
        int* d_data = nullptr;
        line = __LINE__ + 1;
        cudaMalloc(&d_data, 100 * sizeof(int));
        write_kernel<<<1, 1>>>(d_data, 100);
    });
    CHECK(report.code == cudaErrorIllegalAddress);
    CHECK_SAYS(report, "write_kernel");
    CHECK_SAYS(report, "400 bytes");
    CHECK_SAYS(report, at(kFile, line));
    CHECK_SAYS(report, "past the end");
}

TEST_CASE("red zones: one byte past an allocation of odd size, and one before it") {
    for (const int index : {101, -1}) {
        CAPTURE(index);
        const emulator::Report report = fault_of([&] {
            unsigned char* d_data = nullptr;
            cudaMalloc(&d_data, 101);
            write_byte_kernel<<<1, 1>>>(d_data, index);
        });
        CHECK(report.code == cudaErrorIllegalAddress);
        CHECK_SAYS(report, "101 bytes");
        CHECK_SAYS(report, index < 0 ? "before" : "past the end");
    }
}

TEST_CASE("red zones: no report where all stores are inside") {
    const CleanDevice clean;
    unsigned char* d_data = nullptr;
    REQUIRE(cudaMalloc(&d_data, 101) == cudaSuccess);
    write_byte_kernel<<<1, 1>>>(d_data, 100);
    write_byte_kernel<<<1, 1>>>(d_data, 0);
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    CHECK(emulator::last_report().text.empty());
    CHECK(cudaFree(d_data) == cudaSuccess);
}

TEST_CASE("red zones: a store past the end of a shared array") {
    const emulator::Report report = fault_of([] { shared_kernel<<<1, 32>>>(device_ints(32), 33); });
    CHECK(report.code == cudaErrorIllegalAddress);
    CHECK(report.file == kFile);
    CHECK(report.line == kSharedLine + 0);
    CHECK_SAYS(report, "out of bounds in kernel ");
    CHECK_SAYS(report, "shared variable keys (132 bytes, " + at(kFile, kSharedLine) + ")");
    const emulator::Report inside =
        report_of([] { shared_kernel<<<1, 32>>>(device_ints(32), 32); });
    CHECK(inside.text.empty());
}

TEST_CASE("red zones: a store before a shared array is found after the array before it") {
    const emulator::Report report =
        fault_of([] { two_shared_kernel<<<1, 4>>>(device_ints(4), -1); });
    CHECK(report.code == cudaErrorIllegalAddress);
    CHECK_SAYS(report, "shared variable first (16 bytes");
}

TEST_CASE("red zones: a store before the first shared array") {
    const emulator::Report report = fault_of([] { shared_kernel<<<1, 32>>>(device_ints(32), -2); });
    CHECK(report.code == cudaErrorIllegalAddress);
    CHECK_SAYS(report,
               "something wrote 5 bytes before the start of shared variable keys (132 bytes");
}

TEST_CASE("shared memory: an index far below 0 harms nothing else") {
    const emulator::Report near =
        report_of([] { shared_kernel<<<1, 32>>>(device_ints(32), -16384); });
    CHECK(near.text.empty());  // beyond the red zone, where nothing is
    const emulator::Report far =
        fault_of([] { shared_kernel<<<1, 32>>>(device_ints(32), -16385); });
    CHECK(far.code == cudaErrorIllegalAddress);
    CHECK_SAYS(far, "far before the block's shared memory");
}

TEST_CASE("red zones: a store past the end of dynamic shared memory") {
    const emulator::Report report =
        fault_of([] { dynamic_kernel<<<1, 8, 8 * sizeof(int)>>>(device_ints(8), 8); });
    CHECK(report.code == cudaErrorIllegalAddress);
    CHECK_SAYS(report, "shared variable tail (32 bytes, " + at(kFile, kDynamicLine) + ")");
}

TEST_CASE("shared memory: a loop that stores far past it ends there, and harms nothing else") {
    const emulator::Report report =
        fault_of([] { endless_store_kernel<<<1, 256>>>(device_ints(1), 1u << 30); });
    CHECK(report.code == cudaErrorIllegalAddress);
    CHECK_SAYS(report, "in kernel endless_store_kernel, block (0,0,0), thread (0,0,0)");
    CHECK_SAYS(report, "far past the arrays in the block's shared memory");
}

TEST_CASE("pointers: null") {
    const emulator::Report report = fault_of([] { write_kernel<<<1, 1>>>(nullptr, 0); });
    CHECK(report.code == cudaErrorIllegalAddress);
    CHECK_SAYS(report, "illegal address 0x0 in kernel ");
    CHECK_SAYS(report, "block (0,0,0), thread (0,0,0)");
}

TEST_CASE("pointers: host memory given to a kernel") {
    std::vector<int> on_heap(10);
    int on_stack[10] = {};
    const int* const host_pointers[] = {on_heap.data(), on_stack};
    for (const int* host : host_pointers) {
        int line = 0;
        const emulator::Report report = fault_of([&] {
            int* d_data = device_ints(1);
            line = __LINE__ + 1;
            two_pointers_kernel<<<1, 1>>>(d_data, host);
        });
        CHECK(report.code == cudaErrorIllegalAddress);
        CHECK(report.line == line);
        CHECK_SAYS(report, "argument 2 of kernel ");
        CHECK_SAYS(report, "two_pointers_kernel");
        CHECK_SAYS(report, "host");
        CHECK_SAYS(report, at(kFile, line));
    }
}

TEST_CASE("pointers: memory that was freed") {
    const emulator::Report report = fault_of([] {
        int* d_data = device_ints(10);
        int* d_out = device_ints(1);
        cudaFree(d_data);
        copy_kernel<<<1, 1>>>(d_data, d_out, 3);
    });
    CHECK(report.code == cudaErrorIllegalAddress);
    CHECK_SAYS(report, "freed");
}

TEST_CASE("pointers: far outside of every allocation") {
    const emulator::Report report = fault_of([] {
        int* d_out = device_ints(1);
        copy_kernel<<<1, 1>>>(device_ints(10), d_out, 1 << 30);
    });
    CHECK(report.code == cudaErrorIllegalAddress);
    CHECK_SAYS(report, "illegal address 0x");
    CHECK_SAYS(report, "copy_kernel");
}

TEST_CASE("copies: the wrong direction") {
    std::vector<int> host(10);
    int line = 0;
    const emulator::Report report = report_of([&] {
        int* d_data = device_ints(10);
        line = __LINE__ + 1;
        const cudaError_t error = cudaMemcpy(host.data(), d_data, 40, cudaMemcpyHostToDevice);
        CHECK_ERROR(error, cudaErrorInvalidValue);
        CHECK_ERROR(cudaGetLastError(), cudaErrorInvalidValue);
    });
    CHECK(report.code == cudaErrorInvalidValue);
    CHECK(report.file == kFile);
    CHECK(report.line == line);
    CHECK_SAYS(report, "cudaMemcpy of 40 bytes at " + at(kFile, line) +
                           ": the destination is host memory, but the direction says device "
                           "memory");
}

TEST_CASE("copies: more than the allocation holds") {
    std::vector<int> host(20);
    const emulator::Report report = report_of([&] {
        int* d_data = device_ints(10);
        CHECK_ERROR(cudaMemcpy(d_data + 2, host.data(), 40, cudaMemcpyHostToDevice),
                    cudaErrorInvalidValue);
    });
    CHECK_SAYS(report, "cudaMemcpy of 40 bytes at memory_checks_test.cu:");
    CHECK_SAYS(report, "40 bytes from byte 8 of the destination, ");
    CHECK_SAYS(report, "go 8 bytes beyond its end");
    CHECK(report.file == kFile);
}

TEST_CASE("copies of rows: more than the allocation holds") {
    std::vector<int> host(640);
    const emulator::Report report = report_of([&] {
        int* d_data = device_ints(640);
        CHECK_ERROR(cudaMemcpy2D(d_data, 160, host.data(), 160, 64, 40, cudaMemcpyHostToDevice),
                    cudaErrorInvalidValue);
    });
    CHECK_SAYS(report, "go 3744 bytes beyond its end");
    CHECK_SAYS(report, "It copies 40 rows of 64 bytes each, 160 bytes apart in the destination");
}

TEST_CASE("copies: a fill of more than the allocation holds") {
    int line = 0;
    const emulator::Report report = report_of([&] {
        int* d_data = device_ints(10);
        line = __LINE__ + 1;
        CHECK_ERROR(cudaMemset(d_data, 0, 41), cudaErrorInvalidValue);
    });
    CHECK_SAYS(report, "cudaMemset");
    CHECK_SAYS(report, "41 bytes");
    CHECK(report.line == line);
}

TEST_CASE("copies: null and freed pointers") {
    int item = 0;
    emulator::Report report = report_of([&] {
        CHECK_ERROR(cudaMemcpy(&item, nullptr, 4, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
    });
    CHECK(report.file == kFile);
    CHECK(!report.text.empty());
    report = report_of([&] {
        int* d_data = device_ints(1);
        cudaFree(d_data);
        CHECK_ERROR(cudaMemcpy(&item, d_data, 4, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
    });
    CHECK_SAYS(report, "freed");
}

TEST_CASE("frees: twice") {
    int line = 0;
    const emulator::Report report = report_of([&] {
        int* d_data = device_ints(1);
        CHECK_ERROR(cudaFree(d_data), cudaSuccess);
        line = __LINE__ + 1;
        CHECK_ERROR(cudaFree(d_data), cudaErrorInvalidValue);
    });
    CHECK_SAYS(report,
               "cudaFree at " + at(kFile, line) +
                   ": freed twice: the allocation of 4 bytes from cudaMalloc at fault.hpp:");
    CHECK_SAYS(report, " was freed at " + at(kFile, line - 2) + ".");
    CHECK(report.file == kFile);
    CHECK(report.line == line);
}

TEST_CASE("frees: the middle of an allocation, host memory, the wrong function") {
    int local = 0;
    emulator::Report report =
        report_of([&] { CHECK_ERROR(cudaFree(device_ints(10) + 1), cudaErrorInvalidValue); });
    CHECK(report.file == kFile);
    CHECK_SAYS(report,
               "the pointer is 4 bytes into the allocation of 40 bytes from cudaMalloc at ");
    CHECK_SAYS(report, "; only its start can be freed.");
    report = report_of([&] { CHECK_ERROR(cudaFree(&local), cudaErrorInvalidValue); });
    CHECK_SAYS(report, "the pointer does not come from cudaMalloc.");
    report = report_of([&] { CHECK_ERROR(cudaFreeHost(&local), cudaErrorInvalidValue); });
    CHECK_SAYS(report, "the pointer does not come from cudaMallocHost.");
    report = report_of([&] { CHECK_ERROR(cudaFreeHost(device_ints(10)), cudaErrorInvalidValue); });
    CHECK_SAYS(report, "cudaFreeHost at ");
    CHECK_SAYS(report, "the allocation of 40 bytes from cudaMalloc at ");
    CHECK_SAYS(report, " needs cudaFree.");
    report = report_of([&] {
        int* pinned = nullptr;
        REQUIRE(cudaMallocHost(&pinned, 40) == cudaSuccess);
        CHECK_ERROR(cudaFree(pinned), cudaErrorInvalidValue);
    });
    CHECK_SAYS(report, " needs cudaFreeHost.");
}

TEST_CASE("frees: what is left is a leak, with its size and place") {
    const CleanDevice clean;
    CHECK(emulator::leaks().empty());
    int *d_data = nullptr, *pinned = nullptr;
    const int line = __LINE__ + 1;
    REQUIRE(cudaMalloc(&d_data, 123 * sizeof(int)) == cudaSuccess);
    REQUIRE(cudaMallocHost(&pinned, 8) == cudaSuccess);
    const std::vector<emulator::Leak> found = emulator::leaks();
    REQUIRE(found.size() == 2);
    CHECK(found[0].text == "not freed: 492 bytes from cudaMalloc at " + at(kFile, line));
    CHECK(std::string(found[0].free_call) == "cudaFree");
    CHECK(std::string(found[1].free_call) == "cudaFreeHost");
    REQUIRE(cudaFree(d_data) == cudaSuccess);
    REQUIRE(cudaFreeHost(pinned) == cudaSuccess);
    CHECK(emulator::leaks().empty());
}

TEST_CASE("allocations: too much names what was asked for and what there is") {
    int* d_data = nullptr;
    const emulator::Report report = report_of(
        [&] { CHECK_ERROR(cudaMalloc(&d_data, std::size_t(1) << 50), cudaErrorMemoryAllocation); });
    CHECK(d_data == nullptr);
    CHECK(report.code == cudaErrorMemoryAllocation);
    CHECK_SAYS(report, "1125899906842624 bytes needed, ");
    CHECK_SAYS(report, " bytes free.");
    CHECK(report.file == kFile);
}
