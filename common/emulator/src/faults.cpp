#include "faults.hpp"

#include <execinfo.h>
#include <fmt/format.h>
#include <sys/mman.h>
#if defined(__linux__)
#include <ucontext.h>
#endif

#include <cstdint>
#include <new>
#include <string>
#include <utility>

#include "diagnose.hpp"
#include "emulator/hooks.hpp"
#include "observer.hpp"
#include "settings_internal.hpp"
#include "watchdog.hpp"
#include "worker.hpp"

namespace emulator {
namespace {

#if defined(__aarch64__)
constexpr int kIllegal = SIGTRAP;  ///< what __builtin_trap() raises
constexpr int kSignals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGURG, SIGTRAP};
#else
constexpr int kIllegal = SIGILL;
constexpr int kSignals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGURG};
#endif
constexpr std::size_t kSignalStackBytes = std::size_t{256} * 1024;
struct sigaction before[std::size(kSignals)];

/// Where a CUDA thread of this std::thread that never yielded was, and its callers.
constexpr int kMaxPlaces = 24;
thread_local void* places[kMaxPlaces];
thread_local int place_count = 0;

/// Where a division by zero was found before it was carried out; 0 if the processor raises it.
thread_local std::uintptr_t division = 0;

/// Whether the processor did not report the address; per std::thread.
thread_local bool is_without_address = false;

std::uintptr_t instruction_of([[maybe_unused]] const void* context) {
#if defined(__linux__) && defined(__x86_64__)
    const auto& registers = static_cast<const ucontext_t*>(context)->uc_mcontext.gregs;
    return static_cast<std::uintptr_t>(registers[REG_RIP]);
#elif defined(__linux__) && defined(__aarch64__)
    return static_cast<const ucontext_t*>(context)->uc_mcontext.pc;
#else
    return 0;
#endif
}

/// Whether the instruction that raised a SIGSEGV without an address needs an aligned one: an SSE
/// instruction that moves or computes 16 bytes at once. Otherwise the address is not an address at
/// all.
bool needs_alignment([[maybe_unused]] std::uintptr_t instruction) {
#if defined(__linux__) && defined(__x86_64__)
    const auto* at = reinterpret_cast<const unsigned char*>(instruction);
    // Prefixes: 0x66 and REX do not matter; 0xF2 and 0xF3 make it scalar, or one that may be
    // unaligned.
    for (; *at == 0x66 || (*at & 0xf0) == 0x40; ++at) {
    }
    if (*at != 0x0f) return false;
    const unsigned char code = at[1];
    return code != 0x10 && code != 0x11 && code != 0x12 && code != 0x13 && code != 0x16 &&
           code != 0x17;
#else
    return false;
#endif
}

void handle(int number, siginfo_t* info, void* context) {
    Worker* const worker = this_worker;
    if (number == watchdog_signal() && ToolIsBusy::is_busy) {
        signal_was_refused = true;
        return;
    }
    if (number == watchdog_signal()) signal_was_refused = false;
    if (number == watchdog_signal() && worker != nullptr &&
        worker->is_asked_where.exchange(false)) {
        worker->where = instruction_of(context);
        return;
    }
    if (worker != nullptr && worker->in_kernel && worker->thread != nullptr) {
        if (number == watchdog_signal()) place_count = backtrace(places, kMaxPlaces);
        const bool is_division = number == SIGFPE && division != 0;
        constexpr int kOfProcessor = 0x80;  // SI_KERNEL: the processor gave no address
        is_without_address = number == SIGSEGV && info->si_code == kOfProcessor;
        worker->escape(number, reinterpret_cast<std::uintptr_t>(info->si_addr),
                       is_division ? std::exchange(division, 0) : instruction_of(context));
    }
    if (number == watchdog_signal()) return;  // too late: that thread has already ended
    // Not raised by a kernel: the earlier handler takes over.
    for (std::size_t i = 0; i < std::size(kSignals); ++i) {
        if (kSignals[i] != number) continue;
        if ((before[i].sa_flags & SA_SIGINFO) != 0 && before[i].sa_sigaction != nullptr) {
            before[i].sa_sigaction(number, info, context);
        } else {
            sigaction(number, &before[i], nullptr);
            raise(number);
        }
    }
}

}  // namespace

