// How control leaves a kernel with a fault: by the emulator's own report, or by a signal.
#include <cstdlib>
#include <new>
#include <utility>

#include "diagnose.hpp"
#include "faults.hpp"
#include "worker.hpp"

namespace emulator {

void Worker::fail(Report report) {
    launch->fail(std::move(report));
    thread = nullptr;
    go_to(fiber->context, main_);
    std::abort();  // abandon() has renewed this fiber, so control never returns here
}

void Worker::escape(int signal, std::uintptr_t address, std::uintptr_t instruction) {
    signal_instruction_ = instruction;
    signal_ = signal;
    signal_address_ = address;
    siglongjmp(way_out_, 1);
}

void Worker::serve_until_fault(Launch& its_launch) {
    if (sigsetjmp(way_out_, 0) == 0) {
        try {
            serve(its_launch);
        } catch (const std::bad_alloc&) {
            its_launch.fail(no_stack_report(its_launch));
        }
    } else {
        // A signal handler jumped here; now the message can be built, which a handler must not do.
        // Another signal would also leave this code, while it holds its locks.
        in_kernel = false;
        its_launch.fail(signal_report(*this, signal_, signal_address_, signal_instruction_));
    }
}

}  // namespace emulator
