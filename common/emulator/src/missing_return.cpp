// A function that is to return a value, and ends without one: -fsanitize=return calls this there.
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "diagnose.hpp"
#include "worker.hpp"

/// The compiler's structure.
struct PlaceOfFunction {
    const char* file;
    std::uint32_t line, column;
};

extern "C" [[noreturn]] void __ubsan_handle_missing_return(const PlaceOfFunction* place) {
    const emulator::Site site{place->file, static_cast<int>(place->line)};
    if (emulator::in_kernel()) {
        emulator::this_worker->fail(emulator::missing_return_report(*emulator::this_worker, site));
    }
    std::fprintf(stderr, "%s:%d: missing return: the function ended without one\n", site.file,
                 site.line);
    std::abort();
}
