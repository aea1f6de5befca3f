// In place of ../src/first_statement.cpp: there are no exceptions, and no return address says which
// function calls. The page's JavaScript takes the call out of the kernel, and the number of the
// call says where that was.
#include "first_statement.hpp"

#include <cstdint>

#include "numbered_calls.hpp"
#include "symbols.hpp"
#include "traps.hpp"

extern "C" {
std::uint32_t page_hook = 0, page_call = 0;
}

namespace emulator {
namespace {

Identity found{nullptr, nullptr};
const KernelCall* called = nullptr;

}  // namespace

void identify_caller(const LaunchBound* bound) {
    found = {function_containing(RETURN_ADDRESS), bound};
    page_leave(kLeft);
}

bool run_to_first_statement(const KernelCall& call, Identity* identity) {
    called = &call;
    found = {nullptr, nullptr};
    const bool has_begun = page_guarded(1) != kNoTrap;
    *identity = found;
    return has_begun;
}

}  // namespace emulator

extern "C" __attribute__((export_name("emulator_run_identified"))) void emulator_run_identified() {
    emulator::called->run(emulator::called->object);
}
