#include "emulator/large_tile.hpp"

#include <algorithm>
#include <cstring>

#include "worker.hpp"

namespace emulator {
namespace {

Tile& tile_of(Worker& worker, unsigned size, Site site) {
    Block& block = *worker.block;
    const unsigned first = worker.thread->number / size * size;
    for (const std::unique_ptr<Tile>& each : block.tiles) {
        if (each->size == size && each->first == first) return *each;
    }
    block.tiles.push_back(std::make_unique<Tile>());
    Tile& made = *block.tiles.back();
    made.size = size;
    made.first = first;
    // The last tile of a block may be smaller.
    const unsigned threads = static_cast<unsigned>(block.threads.size());
    init_barrier(made.barrier, std::min(size, threads - first), site);
    return made;
}

}  // namespace

void tile_barrier(unsigned size, Site site) {
    AsyncBarrier& barrier = tile_of(kernel_worker("a tile's sync()"), size, site).barrier;
    wait_for_phase(barrier, arrive(barrier, 1, false, site), site);
}

const void* tile_values(unsigned size, const void* value, std::size_t bytes, Site site) {
    Worker& worker = kernel_worker("a function of a tile");
    Tile& tile = tile_of(worker, size, site);
    // Two buffers take turns: threads that are still reading the last values keep them.
    std::vector<unsigned char>& values = tile.values[tile.barrier.phase % 2];
    if (values.size() < bytes * size) values.resize(bytes * size);
    std::memcpy(values.data() + bytes * (worker.thread->number - tile.first), value, bytes);
    tile_barrier(size, site);
    return values.data();
}

}  // namespace emulator
