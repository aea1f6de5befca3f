#include "fiber.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <boost/context/preallocated.hpp>
#include <cstring>
#include <memory>
#include <new>
#include <utility>

#include "settings_internal.hpp"
#include "worker.hpp"

namespace cpu {
namespace {

/// Stacks are mapped and kept here, so Boost has nothing to allocate or free.
struct KeepStack {
    boost::context::stack_context allocate() { throw std::bad_alloc(); }
    void deallocate(boost::context::stack_context&) {}
};

/// Stacks with a guard page. Each takes two of the 65,530 mappings that Linux allows a process; the
/// stacks beyond lie side by side, as one mapping, so that a grid of very many threads can wait.
constexpr int kMostGuarded = 20000;
std::atomic<int> guarded_stacks{0};

}  // namespace

std::size_t stack_bytes() { return static_cast<std::size_t>(settings().stack_kilobytes) * 1024; }

Fiber::Fiber(std::size_t number, void (*body)()) : shift_(number % 15 * 256), body_(body) {
    const bool is_guarded = guarded_stacks.fetch_add(1) < kMostGuarded;
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
    forget(context);
    boost::context::stack_context stack;
    stack.sp = mapping_ + mapping_bytes_ - shift_;
    stack.size = mapping_bytes_ - guard_bytes_ - shift_;
    context = boost::context::fiber(std::allocator_arg,
                                    boost::context::preallocated(stack.sp, stack.size, stack),
                                    KeepStack{}, [body = body_](boost::context::fiber&& caller) {
                                        arrived_from(std::move(caller));
                                        body();
                                        return boost::context::fiber{};
                                    });
}

void Fiber::prefetch() const {
    // A suspended context is the address of its stack's top, which Boost.Context gives nobody.
    static_assert(sizeof context == sizeof(void*), "a context is one pointer");
    const char* top = nullptr;
    std::memcpy(&top, static_cast<const void*>(&context), sizeof top);
    for (int line = 0; line < 5; ++line) __builtin_prefetch(top + 64 * line, 1);
}

bool Fiber::guards(std::uintptr_t address) const {
    const std::uintptr_t begin = reinterpret_cast<std::uintptr_t>(mapping_);
    return address >= begin && address < begin + guard_bytes_;
}

bool Fiber::holds(std::uintptr_t address) const {
    return address - reinterpret_cast<std::uintptr_t>(mapping_) < mapping_bytes_;
}

void forget(boost::context::fiber& context) {
    if (!context) return;
    // Moved into memory that is never destroyed: the destructor would unwind a stack that may have
    // been left in the middle of anything.
    alignas(boost::context::fiber) unsigned char grave[sizeof(boost::context::fiber)];
    new (grave) boost::context::fiber(std::move(context));
}

}  // namespace cpu
