// Between the emulator and the browser lab that it runs in (docs/site/page_lab/execute.mjs).
//
// WebAssembly has no signals. A kernel's mistake raises a trap there, which ends every function up
// to the browser lab's JavaScript, which is between main() and the fibers: main() continues.
#pragma once

#include <cstdint>

extern "C" {
/// Provided by the browser lab: calls emulator_run_fibers, and returns how that ended: an
/// emulator::Trap.
__attribute__((import_module("page"), import_name("guarded"))) int page_guarded();
/// Provided by the browser lab: ends what page_guarded() has called, which returns `trap`.
[[noreturn]] __attribute__((import_module("page"), import_name("leave"))) void page_leave(int trap);
/// Provided by the browser lab, and called a few times a second: `in_kernel` is 0 on the host.
/// Returns a value other than 0 if the host has taken too long.
__attribute__((import_module("page"), import_name("look"))) int page_look(int in_kernel);
}

namespace emulator {

/// execute.mjs uses the same numbers.
enum Trap {
    kNoTrap,
    kLeft,  ///< on purpose: the report has been made
    kIllegalAddress,
    kDivision,
    kIllegalInstruction,
    kStack,
    kTooLong,
};

/// Reports a kernel that was ended by a trap.
void trapped(int trap);

/// Whether the running fiber's C++ stack is used up; WebAssembly itself does not notice.
bool is_stack_used_up();

/// Called often, because no other thread can interrupt the program: lets the browser lab check, and
/// ends a kernel that has made no progress for too long.
void look_at_clock();
inline unsigned ticks = 0;
inline void tick() {
    constexpr unsigned kTicks = 0x10000;
    if (++ticks < kTicks) return;
    ticks = 0;
    look_at_clock();
}

}  // namespace emulator
