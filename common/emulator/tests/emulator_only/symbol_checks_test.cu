// Wrong copies to and from __device__ variables, managed, pinned and registered memory.
#include <cuda_runtime.h>

#include <cstdint>
#include <vector>

#include "../expect.hpp"
#include "fault.hpp"

using emulator_test::at;
using emulator_test::CleanDevice;
using emulator_test::device_ints;
using emulator_test::report_of;

__device__ int variable[10];

namespace {

__global__ void read_kernel(const int* numbers) {
    if (numbers[0] == 12345) __trap();
}

constexpr const char* kFile = "symbol_checks_test.cu";

}  // namespace

TEST_CASE("symbols: more than the variable holds") {
    std::vector<int> host(20);
    int line = 0;
    emulator::Report report = report_of([&] {
        line = __LINE__ + 1;
        const cudaError_t error = cudaMemcpyToSymbol(variable, host.data(), 40, 4);
        CHECK_ERROR(error, cudaErrorInvalidValue);
    });
    CHECK_SAYS(report, "cudaMemcpyToSymbol at " + at(kFile, line) +
                           ": 40 bytes at offset 4 do not fit into a variable of 40 bytes.");
    report = report_of([&] {
        line = __LINE__ + 1;
        const cudaError_t error = cudaMemcpyFromSymbol(host.data(), variable, 4, 40);
        CHECK_ERROR(error, cudaErrorInvalidValue);
    });
    CHECK_SAYS(report, "cudaMemcpyFromSymbol at " + at(kFile, line) +
                           ": a variable of 40 bytes does not have 4 bytes at offset 40.");
    report = report_of([&] {
        CHECK_ERROR(cudaMemcpyToSymbol(variable, host.data(), SIZE_MAX - 2, 4),
                    cudaErrorInvalidValue);
    });
    CHECK_SAYS(report, "do not fit");
    report = report_of([&] {
        void* d_variable = nullptr;
        REQUIRE(cudaGetSymbolAddress(&d_variable, variable) == cudaSuccess);
        CHECK_ERROR(cudaMemset(d_variable, 0, 41), cudaErrorInvalidValue);
    });
    CHECK_SAYS(report, "the __device__ variable variable of 40 bytes, go 1 byte beyond its end");
}

TEST_CASE("symbols: the wrong direction") {
    const CleanDevice clean;
    int item = 0;
    CHECK_ERROR(cudaMemcpyToSymbol(variable, &item, 4, 0, cudaMemcpyDeviceToHost),
                cudaErrorInvalidMemcpyDirection);
    CHECK_ERROR(cudaMemcpyFromSymbol(&item, variable, 4, 0, cudaMemcpyHostToDevice),
                cudaErrorInvalidMemcpyDirection);
    cudaGetLastError();
}

TEST_CASE("copies: a source that begins before its allocation") {
    std::vector<int> host(4);
    const emulator::Report report = report_of([&] {
        CHECK_ERROR(cudaMemcpy(host.data(), device_ints(4) - 2, 16, cudaMemcpyDeviceToHost),
                    cudaErrorInvalidValue);
    });
    CHECK_SAYS(report, "the source starts 8 bytes before the allocation of 16 bytes");
}

TEST_CASE("copies: sizes whose end wraps round") {
    std::vector<int> host(4);
    const emulator::Report report = report_of([&] {
        CHECK_ERROR(cudaMemcpy(host.data(), device_ints(4), SIZE_MAX - 8, cudaMemcpyDeviceToHost),
                    cudaErrorInvalidValue);
    });
    CHECK_SAYS(report, "beyond its end");
    CHECK_SAYS(report_of([] {
                   CHECK_ERROR(cudaMemset(device_ints(4), 0, SIZE_MAX - 8), cudaErrorInvalidValue);
               }),
               "beyond its end");
    CHECK_SAYS(report_of([&] {
                   CHECK_ERROR(cudaMemcpy2D(host.data(), 16, device_ints(4), SIZE_MAX / 2, 16, 5,
                                            cudaMemcpyDeviceToHost),
                               cudaErrorInvalidValue);
               }),
               "cudaMemcpy2D");
}

