#include "emulator/shared.hpp"

#include "device.hpp"
#include "diagnose.hpp"
#include "worker.hpp"

namespace emulator {
namespace {

// A separate function, so that a thread's code for each declaration needs no stack space for a
// report.
[[noreturn, gnu::noinline]] void refuse(Worker& worker, const SharedVariable& variable) {
    worker.fail(static_shared_report(worker, variable));
}

}  // namespace

void* SharedVariable::storage() const {
    Worker& worker = kernel_worker("a __shared__ variable");
    Block& block = *worker.block;
    if (void* const memory = block.find_shared(*this)) return memory;
    void* const memory = block.reserve_shared(*this);
    if (memory == nullptr || block.static_bytes > kStaticSharedBytes) refuse(worker, *this);
    return memory;
}

void* dynamic_shared(const char* name, Site site) {
    Worker& worker = kernel_worker("a __shared__ variable");
    return worker.block->dynamic_storage(name, site);
}

}  // namespace emulator
