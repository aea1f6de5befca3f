// What is known about each kernel: the attributes set for it, the shared memory it has used.
#pragma once

#include <cstddef>

#include "device.hpp"
#include "emulator/kernel.hpp"

namespace emulator {

struct KernelInfo {
    /// Set by cudaFuncSetAttribute; before that, what the static variables leave of 48 KB.
    std::size_t max_dynamic_bytes = kStaticSharedBytes;
    bool is_max_dynamic_set = false;  ///< by cudaFuncSetAttribute
    std::size_t static_bytes = 0;     ///< declared in it, or more if a block has used more
    int preferred_carveout = -1;
    int max_threads = kMaxThreadsPerBlock;  ///< less with __launch_bounds__
    bool identified = false;                ///< it was called up to its first statement
};

/// Calls the kernel up to its first statement, if its address is not known yet or nothing is known
/// about it. False: the kernel does not have that statement, as its file was not rewritten.
bool identify(const KernelCall& call);

/// By the kernel's address; an unknown kernel, or null, has the defaults.
KernelInfo kernel_info(const void* kernel);

/// Where the program has last given a kernel more dynamic shared memory; no file: nowhere.
Site last_shared_attribute();

void note_static_bytes(const void* kernel, std::size_t bytes);

}  // namespace emulator
