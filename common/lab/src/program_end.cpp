#include "program_end.hpp"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "emulator/for_observers.hpp"

namespace lab {
namespace {

struct Ending {
    int signal;
    const char* how;
};
constexpr Ending kEndings[] = {
    {SIGABRT, "abort(): a failed assert(), an exception that was not caught, or the like"},
    {SIGSEGV, "a segmentation fault of the host"},
    {SIGBUS, "a bus error of the host"},
    {SIGFPE, "an integer division by zero on the host"},
    {SIGILL, "an illegal instruction of the host"},
    {SIGTERM, "SIGTERM"},
    {SIGINT, "SIGINT"},
    {SIGHUP, "SIGHUP"},
};
constexpr std::size_t kStackBytes = std::size_t{1} << 20;
constexpr unsigned kMaxSeconds = 10;
constexpr suseconds_t kPatience = 100'000;  ///< microseconds until a launch must have begun
constexpr suseconds_t kShortly = 1'000;
constexpr int kMaxPostponed = 5'000;

AtEnd print_at_end = nullptr;
std::atomic<bool> is_printed{false};
bool is_signal = false;

void finish(const char* how) {
    if (is_printed.exchange(true)) return;
    const emulator::ToolIsBusy busy;  // a signal may have interrupted a kernel's thread
    print_at_end(how);
    std::fflush(nullptr);
}

/// Whether the signal is a request to end, as that of Ctrl-C. All others are faults of the program.
bool is_asked_by(int number) { return number == SIGINT || number == SIGTERM || number == SIGHUP; }
std::atomic<int> asked_by{0};

/// A signal may have interrupted a thread that holds a lock needed for printing. Then the alarm
/// ends the program without a report, as the signal would have.
void end_by_signal(int number) {
    // It prints even if it is told twice to end.
    signal(number, is_asked_by(number) ? SIG_IGN : SIG_DFL);
    signal(SIGALRM, SIG_DFL);
    alarm(kMaxSeconds);
    is_signal = true;
    for (const Ending& each : kEndings) {
        if (each.signal == number) finish(each.how);
    }
    alarm(0);
    signal(number, SIG_DFL);
    raise(number);
}

void alarm_after(suseconds_t microseconds) {
    const itimerval once{{0, 0}, {0, microseconds}};
    setitimer(ITIMER_REAL, &once, nullptr);
}

/// The next launch ends the program, as nothing holds a lock there. If none begins, the alarm does
/// it, but not while the lab is at work.
void end_soon(int number) {
    signal(number, SIG_IGN);
    asked_by = number;
    end_when_asked = [] { end_by_signal(asked_by); };
    struct sigaction action {};
    action.sa_sigaction = [](int, siginfo_t*, void*) {
        static int postponed = 0;
        if (emulator::ToolIsBusy::is_busy && ++postponed < kMaxPostponed) {
            alarm_after(kShortly);
        } else {
            end_by_signal(asked_by);
        }
    };
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
    sigemptyset(&action.sa_mask);
    sigaction(SIGALRM, &action, nullptr);
    alarm_after(kPatience);
}

}  // namespace

void end_if_lost() {
    const bool is_lost = std::ferror(stdout) != 0;
    if (std::fflush(stdout) == 0 && !is_lost) return;
    std::fprintf(stderr, "the report cannot be written: %s\n", std::strerror(errno));
    _exit(3);
}

bool is_ended_by_signal() { return is_signal; }

void at_program_end(AtEnd print) {
    print_at_end = print;
    end_now = [](const char* how) {
        finish(how);
        _exit(1);
    };
    std::atexit([] {
        end_if_asked();
        finish("");
    });
    std::at_quick_exit([] { finish("quick_exit()"); });
    void* const memory = mmap(nullptr, kStackBytes, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory != MAP_FAILED) {
        stack_t stack{};
        stack.ss_sp = memory;
        stack.ss_size = kStackBytes;
        sigaltstack(&stack, nullptr);
    }
    for (const Ending& each : kEndings) {
        struct sigaction before {};
        sigaction(each.signal, nullptr, &before);
        if ((before.sa_flags & SA_SIGINFO) == 0 && before.sa_handler == SIG_IGN) continue;
        struct sigaction action {};
        action.sa_sigaction = [](int number, siginfo_t*, void*) {
            is_asked_by(number) ? end_soon(number) : end_by_signal(number);
        };
        action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER | SA_RESTART;
        sigemptyset(&action.sa_mask);
        sigaction(each.signal, &action, nullptr);
    }
}

}  // namespace lab

// Replaces the C library's; nothing else would tell that it was called.
extern "C" void _exit(int code) {
    if (lab::print_at_end != nullptr) lab::finish("_exit()");
    for (;;) syscall(SYS_exit_group, code);
}
extern "C" void _Exit(int code) noexcept { _exit(code); }
