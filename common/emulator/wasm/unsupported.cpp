// What WebAssembly does not have, refused by name if a program asks for it: replacements of
// functions of the C library.
#include <fmt/format.h>

#include <cfenv>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "diagnose.hpp"
#include "emulator/hooks.hpp"
#include "numbered_calls.hpp"
#include "observer.hpp"
#include "worker.hpp"

namespace {

constexpr const char* kRounding =
    "WebAssembly rounds to the nearest value only: the functions that round down, up or towards "
    "zero (those\nthat end in _rd, _ru and _rz, such as __fadd_rd) work in a terminal, not in a "
    "browser.";

}  // namespace

extern "C" {

/// The first thing that the functions with a rounding mode call (emulator/rounding.hpp).
int fesetround(int mode) {
    if (mode == FE_TONEAREST) return 0;
    emulator::Worker* const worker = emulator::this_worker;
    if (worker == nullptr || worker->thread == nullptr) {
        std::fprintf(stderr, "%s\n", kRounding);
        std::exit(1);
    }
    emulator::Observer* const observer = emulator::current_observer();
    const emulator::Site site = observer != nullptr ? observer->place(page_call) : emulator::Site{};
    const std::string kernel = worker->launch->kernel_name();
    worker->fail(
        {cudaErrorNotSupported, emulator::Reason::unsupported,
         fmt::format("kernel {} asks for a rounding mode{}.\n{}", kernel,
                     site.file != nullptr ? " at " + emulator::words(site) : "", kRounding),
         kernel, emulator::file_of(site), site.line});
}

/// The first thing that std::thread calls.
int pthread_create(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*) {
    std::fflush(stdout);
    std::fprintf(stderr,
                 "std::thread: in a browser a program has one thread. Run this program with "
                 "./tutorial run.\n");
    std::exit(1);
}
}
