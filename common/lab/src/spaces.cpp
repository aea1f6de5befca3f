#include "spaces.hpp"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "lines.hpp"
#include "program.hpp"

namespace lab {

/// __constant__ variables are in separate sections (emulator/qualifiers.hpp).
bool is_constant(std::uintptr_t address) {
    static const auto* const ranges =
        new std::vector<std::pair<std::uintptr_t, std::uintptr_t>>(constant_ranges());
    return std::any_of(ranges->begin(), ranges->end(), [&](const auto& each) {
        return address >= each.first && address < each.second;
    });
}

namespace {

/// What malloc() and new return in a kernel usually belongs to one thread. The emulator places one
/// thread's memory after another's; a GPU may place it anywhere.
bool is_kernel_heap(const emulator::Extent& extent) {
    return std::strcmp(extent.name, "malloc in kernels") == 0;
}

}  // namespace

void Spaces::look() {
    is_constant(0);  // reads the program's file now, not on a small stack
    device_ = emulator::device_extents();
    device_.erase(std::remove_if(device_.begin(), device_.end(), is_kernel_heap), device_.end());
    std::sort(
        device_.begin(), device_.end(),
        [](const emulator::Extent& a, const emulator::Extent& b) { return a.begin < b.begin; });
    global_ = local_ = {};
}

void Spaces::enter(const emulator::Block& block, int warp) {
    first_lane_ = {block.index, warp * 32};
    arena_ = ~std::uintptr_t{0} - kArenaBytes;
    if (block.regions.empty()) return;
    const emulator::SharedRegion& first = block.regions.front();
    arena_ = reinterpret_cast<std::uintptr_t>(block.address(first)) - first.offset;
}

void Spaces::give(std::uintptr_t begin, std::size_t bytes, Owner owner) {
    for (std::uintptr_t at = begin / 16; at * 16 < begin + bytes; ++at) {
        given_[at].push_back(owner);  // if memory is freed and given out again, all are owners
    }
}

bool Spaces::is_shared_heap(std::uintptr_t address, int lane) const {
    const auto found = given_.find(address / 16);
    if (found == given_.end()) return false;
    std::vector<Owner>& owners = found->second;
    const Owner me{first_lane_.block, first_lane_.thread + lane};
    if (std::find(owners.begin(), owners.end(), me) == owners.end()) owners.clear();
    return owners.empty();
}

Space Spaces::search(std::uintptr_t address) const {
    if (is_program_image(address) && is_constant(address)) return Space::constant;
    constexpr std::uintptr_t kZoneBytes = 256;  // slightly past the end still means that array
    auto after = std::upper_bound(device_.begin(), device_.end(), address,
                                  [](std::uintptr_t a, const emulator::Extent& extent) {
                                      return a < reinterpret_cast<std::uintptr_t>(extent.begin);
                                  });
    if (after != device_.begin()) {
        const emulator::Extent& found = *std::prev(after);
        const std::uintptr_t begin = reinterpret_cast<std::uintptr_t>(found.begin);
        // A variable is followed by others, perhaps the emulator's own.
        const std::size_t zone = is_program_image(address) ? 0 : kZoneBytes;
        if (address - begin < found.bytes + zone) {
            global_ = {begin, found.bytes};
            return Space::global;
        }
    }
    if (is_program_data(address)) return Space::global;
    if (is_program_image(address)) return Space::local;
    // Between two arrays, or between one and the program's image, everything is local.
    std::uintptr_t from = 0, to = ~std::uintptr_t{0};
    if (after != device_.begin()) {
        const emulator::Extent& before = *std::prev(after);
        from = reinterpret_cast<std::uintptr_t>(before.begin) + before.bytes + kZoneBytes;
    }
    if (after != device_.end()) to = reinterpret_cast<std::uintptr_t>(after->begin);
    if (address >= data_end()) {
        from = std::max(from, data_end());
    } else {
        to = std::min(to, code_begin());
    }
    local_ = {from, to > from ? to - from : 0};
    return Space::local;
}

}  // namespace lab
