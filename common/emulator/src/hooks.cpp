#include "emulator/hooks.hpp"

#include "observer.hpp"
#include "worker.hpp"

namespace emulator {

Observer* installed_observer = nullptr;

__thread bool ToolIsBusy::is_busy = false;

void set_observer(Observer* observer) { installed_observer = observer; }

std::vector<Extent> shared_extents() {
    std::vector<Extent> extents;
    if (this_worker == nullptr || this_worker->block == nullptr) return extents;
    const Block& block = *this_worker->block;
    for (const SharedRegion& region : block.regions) {
        extents.push_back({region.name, block.address(region), region.bytes, region.site});
    }
    return extents;
}

std::int64_t current_block() {
    if (this_worker == nullptr || this_worker->block == nullptr) return -1;
    return static_cast<std::int64_t>(this_worker->block->index);
}

int current_thread() {
    if (this_worker == nullptr || this_worker->thread == nullptr) return -1;
    return this_worker->thread->number;
}

const KernelSite* current_kernel() {
    if (this_worker == nullptr || this_worker->launch == nullptr) return nullptr;
    return &this_worker->launch->where;
}

}  // namespace emulator
