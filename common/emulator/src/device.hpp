// The modelled device: limits of compute capability 9.0.
#pragma once

#include <cstddef>

namespace cpu {

constexpr int kMaxThreadsPerBlock = 1024;
constexpr int kMaxBlockX = 1024, kMaxBlockY = 1024, kMaxBlockZ = 64;
constexpr unsigned kMaxGridX = 2147483647u, kMaxGridYZ = 65535u;
constexpr int kMaxThreadsPerMultiprocessor = 2048;
constexpr int kMaxBlocksPerMultiprocessor = 32;
constexpr std::size_t kStaticSharedBytes = 48 * 1024;
constexpr std::size_t kSharedBytesPerBlock = 227 * 1024;
constexpr std::size_t kSharedBytesPerMultiprocessor = 228 * 1024;
constexpr std::size_t kReservedSharedBytes = 1024;  // of each block, by the system
constexpr std::size_t kConstantBytes = 64 * 1024;
constexpr int kRegistersPerMultiprocessor = 65536;

int multiprocessors();

/// Blocks that one multiprocessor holds at once.
int blocks_per_multiprocessor(int threads, std::size_t shared_bytes);

}  // namespace cpu
