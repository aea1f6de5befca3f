// assert() in a kernel ends the launch, as on a device; on the host it ends the program, as always.
// It replaces the C library's function that a failed assert() calls.
#include <cstdio>
#include <cstdlib>

#include "diagnose.hpp"
#include "worker.hpp"

namespace {

[[noreturn]] void assertion_failed(const char* expression, const char* file, unsigned line,
                                   const char* function) {
    const emulator::Site site{file, static_cast<int>(line)};
    if (emulator::this_worker != nullptr && emulator::this_worker->thread != nullptr) {
        emulator::this_worker->fail(
            emulator::assert_report(*emulator::this_worker, expression, site));
    }
    std::fprintf(stderr, "%s:%u: %s: Assertion `%s' failed.\n", file, line,
                 function != nullptr ? function : "?", expression);
    std::abort();
}

}  // namespace

#if defined(__APPLE__)
extern "C" void __assert_rtn(const char* function, const char* file, int line,
                             const char* expression) {
    assertion_failed(expression, file, static_cast<unsigned>(line), function);
}
#else
extern "C" void __assert_fail(const char* expression, const char* file, unsigned line,
                              const char* function) noexcept {
    assertion_failed(expression, file, line, function);
}
#endif
