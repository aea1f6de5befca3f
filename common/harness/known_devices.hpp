// Limits of common GPUs, for tests that go through them: does every launch fit?
#pragma once

#include <cstddef>
#include <vector>

#include "device_info.hpp"

namespace tutorial {

/// From Turing (compute capability 7.5) to Blackwell (12.0). Sources: for threads, blocks and
/// shared memory the table "Technical Specifications per Compute Capability" of NVIDIA's CUDA C++
/// Programming Guide; for multiprocessors and L2 caches NVIDIA's white papers on the Turing, A100,
/// GA102, Ada, Hopper and Blackwell architectures and the data sheets of the boards.
inline const std::vector<DeviceInfo>& known_devices() {
    constexpr std::size_t kKiB = 1024;
    struct Limits {  // of a compute capability
        int major, minor;
        std::size_t shared_per_block, shared_per_sm, shared_reserved;
        int threads_per_sm, blocks_per_sm;
    };
    constexpr Limits k75 = {7, 5, 64 * kKiB, 64 * kKiB, 0, 1024, 16};
    constexpr Limits k80 = {8, 0, 163 * kKiB, 164 * kKiB, kKiB, 2048, 32};
    constexpr Limits k86 = {8, 6, 99 * kKiB, 100 * kKiB, kKiB, 1536, 16};
    constexpr Limits k89 = {8, 9, 99 * kKiB, 100 * kKiB, kKiB, 1536, 24};
    constexpr Limits k90 = {9, 0, 227 * kKiB, 228 * kKiB, kKiB, 2048, 32};
    constexpr Limits k100 = {10, 0, 227 * kKiB, 228 * kKiB, kKiB, 2048, 32};
    constexpr Limits k120 = {12, 0, 99 * kKiB, 100 * kKiB, kKiB, 1536, 24};
    const auto device = [](const char* name, const Limits& limits, int sms, std::size_t l2_mib) {
        DeviceInfo info;
        info.name = name;
        info.sm_count = sms;
        info.l2_bytes = l2_mib * kKiB * kKiB;
        info.compute_major = limits.major;
        info.compute_minor = limits.minor;
        info.shared_per_block = limits.shared_per_block;
        info.shared_per_sm = limits.shared_per_sm;
        info.shared_reserved = limits.shared_reserved;
        info.threads_per_sm = limits.threads_per_sm;
        info.blocks_per_sm = limits.blocks_per_sm;
        return info;
    };
    static const std::vector<DeviceInfo> devices = {
        device("RTX 2060", k75, 30, 3),   device("T4", k75, 40, 4),
        device("A100", k80, 108, 40),     device("RTX 3060", k86, 28, 3),
        device("A10", k86, 72, 6),        device("RTX 4060", k89, 24, 24),
        device("RTX 4090", k89, 128, 72), device("H100", k90, 132, 50),
        device("H200", k90, 132, 50),     device("B200", k100, 148, 126),
        device("RTX 5090", k120, 170, 96)};
    return devices;
}

}  // namespace tutorial
