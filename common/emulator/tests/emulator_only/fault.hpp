// Runs what goes wrong on purpose, and returns what the emulator said about it.
#pragma once

#include <cuda_runtime.h>

#include <doctest/doctest.h>
#include <emulator/report.hpp>
#include <emulator/settings.hpp>
#include <string>

namespace emulator_test {

/// Quiet, with a clean device before and after: what the test allocated is freed by the reset.
class CleanDevice {
  public:
    CleanDevice() {
        emulator::print_reports(false);
        reset();
    }
    CleanDevice(const CleanDevice&) = delete;
    ~CleanDevice() {
        reset();
        emulator::print_reports(true);
    }

  private:
    static void reset() {
        cudaDeviceReset();
        cudaGetLastError();
        emulator::clear_report();
        emulator::set_order(emulator::Order::forward);
        emulator::set_time_limit(10);
    }
};

/// Runs `body`, which launches a kernel that must fail; returns the report. Checks that CUDA's
/// calls return the report's error code, and that cudaDeviceReset() makes the device usable again.
template <class Body>
emulator::Report fault_of(Body body) {
    const CleanDevice clean;
    body();
    const cudaError_t status = cudaDeviceSynchronize();
    const emulator::Report report = emulator::last_report();
    CHECK(report.reason != emulator::Reason::none);
    CHECK(std::string(cudaGetErrorName(status)) == cudaGetErrorName(report.code));
    CHECK(status != cudaSuccess);
    // A kernel's fault stays until the device is reset.
    CHECK(cudaGetLastError() == status);
    CHECK(cudaDeviceSynchronize() == status);
    CHECK(cudaDeviceReset() == cudaSuccess);
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    return report;
}

/// Runs `body`, which makes one wrong call of the runtime; returns its report.
template <class Body>
emulator::Report report_of(Body body) {
    const CleanDevice clean;
    body();
    const emulator::Report report = emulator::last_report();
    CHECK(report.text.empty() == (report.reason == emulator::Reason::none));
    return report;
}

/// Device memory that cudaDeviceReset() frees, with every byte 0.
inline int* device_ints(std::size_t count) {
    int* d_pointer = nullptr;
    REQUIRE(cudaMalloc(&d_pointer, count * sizeof(int)) == cudaSuccess);
    REQUIRE(cudaMemset(d_pointer, 0, count * sizeof(int)) == cudaSuccess);
    return d_pointer;
}

inline std::string at(const char* file, int line) {
    return std::string(file) + ":" + std::to_string(line);
}

}  // namespace emulator_test

/// The report's text contains this text; if not, both are shown.
#define CHECK_SAYS(report, expected)                                   \
    do {                                                               \
        const std::string expected_text = (expected);                  \
        CAPTURE((report).text);                                        \
        CAPTURE(expected_text);                                        \
        CHECK((report).text.find(expected_text) != std::string::npos); \
    } while (false)
