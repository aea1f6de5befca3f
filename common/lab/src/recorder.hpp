// One worker's part of the lab: records what the running threads do, and passes it on warp by warp.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "counters.hpp"
#include "emulator/for_observers.hpp"
#include "lockstep.hpp"
#include "record.hpp"
#include "spaces.hpp"

namespace lab {

/// What is recorded of one resident block.
struct BlockRecord {
    const emulator::Block* block = nullptr;
    std::uint64_t index = 0;
    std::vector<Record> threads;
    std::vector<WarpState> warps;
    bool is_lost = false;  ///< too long to be recorded
    /// As KernelReport's, the first `begun` of which are those that the block began with.
    std::vector<std::uint32_t> states;
    std::size_t begun = 0;
};

/// What a hook needs to record an event of the running thread. Separate for each std::thread, but
/// not in its Recorder: this is read at every event.
struct Running {
    Event* at;  ///< where the next event goes; `end`: there is no room, or nothing is recorded
    /// Placed between the two, because a compiler may copy adjacent members as one word, and would
    /// then wait for a value just written to one of them.
    const emulator::Thread* thread;
    Event* end;
};
extern __thread Running running;

class Recorder {
  public:
    explicit Recorder(Flow& flow) : lockstep(flow) {}

    /// From a hook, in a CUDA thread.
    void add(const emulator::Worker& worker, Event event);

    /// Between the two calls the running thread's events are not kept: it is inside an atomic
    /// operation that takes several steps and may have to repeat them.
    void load_begins(const emulator::Worker& worker) {
        if (worker.thread != running.thread) switch_to(worker);
        if (!is_muted_) muted_ = record_;
        is_muted_ = true;
        write_to(nullptr);
    }
    void unmute() {
        if (is_muted_) write_to(muted_);
        is_muted_ = false;
    }

    void launch_begins();
    void block_begins(const emulator::Block& block);
    void block_ends(std::uint64_t index);
    /// All threads of the block wait: processes everything so far.
    void barrier(std::uint64_t index);

    Spaces spaces;
    Counters counters;
    Lockstep lockstep;

  private:
    void switch_to(const emulator::Worker& worker);
    void write_to(Record* record);
    /// Before and after the records are processed: `running` says what the running thread's record
    /// holds.
    void hand_over() {
        if (record_ != nullptr) record_->ends_at(running.at);
    }
    void take_up();
    void stop_running();
    BlockRecord* find(std::uint64_t index);
    void finish_warp(BlockRecord& record, int warp);
    void finish_all(BlockRecord& record);

    Record* record_ = nullptr;
    Record* muted_ = nullptr;
    bool is_muted_ = false;
    BlockRecord* current_block_ = nullptr;
    int current_warp_ = 0;
    std::vector<std::unique_ptr<BlockRecord>> blocks_, free_;
};

/// The calling std::thread's; meaningful only while a launch is watched.
extern __thread Recorder* this_recorder;

/// From the start of a watched launch to its end.
extern bool is_watching;

}  // namespace lab