TEST_CASE("copies: a variable of the device by its name alone") {
    std::vector<int> host(10);
    emulator::Report report = report_of([&] {
        CHECK_ERROR(cudaMemcpy(variable, host.data(), 40, cudaMemcpyHostToDevice),
                    cudaErrorInvalidValue);
    });
    CHECK_SAYS(report, "the destination is the host's side of the variable variable");
    CHECK_SAYS(report, "cudaMemcpyToSymbol");
    report = report_of([&] {
        CHECK_ERROR(cudaMemcpy(host.data(), variable, 40, cudaMemcpyDeviceToHost),
                    cudaErrorInvalidValue);
    });
    CHECK_SAYS(report, "the source is the host's side of the variable variable");
    report = report_of([] {
        read_kernel<<<1, 1>>>(variable);
        CHECK_ERROR(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
    });
    CHECK_SAYS(report, "is a pointer to host memory, the variable variable.");
    CHECK_SAYS(report, "cudaGetSymbolAddress");
}

TEST_CASE("copies: registered memory is host memory as well") {
    std::vector<int> host(10);
    REQUIRE(cudaHostRegister(host.data(), 40, 0) == cudaSuccess);
    const emulator::Report report = report_of([&] {
        CHECK_ERROR(cudaMemcpy(host.data(), device_ints(10), 40, cudaMemcpyHostToHost),
                    cudaErrorInvalidValue);
    });
    CHECK_SAYS(report, "the source is device memory (the allocation of 40 bytes from cudaMalloc");
    CHECK_SAYS(report, "but the direction says host memory");
}

TEST_CASE("frees: memory whose red zone the host wrote to") {
    const emulator::Report report = report_of([] {
        char* pinned = nullptr;
        REQUIRE(cudaMallocHost(&pinned, 10) == cudaSuccess);
        pinned[12] = 1;
        CHECK_ERROR(cudaFreeHost(pinned), cudaErrorIllegalAddress);
    });
    CHECK(report.code == cudaErrorIllegalAddress);
    CHECK_SAYS(report,
               "out of bounds: something wrote 2 bytes past the end of the allocation of "
               "10 bytes from cudaMallocHost at ");
}

TEST_CASE("copies: rows that lie closer together than they are long") {
    emulator::Report report = report_of(
        [] { CHECK_ERROR(cudaMemset2D(device_ints(8), 12, 0, 16, 2), cudaErrorInvalidValue); });
    CHECK_SAYS(report, "rows of 16 bytes cannot be 12 bytes apart.");
    std::vector<int> host(8);
    report = report_of([&] {
        CHECK_ERROR(cudaMemcpy2D(host.data(), 16, device_ints(8), 8, 16, 2, cudaMemcpyDeviceToHost),
                    cudaErrorInvalidPitchValue);
    });
    CHECK_SAYS(report, "cudaMemcpy2D at ");
    CHECK_SAYS(report,
               "rows of 16 bytes cannot be 8 bytes apart. Is 8 a number of items? Then the "
               "pitch is 8 * 2 bytes.");
}

TEST_CASE("copies: a plane that does not fit, and host memory to fill") {
    emulator::Report report = report_of(
        [] { CHECK_ERROR(cudaMemset2D(device_ints(8), 16, 0, 16, 3), cudaErrorInvalidValue); });
    CHECK_SAYS(report, "cudaMemset2D of 48 bytes at ");
    CHECK(report.file == kFile);
    int item = 0;
    report = report_of([&] { CHECK_ERROR(cudaMemset(&item, 0, 4), cudaErrorInvalidValue); });
    CHECK_SAYS(report, "the destination is host memory");
}
