// Looks for faults while kernels run: each access as it happens.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "access_sites.hpp"
#include "emulator/builtins.hpp"
#include "emulator/counters.hpp"
#include "emulator/hooks.hpp"
#include "emulator/kernel.hpp"
#include "emulator/report.hpp"
#include "finding_list.hpp"
#include "host_objects.hpp"
#include "lab/lab.hpp"
#include "lines.hpp"
#include "never_written.hpp"
#include "order/execution.hpp"
#include "race_cures.hpp"
#include "rules/words.hpp"
#include "trace.hpp"

namespace lab {

class RaceDetector : public emulator::Observer {
  public:
    // From the hooks, in a CUDA thread.
    void access(const emulator::Worker& worker, SiteId site, std::uintptr_t address,
                std::uint32_t bytes, Kind kind);
    /// The same for most of them; false: access() is to be called.
    template <bool is_store>
    bool access_quickly(const emulator::Worker& worker, const void* pc, std::uintptr_t address,
                        std::uint32_t bytes);
    /// A basic block of a kernel begins.
    void block(const emulator::Worker& worker, const void* pc);
    /// The same where nothing about it is new, as at nearly every one; false: block() is to be
    /// called. It may be interrupted at any place.
    bool knows_block(const emulator::Worker* worker, const void* pc) {
        if (worker == nullptr || run_.current == nullptr || worker->thread != run_.current)
            return false;
        if (!indexes_.empty() || !(is_block_one_warp_ || paths_.knows(pc, run_.number / 32)))
            return false;
        run_.last_pc = pc;
        return true;
    }
    /// The same of a load: of threadIdx and its like, of which nothing is to be said.
    bool knows_load(const emulator::Worker* worker, const void* pc, std::uintptr_t address) {
        if (!is_builtin(address) || worker == nullptr) return false;
        if (run_.current == nullptr || worker->thread != run_.current) return false;
        run_.last_pc = pc;
        return true;
    }
    /// An index that its array does not have, before it is used. `array`: its type.
    void index(const emulator::Worker& worker, emulator::Site site, const char* array,
               std::int64_t value);
    void enter(const emulator::Worker& worker, SiteId site, std::uintptr_t caller);
    void leave(const emulator::Worker& worker);
    void fence(const emulator::Worker& worker, bool is_block_scope);
    /// Whether the host's access here may be of interest.
    bool may_be_device(std::uintptr_t address) { return run_.device.may_hold(address); }
    bool was_near_device(std::uintptr_t address) const { return run_.device.was_near(address); }
    /// Whether a copy has brought items here that were never written; the host's access to it.
    bool may_be_brought(std::uintptr_t address) const { return never_written_.may_hold(address); }
    void brought_access(SiteId site, std::uintptr_t address, std::uint32_t bytes, Kind kind);
    /// The host's constructor stores the address of a table of virtual functions.
    void host_makes_object(std::uintptr_t address) {
        if (run_.device.find(address, 0) != nullptr) host_objects_.made(address, run_.epoch());
    }
    /// The host's.
    void host_access(SiteId site, std::uintptr_t address, std::uint32_t bytes, Kind kind);

    std::vector<Finding> take(std::string* notice);

    /// What happens is also written here; null: no longer.
    void set_trace(std::unique_ptr<Trace> trace) { trace_ = std::move(trace); }
    bool is_traced() const { return trace_ != nullptr; }
    /// Something of what happens now is to be written.
    bool is_tracing() const { return trace_ != nullptr && !trace_->is_cut(); }
    /// Throws TraceError where not all of it could be written.
    void end_trace() {
        const std::unique_ptr<Trace> ended = std::move(trace_);
        is_trace_cut_ = ended != nullptr && ended->is_cut();
        if (ended != nullptr) ended->close();
    }

    void launch_begins(const emulator::KernelSite& where,
                       const emulator::LaunchShape& shape) override;
    void function_argument(const emulator::Launch& launch, int position,
                           const void* function) override;
    void launch_ends(cudaError_t result) override;
    void block_begins(std::uint64_t block) override;
    void block_ends(std::uint64_t block) override;
    void barrier_passed(std::uint64_t block, emulator::Site site) override;
    void warp_passed(std::uint64_t block, int warp, unsigned lanes, emulator::Site site) override;
    void shuffled_from_outside(int lane, int source, unsigned mask, emulator::Site site) override;
    void async_barrier_made(std::uint64_t block, const void* barrier) override;
    void async_barrier_reached(std::uint64_t block, int thread, const void* barrier,
                               bool completes) override;
    void async_barrier_passed(std::uint64_t block, int thread, const void* barrier) override;
    void async_copy_begins(std::uint64_t block, int thread, const void* to, std::size_t bytes,
                           const void* barrier) override;
    void async_copies_committed(std::uint64_t block, int thread) override;
    void async_copies_waited_for(std::uint64_t block, int thread, std::size_t prior,
                                 emulator::Site site) override;
    void copied(const emulator::Copy& copy) override;
    void memory_given(const emulator::StreamMemory& memory) override;
    void memory_freed(const emulator::StreamMemory& memory) override;
    void renewed(const void* begin, std::size_t bytes) override;
    void released(const void* begin, const void* instruction) override;
    void stream_call(emulator::StreamCall call, const void* stream, const void* event) override;
    emulator::Site place(std::uintptr_t instruction) override;

