#include <cstdint>

#include "emulator/barrier.hpp"
#include "worker.hpp"

namespace emulator {

void note_atomic_load(const void* address, std::uint64_t bits, Site site) {
    static thread_local const void* last_address = nullptr;
    static thread_local std::uint64_t last_bits = 0;
    static thread_local const Thread* last_thread = nullptr;
    if (this_worker == nullptr || this_worker->thread == nullptr) return;  // on the host
    const Thread* const self = this_worker->thread;
    const bool is_again = last_address == address && last_bits == bits && last_thread == self;
    last_address = address;
    last_bits = bits;
    last_thread = self;
    if (is_again) give_way(0, site);
}

}  // namespace emulator
