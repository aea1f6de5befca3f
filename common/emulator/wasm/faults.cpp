// In place of ../src/faults.cpp: a trap becomes a report.
#include "faults.hpp"

#include <fmt/format.h>

#include <string>

#include "diagnose.hpp"
#include "emulator/hooks.hpp"
#include "numbered_calls.hpp"
#include "observer.hpp"
#include "settings_internal.hpp"
#include "traps.hpp"
#include "worker.hpp"

namespace emulator {
namespace {

constexpr std::uintptr_t kUnknown = ~std::uintptr_t{0};
std::uintptr_t trap_address = kUnknown;

}  // namespace

void meet_illegal(std::uintptr_t address) {
    trap_address = address;
    page_leave(kIllegalAddress);
}

void trapped(int trap) {
    Worker& worker = *this_worker;
    if (trap != kLeft && worker.thread != nullptr) {
        worker.launch->fail(signal_report(worker, trap, trap_address, page_hook - 1));
    }
    trap_address = kUnknown;
    ToolIsBusy::is_busy = false;  // nothing that lived in the kernel's calls was destroyed
    worker.thread = nullptr;
}

Report signal_report(Worker& worker, int trap, std::uintptr_t address, std::uintptr_t instruction) {
    const Launch& launch = *worker.launch;
    Observer* const observer = current_observer();
    const Site site = observer != nullptr ? observer->place(instruction) : Site{};
    const std::string at = site.file != nullptr ? " at " + words(site) : std::string();
    Report report{cudaErrorIllegalAddress, Reason::illegal_address, {},
                  launch.kernel_name(),    file_of(site),           site.line};
    if (observer == nullptr && instruction != 0) report.places = {instruction + 1};
    switch (trap) {
        case kTooLong:
            report = worker.none_returns
                         ? endless_report(launch, *worker.block)
                         : timeout_report(launch, *worker.block, !worker.keeps_giving_way,
                                          settings().time_limit);
            if (!worker.keeps_giving_way && instruction != 0) report.places = {instruction + 1};
            return report;
        case kDivision:
            report.code = cudaErrorLaunchFailure;
            report.reason = Reason::division_by_zero;
            report.text = fmt::format("integer division by zero in {}{}.", who(worker), at);
            return report;
        case kStack:
            report.code = cudaErrorLaunchFailure;
            report.reason = Reason::stack_overflow;
            report.text =
                fmt::format("stack overflow in {}{}: a thread has {} KB for its local variables.",
                            who(worker), at, stack_bytes() / 1024);
            return report;
        case kIllegalInstruction:
            report.code = cudaErrorIllegalInstruction;
            report.reason = Reason::illegal_instruction;
            report.text = fmt::format("illegal instruction in {}{}.", who(worker), at);
            return report;
        default:
            break;
    }
    if (address == kUnknown) {  // WebAssembly does not tell
        report.text = fmt::format("illegal address in {}{}.", who(worker), at);
        return report;
    }
    report.text = illegal_address_text(address, worker, at);
    return report;
}

AlternateStack::AlternateStack() = default;
AlternateStack::~AlternateStack() = default;
SignalHandlers::SignalHandlers() = default;
SignalHandlers::~SignalHandlers() = default;

}  // namespace emulator