  private:
    Execution run_;
    /// An index that its array does not have. If the access that follows lies in another array,
    /// that says more.
    struct Index {
        emulator::Site site;
        std::string array;
        std::int64_t value;
        int thread;
        std::string who;  ///< the same: the launch may end by a signal before this is reported
    };
    /// What the report of a race is made of, as it was at the second access.
    struct Race {
        Access access;
        Stamp other;
        RacePair pair;
        std::string kernel, item, mine, theirs;
        std::int64_t block;  ///< of the second access
        int thread;
    };
    Finding race_finding(const Race& race);
    /// Two stores that are not ordered: no fault if the second changes nothing.
    struct Pending {
        std::uintptr_t address;
        std::uint32_t bytes;
        unsigned char before[16];
        Race race;
        FindingList::Key key;
    };

    void switch_to(const emulator::Worker& worker);
    /// threadIdx and its like, and what the emulator's headers read in a kernel.
    static bool is_builtin(std::uintptr_t address) {
        const auto holds = [&](const auto& variable) {
            return address - reinterpret_cast<std::uintptr_t>(&variable) < sizeof variable;
        };
        return holds(threadIdx) || holds(blockIdx) || holds(blockDim) || holds(gridDim) ||
               holds(emulator::identifying) || holds(emulator::current_counts);
    }
    /// These, and the emulator's other variables of this std::thread, which lie around them.
    static bool is_near_builtin(std::uintptr_t address) {
        constexpr std::uintptr_t kAround = 4096;
        const std::uintptr_t builtin = reinterpret_cast<std::uintptr_t>(&threadIdx);
        return address - builtin + kAround < 2 * kAround;
    }
    /// `serial`: of the block whose bytes were written (shared memory); kHoldsValues: there is no
    /// telling; kHoldsPoison: as the cells say, unless the bytes are no longer those of fresh
    /// memory (the host may have written them unseen); 0: as the cells say.
    static constexpr std::uint32_t kHoldsValues = ~std::uint32_t{0};
    static constexpr std::uint32_t kHoldsPoison = kHoldsValues - 1;
    void keep_array(const Access& access, std::uintptr_t begin, std::size_t bytes, Cell* cells,
                    const Stamp& now, std::uint32_t serial);
    /// An access that is neither atomic nor volatile, and the bytes of each word that it uses.
    struct Usual {
        const Stamp* now;  ///< all of its stamp but for what follows
        SiteId site;
        bool is_store;
        unsigned mask;
        std::uint32_t serial;
    };
    void renew_now();
    bool is_usual(const Usual& access, const Cell& cell) const;
    static void note_usual(const Usual& access, Cell& cell);
    bool are_usual(const Usual& access, Cell* cells, std::size_t words) const;
    void look_whether_in_kernel() {
        const bool is_in_kernel =
            run_.block != nullptr && run_.thread->kernels > 0 &&
            (run_.thread->calls.size() < 2 || run_.thread->calls.back().is_kernel);
        in_kernel_ = is_in_kernel && !is_tracing() ? run_.current : nullptr;
    }
    void stop_running() { run_.current = in_kernel_ = nullptr; }
    void check(const Access& access, Cells& cells, std::size_t offset, std::uint32_t epoch,
               std::uint32_t serial);
    void check_closely(const Access& access, Cells& cells, std::size_t offset, std::uint32_t epoch,
                       std::uint32_t serial);
    static void note_written(Cell& cell, unsigned mask, std::uint32_t serial) {
        if (serial != 0 && serial < kHoldsPoison && cell.serial != serial) {
            cell.serial = serial;
            cell.written = 0;
        }
        cell.written |= mask & 0xfu;
    }
    void check_word(const Access& access, std::uintptr_t word, Cells& cells, Cell& cell,
                    const Stamp& now);
    void keep(Cells& cells, Cell& cell, const Stamp& now, bool is_load);
    void note_load_before(const Access& access, const Cell& cell, const Stamp& now);
    void check_written(const Access& access, Cells& cells, std::size_t offset,
                       std::uint32_t serial);
    void report_race(const Access& access, const Cell& cell, const Stamp& other, bool other_stores);
    void report_stream_race(const Access& access, const Stamp& other, bool other_stores);
    void report_host_side_race(const Party& mine, const Watched& what, bool is_store,
                               const Stamp& other, bool other_stores);
    void report_host_race(SiteId site, const Watched& what, bool is_store, const Stamp& other,
                          bool other_stores);
    void report_awaited(const Access& access, const AsyncCopy& copy);
    void report_read_only(const Access& access, SiteId other);
    void report_unset(const Access& access, bool is_store);
    void report_escaped(const Access& access, std::uint64_t block, bool is_other_launch);
    [[noreturn]] void report_misaligned(const Access& access, std::uint32_t alignment);
    void report_indexes();
    void check_in_stream(const Party& mine, Watched* memory, std::uintptr_t address,
                         std::size_t bytes, std::uint32_t epoch, bool is_store);
    void report_freed_on_host(SiteId site, std::uintptr_t address, bool is_store);
    void check_local(const Access& access);
    void check_loaded_pointer(const Access& access);
    void check_stored();
    void report_bounds(const Access& access, const Target& what);
    void report_uninitialised(const Access& access);
    void report_never_written(Finding made);
    void note_copy(const emulator::Copy& copy, const Watched& memory);
    void explain_short_copy(const Access& access, Finding& made);
    void check_kernel_heap(const Access& access, const Watched& heap);
    bool report_freed_heap(const Access& access, const Watched& heap);
    void check_overlap(const Access& access, const Cell& cell);
    void report_host_pointer(const Access& access);
    void report_constant_store(const Access& access);
    bool has_used(const Watched& array, SiteId site) const;
    void report_host_object(const Access& access, const std::string& name, bool is_function);
    void check_host_object(const Access& access, const Watched& memory);
    void report_device_pointer(SiteId id, const Watched& what, bool is_store);
    void report_unused();
    void report(const FindingList::Key& key, Finding finding);
    void settle();
    void add_emulator_reports();
    void add_emulator_report(const emulator::Report& said);
    /// Where a thread never came out of a loop, this comes before the emulator's words.
    bool explain_endless_loop(const emulator::Report& said, Finding& made) const;
    void trace_access(const Access& access, Space space);
    void trace_meeting(const char* what, const WatchedBlock& block, int warp, unsigned lanes,
                       emulator::Site site);
    void trace_exchange(const WatchedBlock& block, int warp, unsigned lanes, emulator::Site site);

