// In place of ../src/way_out.cpp: the browser lab's JavaScript ends a kernel. serve() notices that
// when go_to() has returned (fcontext.cpp).
#include <utility>

#include "traps.hpp"
#include "worker.hpp"

namespace emulator {

void Worker::fail(Report report) {
    launch->fail(std::move(report));
    thread = nullptr;
    page_leave(kLeft);
}

void Worker::escape(int signal, std::uintptr_t, std::uintptr_t) { page_leave(signal); }

void Worker::serve_until_fault(Launch& its_launch) { serve(its_launch); }

}  // namespace emulator
