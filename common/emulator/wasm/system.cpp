// What the emulator and the lab need from an operating system, which a browser does not have.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>

extern "C" {

/// Pages are small: they protect nothing, and the rest of the last one is wasted.
long sysconf(int what) {
    constexpr long kPageBytes = 256;
    constexpr long kMemoryBytes = 1L << 30;
    switch (what) {
        case _SC_PAGESIZE:
            return kPageBytes;
        case _SC_PHYS_PAGES:
            return kMemoryBytes / kPageBytes;
        default:
            return 1;
    }
}

int msync(void* at, size_t, int) {
    return reinterpret_cast<std::uintptr_t>(at) < __builtin_wasm_memory_size(0) * 65536 ? 0 : -1;
}

int flock(int, int) { return 0; }  // there is no other process
}