Report signal_report(Worker& worker, int number, std::uintptr_t address,
                     std::uintptr_t instruction) {
    const Launch& launch = *worker.launch;
    Observer* const observer = current_observer();
    const Site site = observer != nullptr ? observer->place(instruction) : Site{};
    const std::string at = site.file != nullptr ? " at " + words(site) : std::string();
    Report report{cudaErrorIllegalAddress, Reason::illegal_address, {},
                  launch.kernel_name(),    file_of(site),           site.line};
    if (number == watchdog_signal()) {
        const bool is_running = !worker.keeps_giving_way;
        report = worker.none_returns
                     ? endless_report(launch, *worker.block)
                     : timeout_report(launch, *worker.block, is_running, settings().time_limit);
        for (int i = 0; is_running && i < place_count; ++i) {
            report.places.push_back(reinterpret_cast<std::uintptr_t>(places[i]));
        }
        return report;
    }
    if (worker.fiber->guards(address)) {
        report.code = cudaErrorLaunchFailure;
        report.reason = Reason::stack_overflow;
        report.text = fmt::format(
            "stack overflow in {}{}: a thread has {} KB for its local variables here, and 1 KB on "
            "a GPU.\ncudaDeviceSetLimit(cudaLimitStackSize, bytes) before the first launch gives "
            "it more; or use a loop.",
            who(worker), at, stack_bytes() / 1024);
    } else if (number == SIGFPE) {
        report.code = cudaErrorLaunchFailure;
        report.reason = Reason::division_by_zero;
        report.text = fmt::format("integer division by zero in {}{}.", who(worker), at);
    } else if (number == SIGILL || number == kIllegal) {
        report.code = cudaErrorIllegalInstruction;
        report.reason = Reason::illegal_instruction;
        report.text = fmt::format("illegal instruction in {}{}.", who(worker), at);
    } else if (is_without_address && needs_alignment(instruction)) {
        report.code = cudaErrorMisalignedAddress;
        report.reason = Reason::misaligned;
        report.text = fmt::format(
            "misaligned address in {}{}: an access of 16 bytes at once, such as to a float4, needs "
            "an address that is a\nmultiple of 16. Make the index or the offset a multiple, or use "
            "a smaller type.",
            who(worker), at);
    } else if (is_without_address) {
        report.text = fmt::format(
            "illegal address in {}{}: the pointer does not hold an address; it was never set, or "
            "computed wrongly.",
            who(worker), at);
    } else {
        report.text = illegal_address_text(address, worker, at);
    }
    return report;
}

AlternateStack::AlternateStack() {
    signal_was_refused = false;
    static thread_local void* const memory = mmap(
        nullptr, kSignalStackBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    stack_t stack{};
    stack.ss_sp = memory;
    stack.ss_size = kSignalStackBytes;
    sigaltstack(&stack, &before_);
}

AlternateStack::~AlternateStack() { sigaltstack(&before_, nullptr); }

SignalHandlers::SignalHandlers() {
    void* here[1];
    backtrace(here, 1);  // its first call loads a library, which a handler may not
    struct sigaction action {};
    action.sa_sigaction = &handle;
    // The handler leaves with siglongjmp instead of returning, so the signal must not stay blocked.
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    sigemptyset(&action.sa_mask);
    for (std::size_t i = 0; i < std::size(kSignals); ++i) {
        sigaction(kSignals[i], &action, &before[i]);
    }
}

SignalHandlers::~SignalHandlers() {
    for (std::size_t i = 0; i < std::size(kSignals); ++i) {
        sigaction(kSignals[i], &before[i], nullptr);
    }
}

}  // namespace emulator

#if defined(__aarch64__)
// What -fsanitize=integer-divide-by-zero calls, if a division by zero does not raise a fault
// of the processor (EMULATOR_CHECK_OPTIONS in CMakeLists.txt): it becomes the signal that other
// processors raise.
extern "C" void __ubsan_handle_divrem_overflow(void*, std::uintptr_t, std::uintptr_t) {
    emulator::division = reinterpret_cast<std::uintptr_t>(__builtin_return_address(0)) - 1;
    raise(SIGFPE);
    emulator::division = 0;
}
#endif
