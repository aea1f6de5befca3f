// One worker's part of the lab: keeps what the running threads do, and hands it on warp by warp.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "counters.hpp"
#include "lockstep.hpp"
#include "record.hpp"
#include "spaces.hpp"
#include "worker.hpp"

namespace lab {

/// What is recorded of one resident block.
struct BlockRecord {
    const emulator::Block* block = nullptr;
    std::uint64_t index = 0;
    std::vector<Record> threads;
    std::vector<WarpState> warps;
    bool is_lost = false;  ///< too long to be recorded
};

class Recorder {
  public:
    explicit Recorder(Flow& flow) : lockstep(flow) {}

    /// From a hook, in a CUDA thread.
    inline __attribute__((always_inline)) void add(const emulator::Worker& worker, Event event) {
        if (worker.thread != current_ || at_ == end_) {
            add_slowly(worker, event);
        } else {
            *at_++ = event;
        }
    }

    /// Between the two the running thread's events are not kept: it is within an atomic operation
    /// that is made of several steps and may have to try again.
    void load_begins(const emulator::Worker& worker) {
        if (worker.thread != current_) switch_to(worker);
        if (!is_muted_) muted_ = record_;
        is_muted_ = true;
        write_to(nullptr);
    }
    void unmute() {
        if (is_muted_) write_to(muted_);
        is_muted_ = false;
    }
    bool is_muted() const { return is_muted_; }

    void launch_begins();
    void block_begins(const emulator::Block& block);
    void block_ends(std::uint64_t index);
    /// All threads of the block wait: everything so far is dealt with.
    void barrier(std::uint64_t index);

    Spaces spaces;
    Counters counters;
    Lockstep lockstep;

  private:
    void add_slowly(const emulator::Worker& worker, Event event);
    void switch_to(const emulator::Worker& worker);
    void write_to(Record* record);
    /// Before and after the records are looked at: `at_` says what the running thread's holds.
    void hand_over() {
        if (record_ != nullptr) record_->ends_at(at_);
    }
    void take_up();
    BlockRecord* find(std::uint64_t index);
    void finish_warp(BlockRecord& record, int warp);
    void finish_all(BlockRecord& record);

    const emulator::Thread* current_ = nullptr;
    Record* record_ = nullptr;
    Event *at_ = nullptr, *end_ = nullptr;  ///< where the next event goes; both null: nowhere
    Record* muted_ = nullptr;
    bool is_muted_ = false;
    BlockRecord* current_block_ = nullptr;
    int current_warp_ = 0;
    std::vector<std::unique_ptr<BlockRecord>> blocks_, free_;
};

/// The calling std::thread's; means something only while a launch is watched.
extern __thread Recorder* this_recorder;

/// From the start of a watched launch to its end.
extern bool is_watching;

}  // namespace lab
