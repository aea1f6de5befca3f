#include "fiber.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <new>

#include "settings_internal.hpp"
#include "worker.hpp"

namespace emulator {
namespace {

/// Stacks with a guard page. Each takes two of the 65,530 mappings that Linux allows a process;
/// further stacks lie side by side in one mapping, so that a grid of a million threads can wait.
constexpr int kMaxGuarded = 20000;
std::atomic<int> guarded_stacks{0};
std::atomic<std::size_t> wanted_bytes{0};  ///< by cudaDeviceSetLimit

}  // namespace

std::size_t stack_bytes() {
    return std::max(wanted_bytes.load(),
                    static_cast<std::size_t>(settings().stack_kilobytes) * 1024);
}

bool set_stack_bytes(std::size_t bytes) {
    constexpr std::size_t kPage = 4096;
    if (bytes <= stack_bytes()) return true;
    if (guarded_stacks.load() != 0) return false;
    wanted_bytes = (bytes + kPage - 1) / kPage * kPage;
    return true;
}

Fiber::Fiber(std::size_t number, void (*body)(boost::context::detail::transfer_t))
    : shift_(number % 15 * 256), body_(body) {
    const bool is_guarded = guarded_stacks.fetch_add(1) < kMaxGuarded;
    guard_bytes_ = is_guarded ? static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) : 0;
    mapping_bytes_ = guard_bytes_ + stack_bytes();
    void* const mapping = mmap(nullptr, mapping_bytes_, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapping == MAP_FAILED) throw std::bad_alloc();
    mapping_ = static_cast<std::byte*>(mapping);
    if (is_guarded && mprotect(mapping_, guard_bytes_, PROT_NONE) != 0) throw std::bad_alloc();
    renew();
}

void Fiber::renew() {
    std::byte* const top = mapping_ + mapping_bytes_ - shift_;
    context = boost::context::detail::make_fcontext(
        top, static_cast<std::size_t>(top - mapping_) - guard_bytes_, body_);
}

bool Fiber::guards(std::uintptr_t address) const {
    const std::uintptr_t begin = reinterpret_cast<std::uintptr_t>(mapping_);
    return address >= begin && address < begin + guard_bytes_;
}

}  // namespace emulator
