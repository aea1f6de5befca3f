#include "recorder.hpp"

#include <algorithm>
#include <cstring>
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

/// The sum of the words of the block's static shared variables.
std::uint64_t words_left(const emulator::Block& block) {
    std::uint64_t sum = 0;
    for (const emulator::SharedRegion& region : block.regions) {
        if (region.variable == nullptr) continue;  // dynamic, and perhaps larger than what is used
        const auto* const bytes = static_cast<const unsigned char*>(block.address(region));
        for (std::size_t at = 0; at + sizeof(std::uint32_t) <= region.bytes; at += 4) {
            std::uint32_t word = 0;
            std::memcpy(&word, bytes + at, sizeof word);
            sum += word;
        }
    }
    return sum;
}

}  // namespace

void Recorder::launch_begins() {
    spaces.look();
    counters = {};
    record_ = nullptr;  // another thread may call this than the one that wrote to it
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
        // Threads usually take turns warp by warp: what one did need not be kept any longer.
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
    spaces.enter(*record.block);
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
    }
}

void Recorder::block_ends(std::uint64_t index) {
    BlockRecord* const record = find(index);
    if (record == nullptr) return;
    stop_running();
    if (!record->is_lost) finish_all(*record);
    counters.left_in_shared += words_left(*record->block);
    current_block_ = nullptr;
    const auto at = std::find_if(blocks_.begin(), blocks_.end(),
                                 [&](const auto& each) { return each.get() == record; });
    free_.push_back(std::move(*at));
    blocks_.erase(at);
}

}  // namespace lab
