// Keeps a program from ending with 0 after the emulator has found a fault in it: linked into users'
// own programs, which have no tests. Many call cudaMalloc and launch kernels without checking
// whether that worked; what they print then looks like a result.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <set>
#include <string>

#include "emulator/report.hpp"

namespace {

/// Whether the program is wrong. Too little memory is not a fault of the program, and a program may
/// well ask for all the memory there is.
bool is_fault(const emulator::Report& report) {
    return report.reason != emulator::Reason::none &&
           report.reason != emulator::Reason::out_of_memory && !emulator::was_handled(report.text);
}

/// `status`: what main() returned, or exit() was called with.
void end(int status) {
    std::set<std::string> faults;
    for (const emulator::Report& each : emulator::take_reports()) {
        if (is_fault(each)) faults.insert(each.text);
    }
    if (faults.empty()) return;
    std::fflush(nullptr);
    const bool is_one = faults.size() == 1;
    std::fprintf(stderr, "Emulator: %zu fault%s found in this run, see above.", faults.size(),
                 is_one ? " was" : "s were");
    if (status == 0) std::fputs(" It ends with exit code 1, though main() returned 0.", stderr);
    std::fputs("\n", stderr);
    _exit(status != 0 ? status : 1);
}

// What is registered first is called last, after everything that the program prints at its end.
[[maybe_unused]] const bool is_registered = [] {
#if defined(__GLIBC__)
    return on_exit([](int status, void*) { end(status); }, nullptr) == 0;
#else
    // The status is not known here: codes other than 0 become 1.
    return std::atexit([] { end(0); }) == 0;
#endif
}();

}  // namespace
