// Boost.Context's two functions. WebAssembly keeps return addresses and local values where no
// program can reach them. binaryen's asyncify lets functions write theirs to memory and return
// ("unwind"), and later be called again and continue where they were ("rewind").
//
// main() calls jump_fcontext: emulator_run_fibers() runs fibers until one jumps back to main(). A
// fiber that jumps unwinds to that loop, which rewinds the other one. The browser lab's JavaScript
// is between main() and the loop (traps.hpp).
#include <boost/context/detail/fcontext.hpp>

#include <cstdint>
#include <cstdlib>

#include "traps.hpp"

#define FROM_ASYNCIFY(name) __attribute__((import_module("asyncify"), import_name(name)))

extern "C" {
FROM_ASYNCIFY("start_unwind") void asyncify_start_unwind(void*);
FROM_ASYNCIFY("stop_unwind") void asyncify_stop_unwind();
FROM_ASYNCIFY("start_rewind") void asyncify_start_rewind(void*);
FROM_ASYNCIFY("stop_rewind") void asyncify_stop_rewind();
// stack.s
char* wasm_stack();
void wasm_set_stack(char*);
}

namespace boost::context::detail {
namespace {

/// asyncify knows the first two members: how far it has written, and how far it may write.
struct Fiber {
    char *at, *end;
    char* begin;  ///< of what it writes
    char* stack;  ///< the C++ stack's top
    void (*body)(transfer_t);
    bool is_fresh;
};

constexpr std::size_t kUnwoundBytes = 4096;  ///< for a fiber's return addresses and local values

Fiber main_fiber;
Fiber* running = &main_fiber;
Fiber* from = nullptr;
Fiber* next = nullptr;
bool is_rewinding = false;

/// Starts or continues `next`. Returns when it has unwound.
__attribute__((noinline)) void step() {
    Fiber& fiber = *next;
    running = &fiber;
    wasm_set_stack(fiber.stack);
    if (fiber.is_fresh) {
        fiber.is_fresh = false;
        fiber.body({from, nullptr});
    } else {
        is_rewinding = true;
        asyncify_start_rewind(&fiber);
        fiber.body({nullptr, nullptr});
    }
    asyncify_stop_unwind();
}

/// Called once to suspend the running fiber, and once more when it continues.
__attribute__((noinline)) void unwind() {
    if (is_rewinding) {
        is_rewinding = false;
        asyncify_stop_rewind();
        return;
    }
    running->at = running->begin;
    running->stack = wasm_stack();
    asyncify_start_unwind(running);
}

}  // namespace

/// The fiber's own data is at the top of its stack; asyncify writes at the bottom.
fcontext_t make_fcontext(void* top, std::size_t bytes, void (*body)(transfer_t)) {
    constexpr std::uintptr_t kAlignment = 16;
    char* const end =
        reinterpret_cast<char*>(reinterpret_cast<std::uintptr_t>(top) & ~(kAlignment - 1));
    char* const begin = static_cast<char*>(top) - bytes;
    Fiber* const made = reinterpret_cast<Fiber*>(end - sizeof(Fiber));
    char* const stack =
        reinterpret_cast<char*>(reinterpret_cast<std::uintptr_t>(made) & ~(kAlignment - 1));
    *made = {begin, begin + kUnwoundBytes, begin, stack, body, true};
    return made;
}

transfer_t jump_fcontext(fcontext_t target, void*) {
    if (running == &main_fiber) {
        char* const stack = wasm_stack();
        from = &main_fiber;
        next = static_cast<Fiber*>(target);
        const int trap = page_guarded();
        wasm_set_stack(stack);
        running = &main_fiber;
        is_rewinding = false;
        if (trap != emulator::kNoTrap) emulator::trapped(trap);
        return {from, nullptr};
    }
    if (!is_rewinding) {
        emulator::tick();
        // It takes as long as a thousand blocks of code: a thread that alone waits does it each
        // round.
        constexpr unsigned kSlow = 0x400;
        if (target == &main_fiber) emulator::ticks += kSlow;
        from = running;
        next = static_cast<Fiber*>(target);
    }
    unwind();
    return {from, nullptr};
}

}  // namespace boost::context::detail

bool emulator::is_stack_used_up() {
    using namespace boost::context::detail;
    constexpr std::size_t kSpareBytes = 1024;  // for the lab, and what it calls
    return running != &main_fiber && wasm_stack() < running->end + kSpareBytes;
}

extern "C" __attribute__((export_name("emulator_run_fibers"))) void emulator_run_fibers() {
    using namespace boost::context::detail;
    while (next != &main_fiber) step();
}
