#include "cpu/shared.hpp"

#include "device.hpp"
#include "diagnose.hpp"
#include "worker.hpp"

namespace cpu {

void* SharedVariable::storage() const {
    Worker& worker = kernel_worker("a __shared__ variable");
    void* const memory = worker.block->shared_storage(*this);
    if (memory == nullptr || worker.block->static_bytes > kStaticSharedBytes) {
        worker.fail(static_shared_report(worker, *this));
    }
    return memory;
}

void* dynamic_shared(const char* name, Site site) {
    Worker& worker = kernel_worker("a __shared__ variable");
    return worker.block->dynamic_storage(name, site);
}

}  // namespace cpu
