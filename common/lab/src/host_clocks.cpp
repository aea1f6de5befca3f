// The host's clocks, in a program that is searched for faults: a time that is read before a kernel
// has ended is that of the launch. std::chrono reads them through the C library as well.
#if defined(__linux__)
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include <ctime>

#include "fault_hooks.hpp"

namespace {

constexpr long kNanosecondsPerMicrosecond = 1000;

int read_clock(clockid_t which, timespec* time) {
    return static_cast<int>(syscall(SYS_clock_gettime, which, time));
}

/// The emulator's own threads read clocks as well, with its locks held.
bool is_call_of_host() {
    return lab::fault_hooks != nullptr && static_cast<pid_t>(syscall(SYS_gettid)) == getpid();
}

}  // namespace

extern "C" {

int clock_gettime(clockid_t which, timespec* time) noexcept {
    if (is_call_of_host()) {
        // The emulator's clock() asks for this one.
        lab::fault_hooks->host_reads_clock(__builtin_return_address(0),
                                           which == CLOCK_PROCESS_CPUTIME_ID);
    }
    return read_clock(which, time);
}

int gettimeofday(timeval* time, void* /*zone*/) noexcept {
    if (is_call_of_host()) {
        lab::fault_hooks->host_reads_clock(__builtin_return_address(0), false);
    }
    timespec now{};
    const int result = read_clock(CLOCK_REALTIME, &now);
    time->tv_sec = now.tv_sec;
    time->tv_usec = now.tv_nsec / kNanosecondsPerMicrosecond;
    return result;
}

}  // extern "C"
#endif
