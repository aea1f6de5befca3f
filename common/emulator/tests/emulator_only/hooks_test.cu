// What the hooks report to a tool that watches kernels.
#include <cuda_runtime.h>

#include <algorithm>
#include <atomic>
#include <emulator/hooks.hpp>
#include <vector>

#include "../device_array.hpp"
#include "fault.hpp"

using conformance::DeviceArray;
using emulator_test::CleanDevice;

namespace {

__global__ void watched_kernel(int* out) {
    __shared__ int s[64];
    s[threadIdx.x] = int(threadIdx.x);
    __syncthreads();  // s is complete
    const int value = __shfl_xor_sync(0xffffffffu, s[63 - threadIdx.x], 1);
    out[blockIdx.x * blockDim.x + threadIdx.x] = value;
}

struct Recorder : emulator::Observer {
    std::atomic<int> launches{0}, ended{0}, blocks{0}, blocks_ended{0}, barriers{0}, warps{0};
    cudaError_t result = cudaErrorUnknown;
    void launch_begins(const emulator::KernelSite&, const emulator::LaunchShape&) override {
        ++launches;
    }
    void launch_ends(cudaError_t its_result) override {
        ++ended;
        result = its_result;
    }
    void block_begins(std::uint64_t) override { ++blocks; }
    void block_ends(std::uint64_t) override { ++blocks_ended; }
    void barrier_passed(std::uint64_t, emulator::Site) override { ++barriers; }
    void warp_passed(std::uint64_t, int, unsigned lanes, emulator::Site) override {
        if (lanes == 0xffffffffu) ++warps;
    }
};

struct PassesOn : emulator::Observer {
    explicit PassesOn(Observer& to) { next = &to; }
};

}  // namespace

TEST_CASE("hooks: launches, blocks, barriers and warp collectives are told to an observer") {
    const CleanDevice clean;
    DeviceArray<int> d_out(5 * 64);
    Recorder recorder;
    PassesOn before(recorder);
    emulator::Observer* observer = &recorder;
    SUBCASE("directly") {}
    SUBCASE("by an observer before it, which overrides nothing") { observer = &before; }
    emulator::set_observer(observer);
    watched_kernel<<<5, 64>>>(d_out.data());
    emulator::set_observer(nullptr);
    watched_kernel<<<5, 64>>>(d_out.data());  // no longer watched
    CHECK(recorder.launches == 1);
    CHECK(recorder.ended == 1);
    CHECK(recorder.result == cudaSuccess);
    CHECK(recorder.blocks == 5);
    CHECK(recorder.blocks_ended == 5);
    CHECK(recorder.barriers == 5);
    CHECK(recorder.warps == 10);
    CHECK(d_out.download()[0] == 62);
}

TEST_CASE("hooks: live device memory") {
    const CleanDevice clean;
    int* d_data = nullptr;
    const int line = __LINE__ + 1;
    REQUIRE(cudaMalloc(&d_data, 400) == cudaSuccess);
    const std::vector<emulator::Extent> extents = emulator::device_extents();
    const auto found = std::find_if(extents.begin(), extents.end(), [&](const emulator::Extent& e) {
        return e.begin == static_cast<const void*>(d_data);
    });
    REQUIRE(found != extents.end());
    CHECK(found->bytes == 400);
    CHECK(found->site.line == line);
    REQUIRE(cudaFree(d_data) == cudaSuccess);
    for (const emulator::Extent& extent : emulator::device_extents())
        CHECK(extent.begin != static_cast<const void*>(d_data));
}