    /// Where the address of a shared variable was stored: whose it is.
    struct Escaped {
        std::uint32_t epoch;
        std::uint64_t block;
        std::uintptr_t value;
    };

    /// The array that a plain access used last, for most of their places: of the running block's
    /// shared memory, or of the device's.
    struct KnownArray {
        SiteId site = kNoSite;
        std::uint32_t serial = 0;
        std::uintptr_t begin = 0;
        std::size_t offsets = 0;  ///< from `begin`, at which the access does not miss it
        Cell* cells = nullptr;
        const Stamp* now = nullptr;
    };
    static constexpr std::size_t kKnownArrays = 64;
    std::array<KnownArray, kKnownArrays> known_arrays_{};

    bool has_read_only_loads_ = false;  ///< __ldg has been seen

    /// The last copy or fill of an array, if it did not reach its end.
    struct ShortCopy {
        std::string call;
        emulator::Site site;
        std::size_t begin, bytes;     ///< of its first row
        std::size_t pitch, rows = 1;  ///< between rows, where there are several
    };
    std::map<std::uintptr_t, ShortCopy> short_copies_;   ///< by the array's begin
    std::map<std::uintptr_t, std::size_t> heap_memory_;  ///< what malloc() in kernels gave: bytes
    struct FreedHeap {
        std::size_t bytes;
        SiteId site;
        std::string who;
    };
    std::map<std::uintptr_t, FreedHeap> freed_heap_;  ///< and what was given back since
    Access waited_{};  ///< the last atomic or volatile access: what a loop may wait for
    int waiting_ = 0;  ///< by this thread
    HostObjects host_objects_;
    NeverWritten never_written_{run_.streams};
    std::vector<Index> indexes_;
    bool index_is_new_ = false;  ///< no basic block has begun since the last of them
    Access stored_{};            ///< its value is looked at when it is there; no bytes: none
    std::map<std::uintptr_t, Escaped> escaped_;
    std::uint64_t seen_generation_ = 0;

    bool is_block_one_warp_ = false;
    /// What an access of the running thread leaves in shared memory, and elsewhere.
    Stamp now_in_shared_, now_elsewhere_;
    /// The running thread, if it is in its kernel, in none of its helpers, and nothing is traced.
    const emulator::Thread* in_kernel_ = nullptr;
    std::map<SiteId, bool> kernel_entry_;
    /// What it says of the functions that were entered last, for most of them.
    struct KnownEntry {
        SiteId entry = kNoSite;
        bool is_kernel = false;
    };
    static constexpr std::size_t kKnownEntries = 64;
    std::array<KnownEntry, kKnownEntries> known_entries_{};

    std::vector<Pending> pending_;
    FindingList findings_;
    RaceCures race_cures_;
    WarpPaths paths_;
    std::unique_ptr<Trace> trace_;
    bool is_launch_traced_ = false;
    bool is_trace_cut_ = false;  ///< that of the last one that has ended
    bool is_dynamic_used_ = false, is_shared_used_ = false;  ///< by the running launch
    std::set<std::string> said_;  ///< by the emulator, as far as it is known here
};

/// The running race detector, or null.
extern RaceDetector* active_detector;

}  // namespace lab
