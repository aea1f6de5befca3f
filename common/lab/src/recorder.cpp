#include "recorder.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

namespace lab {

__thread Recorder* this_recorder = nullptr;
__thread Running running{};
bool is_watching = false;

namespace {

bool has_stopped(const emulator::Thread& thread) {
    return thread.state == emulator::State::returned ||
           thread.state == emulator::State::at_barrier || thread.state == emulator::State::at_grid;
}

/// Calls use(begin, bytes) for each static shared variable of the block.
template <class Use>
void for_variables(const emulator::Block& block, Use use) {
    for (const emulator::SharedRegion& region : block.regions) {
        // A dynamic one may be larger than what is used.
        if (region.variable != nullptr) use(block.address(region), region.bytes);
    }
}

/// The sum of the 32-bit words here, each times its index from 1 (`is_weighted`) or as it is.
std::uint64_t sum_of_words(const void* begin, std::size_t bytes, bool is_weighted) {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < bytes / sizeof(std::uint32_t); ++i) {
        std::uint32_t word = 0;
        std::memcpy(&word, static_cast<const std::byte*>(begin) + i * sizeof word, sizeof word);
        sum += word * (is_weighted ? i + 1 : 1);
    }
    return sum;
}

std::uint64_t words_left(const emulator::Block& block) {
    std::uint64_t sum = 0;
    for_variables(block, [&](const void* begin, std::size_t bytes) {
        sum += sum_of_words(begin, bytes, false);
    });
    return sum;
}

/// Adds the new states.
void note_states(BlockRecord& record) {
    constexpr std::size_t kMaxBytes = 16384;
    if (followed.bytes == 0 || followed.bytes > kMaxBytes) return;
    const auto note = [&](const void* begin, std::size_t bytes) {
        const auto state = static_cast<std::uint32_t>(sum_of_words(begin, bytes, true));
        std::vector<std::uint32_t>& known = record.states;
        if (std::find(known.begin(), known.end(), state) == known.end()) known.push_back(state);
    };
    note(reinterpret_cast<const void*>(followed.begin), followed.bytes);
    for_variables(*record.block, note);
}

}  // namespace

void Recorder::launch_begins() {
    spaces.look();
    counters = {};
    record_ = nullptr;  // the caller may not be the thread that wrote to it
    current_block_ = nullptr;
    is_muted_ = false;
    for (std::unique_ptr<BlockRecord>& left : blocks_) free_.push_back(std::move(left));
    blocks_.clear();
}

void Recorder::block_begins(const emulator::Block& block) {
    if (free_.empty()) free_.push_back(std::make_unique<BlockRecord>());
    blocks_.push_back(std::move(free_.back()));
    free_.pop_back();
    BlockRecord& made = *blocks_.back();
    made.block = &block;
    made.index = block.index;
    made.threads.resize(block.threads.size());
    made.warps.resize(block.warps.size());
    for (Record& record : made.threads) record.clear();
    for (WarpState& warp : made.warps) warp.lanes = warp.together = 0;
    made.is_lost = false;
    made.states.clear();
    note_states(made);
    made.begun = made.states.size();
    stop_running();  // its threads may lie where another block's were
}

BlockRecord* Recorder::find(std::uint64_t index) {
    for (const std::unique_ptr<BlockRecord>& each : blocks_) {
        if (each->index == index) return each.get();
    }
    return nullptr;
}

void Recorder::add(const emulator::Worker& worker, Event event) {
    if (worker.thread != running.thread) switch_to(worker);
    if (record_ == nullptr) return;
    hand_over();
    record_->add(event);
    take_up();
}

void Recorder::take_up() {
    running.at = record_ != nullptr ? record_->at() : nullptr;
    running.end = record_ != nullptr ? record_->end() : nullptr;
}

void Recorder::write_to(Record* record) {
    hand_over();
    record_ = record;
    take_up();
}

void Recorder::stop_running() {
    write_to(nullptr);
    running.thread = nullptr;
}

void Recorder::switch_to(const emulator::Worker& worker) {
    const emulator::ToolIsBusy busy;
    write_to(nullptr);
    const emulator::Thread& thread = *worker.thread;
    const int warp = thread.number / 32;
    is_muted_ = false;
    if (running.thread != nullptr && current_block_ != nullptr &&
        current_block_->block == worker.block && warp != current_warp_) {
        // Threads usually run warp by warp, so what one warp did need not be kept any longer.
        BlockRecord& left = *current_block_;
        const std::size_t begin = static_cast<std::size_t>(current_warp_) * 32;
        const std::size_t end = std::min(begin + 32, left.threads.size());
        const auto first = left.block->threads.begin();
        if (std::all_of(first + static_cast<std::ptrdiff_t>(begin),
                        first + static_cast<std::ptrdiff_t>(end), has_stopped)) {
            finish_warp(left, current_warp_);
        }
    }
    running.thread = &thread;
    current_warp_ = warp;
    current_block_ = find(worker.block->index);
    if (current_block_ == nullptr || current_block_->is_lost) return;
    write_to(&current_block_->threads[thread.number]);
}

void Recorder::finish_warp(BlockRecord& record, int warp) {
    const std::size_t begin = static_cast<std::size_t>(warp) * 32;
    const std::size_t count = std::min<std::size_t>(32, record.threads.size() - begin);
    const auto first = record.threads.begin() + static_cast<std::ptrdiff_t>(begin);
    if (std::any_of(first, first + static_cast<std::ptrdiff_t>(count),
                    [](const Record& each) { return each.is_lost(); })) {
        record.is_lost = true;
        ++counters.lost_blocks;
    }
    if (record.is_lost) {
        for (Record& each : record.threads) each.clear();
        return;
    }
    spaces.enter(*record.block, warp);
    lockstep.run(record.warps[static_cast<std::size_t>(warp)], &record.threads[begin],
                 static_cast<int>(count), spaces, counters);
}

void Recorder::finish_all(BlockRecord& record) {
    for (int warp = 0; warp < static_cast<int>(record.warps.size()); ++warp) {
        finish_warp(record, warp);
    }
}

void Recorder::barrier(std::uint64_t index) {
    const emulator::ToolIsBusy busy;
    if (BlockRecord* const record = find(index); record != nullptr && !record->is_lost) {
        hand_over();
        finish_all(*record);
        take_up();
        note_states(*record);
    }
}

void Recorder::block_ends(std::uint64_t index) {
    BlockRecord* const record = find(index);
    if (record == nullptr) return;
    stop_running();
    if (!record->is_lost) finish_all(*record);
    for (const WarpState& warp : record->warps) counters.add_moved(warp.moved, warp.lanes);
    counters.left_in_shared += words_left(*record->block);
    note_states(*record);
    counters.states =
        std::accumulate(record->states.begin() + static_cast<std::ptrdiff_t>(record->begun),
                        record->states.end(), counters.states);
    current_block_ = nullptr;
    const auto at = std::find_if(blocks_.begin(), blocks_.end(),
                                 [&](const auto& each) { return each.get() == record; });
    free_.push_back(std::move(*at));
    blocks_.erase(at);
}

}  // namespace lab
