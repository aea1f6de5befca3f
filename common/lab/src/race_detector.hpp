// Looks for faults while kernels run: checks each access as it happens.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "access_sites.hpp"
#include "emulator/for_observers.hpp"
#include "fault_hooks.hpp"
#include "lab/lab.hpp"
#include "lines.hpp"
#include "order/execution.hpp"
#include "program.hpp"
#include "rules/never_written.hpp"
#include "rules/race_cures.hpp"
#include "rules/rules.hpp"
#include "trace.hpp"
#include "variables.hpp"

namespace lab {

class RaceDetector final : public emulator::Observer, public FaultHooks {
  public:
    RaceDetector() {
        findings_.when_added = [this](const Finding& added) {
            if (trace_ != nullptr && run_.block != nullptr) {
                trace_->fault(added, run_.block->index, run_.number);
            }
        };
    }
    // From the hooks.
    void block_begins(const void* pc) override;
    void look(const void* pc, Kind kind, std::uintptr_t address, std::uint32_t bytes,
              Traits traits) override;
    void before_swap(const emulator::Worker& worker, const void* pc, std::uintptr_t address,
                     std::uint32_t bytes) override;
    void leave(const emulator::Worker& worker) override;
    void begin_array(const emulator::Worker& worker, const LocalArray& array) override;
    void end_array(const emulator::Worker& worker) override;
    void fence(const emulator::Worker& worker, FenceScope scope) override;
    void index(const emulator::Worker& worker, emulator::Site site, const char* array,
               std::int64_t value) override;
    void host_makes_object(std::uintptr_t address) override;
    bool host_frees(const void* pc, std::uintptr_t address, const char* call) override;
    void host_reads_clock(const void* pc, bool through_clock) override;

    // From look(), in a CUDA thread. `frame`: the end of the running functions' local variables.
    void access(const emulator::Worker& worker, SiteId site, std::uintptr_t address,
                std::uint32_t bytes, Kind kind, std::uintptr_t frame = 0);
    /// The fast path of most accesses; false: call access().
    template <bool is_store>
    bool access_quickly(const emulator::Worker& worker, const void* pc, std::uintptr_t address,
                        std::uint32_t bytes);
    /// A basic block of a kernel begins.
    void block(const emulator::Worker& worker, const void* pc);
    /// The same for a block about which nothing is new, as for nearly every one; false: call
    /// block(). It may be interrupted anywhere.
    bool knows_block(const emulator::Worker* worker, const void* pc) {
        if (worker == nullptr || run_.current == nullptr || worker->thread != run_.current)
            return false;
        if (bounds_.has_indexes() || !(is_block_one_warp_ || paths_.knows(pc, run_.number / 32)))
            return false;
        run_.last_pc = pc;
        return true;
    }
    /// The same for an access to threadIdx and the like, which needs no check.
    bool knows_access(const emulator::Worker* worker, const void* pc, std::uintptr_t address) {
        if (!is_builtin(address) || worker == nullptr) return false;
        if (run_.current == nullptr || worker->thread != run_.current) return false;
        run_.last_pc = pc;
        return true;
    }
    void enter(const emulator::Worker& worker, SiteId site, std::uintptr_t caller);
    /// Whether the host's access here may be of interest.
    bool may_be_device(std::uintptr_t address) { return run_.device.may_hold(address); }
    bool was_near_device(std::uintptr_t address) const { return run_.device.was_near(address); }
    /// Whether a copy has brought items here that were never written; the host's access to them.
    bool may_be_brought(std::uintptr_t address) const { return never_written_.may_hold(address); }
    void brought_access(SiteId site, std::uintptr_t address, std::uint32_t bytes, Kind kind);
    /// Whether this is an address of a __device__ variable; quick for the host's many accesses.
    bool is_device_variable(std::uintptr_t address) {
        if (!is_program_data(address)) return false;
        const Variable* known = host_variable_;  // other threads of the host may change it
        if (known == nullptr || !known->holds(address)) {
            host_variable_ = known = variable_at(address);
        }
        return known != nullptr && known->side == Variable::Side::device;
    }
    void device_variable_access(SiteId site, std::uintptr_t address, Kind kind) {
        const bool is_store = kind != Kind::read && kind != Kind::read_some;
        device_pointer_.report_variable(site, *variable_at(address), is_store);
    }
    /// An access of the host that may be behind memory of its own.
    void behind_host_block(SiteId site, std::uintptr_t address, Kind kind) {
        bounds_.check_host(site, address, kind != Kind::read && kind != Kind::read_some);
    }
    /// An access of the host.
    void host_access(SiteId site, std::uintptr_t address, std::uint32_t bytes, Kind kind);

    std::vector<Finding> take(std::string* notice);
    /// The number of kernels launched, and of copies.
    std::size_t launches() const { return launches_; }
    bool has_host_functions() const { return run_.streams.has_host_functions(); }

    /// From here on events are also written to `trace`; null: no longer.
    void set_trace(std::unique_ptr<Trace> trace) { trace_ = std::move(trace); }
    bool is_traced() const { return trace_ != nullptr; }
    /// Whether what happens now is written to the trace.
    bool is_tracing() const { return trace_ != nullptr && !trace_->is_cut(); }
    /// Throws TraceError if not all of it could be written.
    void end_trace() {
        const std::unique_ptr<Trace> ended = std::move(trace_);
        is_trace_cut_ = ended != nullptr && ended->is_cut();
        if (ended != nullptr) ended->close();
    }

    void launch_begins(const emulator::KernelSite& where,
                       const emulator::LaunchShape& shape) override;
    void argument(const emulator::Launch& launch,
                  const emulator::LaunchArgument& argument) override;
    void launch_ends(cudaError_t result) override;
    void block_begins(std::uint64_t block) override;
    void block_ends(std::uint64_t block) override;
    void barrier_passed(std::uint64_t block, emulator::Site site) override;
    void warp_passed(std::uint64_t block, int warp, unsigned lanes, emulator::Site site) override;
    void shuffled_from_outside(int lane, int source, unsigned mask, emulator::Site site) override {
        const emulator::ToolIsBusy busy;
        shuffle_source_.report(lane, source, mask, site);
    }
    void shuffled_beyond(emulator::ShuffleBeyond how, unsigned asked, unsigned size,
                         emulator::Site site) override {
        const emulator::ToolIsBusy busy;
        shuffle_source_.report_beyond(how, asked, size, site);
    }
    void diverged_mask(unsigned lanes, unsigned all, emulator::Site site) override {
        const emulator::ToolIsBusy busy;
        shuffle_source_.report_mask(lanes, all, site);
    }
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
    bool deleted(const void* pointer, const char* call) override {
        return host_frees(nullptr, reinterpret_cast<std::uintptr_t>(pointer), call);
    }
    bool is_unaware_of_calls(emulator::Site call) override;
    void stream_call(emulator::StreamCall call, const void* stream, const void* event) override;
    emulator::Site place(std::uintptr_t instruction) override;

  private:
    Execution run_;
    FindingList findings_;

    AwaitedCopy awaited_copy_{run_, findings_};
    BlockTicket block_ticket_{run_, findings_};
    BytesSet bytes_set_{run_, findings_};
    ConstantStore constant_store_{run_, findings_};
    CopySize copy_size_{run_, findings_};
    DataRace data_race_{run_, findings_};
    DevicePointer device_pointer_{run_, findings_};
    EarlierRound earlier_round_{run_, findings_};
    EmulatorReports emulator_reports_{run_, findings_};
    EscapedAddress escaped_address_{run_, findings_};
    HostFunction host_function_{run_, findings_};
    HostClock host_clock_{run_, findings_};
    HostPointer host_pointer_{run_, findings_, escaped_address_};
    LostCopy lost_copy_{run_, findings_};
    KernelHeap heap_{run_, findings_};
    Misaligned misaligned_{run_, findings_};
    OutOfBounds bounds_{run_, findings_};
    OverlappingArrays overlapping_arrays_{run_, findings_};
    ReadOnlyLoad read_only_load_{run_, findings_};
    LockOrder lock_order_{run_, findings_};
    SetInPart set_in_part_{run_, findings_};
    ShuffleSource shuffle_source_{run_, findings_};
    StreamRace stream_race_{run_, findings_};
    Uninitialised uninitialised_{run_, findings_};
    UnsetVariable unset_variable_{run_, findings_};
    UnusedShared unused_shared_{run_, findings_};

    void switch_to(const emulator::Worker& worker);
    void use_async_barrier(const void* barrier, Kind kind);
    /// threadIdx and the like, and what the emulator's headers use in a kernel.
    static bool is_builtin(std::uintptr_t address) {
        const auto holds = [&](const auto& variable) {
            return address - reinterpret_cast<std::uintptr_t>(&variable) < sizeof variable;
        };
        if (!is_near_builtin(address)) return false;
        return holds(threadIdx) || holds(blockIdx) || holds(blockDim) || holds(gridDim) ||
               holds(emulator::identifying) || holds(emulator::current_counts);
    }
    /// These, and the emulator's other variables of this std::thread, which are next to them.
    static bool is_near_builtin(std::uintptr_t address) {
        constexpr std::uintptr_t kAround = 4096;
        const std::uintptr_t builtin = reinterpret_cast<std::uintptr_t>(&threadIdx);
        return address - builtin + kAround < 2 * kAround;
    }
    void keep_array(const Access& access, std::uintptr_t begin, std::size_t bytes, Cell* cells,
                    const Stamp& now, std::uint32_t serial);
    void access_shared(Access& access);
    bool is_polled(SiteId id);
    bool is_data(SiteId id);
    void access_device(Access& access, Watched& memory);
    void access_variable(Access& access);
    /// An access that is neither atomic nor volatile, and the bytes of each word that it uses.
    struct Usual {
        const Stamp* now;  ///< all of its stamp except what follows
        SiteId site;
        bool is_store;
        unsigned mask;
        std::uint32_t serial;
    };
    void renew_now();
    /// Which of its word's two stamps a load's stamp is put into.
    enum class QuickPlace {
        joins,       ///< into the newer one, of its warp
        reaches,     ///< the same, with the bytes after those of its neighbour
        overwrites,  ///< the newer one
        shifts,      ///< the newer one, which replaces the older one
        closely,     ///< left to WordUsers
    };
    static QuickPlace quick_place(const Users (&read)[2], const Stamp& now, unsigned mask,
                                  bool has_streams);
    static QuickPlace quick_place_beside(const Users& last, const Stamp& now, unsigned mask);
    bool is_usual(const Usual& access, const Cell& cell, QuickPlace& place) const;
    static void note_usual(const Usual& access, Cell& cell, QuickPlace place);
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
    void check_word(const Access& access, std::uintptr_t word, Cells& cells, Cell& cell,
                    const Stamp& now);
    void report_never_written(Finding made);
    void settle();
    void trace_access(const Access& access, Space space);
    void trace_meeting(const char* what, const WatchedBlock& block, int warp, unsigned lanes,
                       emulator::Site site);
    void trace_exchange(const WatchedBlock& block, int warp, unsigned lanes, emulator::Site site);

    /// The array that a plain access used last, for most places: in the running block's shared
    /// memory, or in the device's.
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

    NeverWritten never_written_{run_.streams};
    bool index_is_new_ = false;  ///< no basic block has begun since the last of them
    Access stored_{};            ///< its value is read once it is stored; no bytes: none
    std::uint64_t seen_generation_ = 0;
    std::size_t launches_ = 0;
    const Variable* host_variable_ = nullptr;  ///< that the host used last

    bool is_block_one_warp_ = false;
    /// What an access of the running thread leaves in shared memory, and elsewhere.
    Stamp now_in_shared_, now_elsewhere_;
    /// The running thread, if it is in its kernel but in no helper, and nothing is traced.
    const emulator::Thread* in_kernel_ = nullptr;
    std::map<SiteId, bool> kernel_entry_;
    /// Its last results, for most functions.
    struct KnownEntry {
        SiteId entry = kNoSite;
        bool is_kernel = false;
    };
    static constexpr std::size_t kKnownEntries = 64;
    std::array<KnownEntry, kKnownEntries> known_entries_{};

    /// Whether a loop waits for the volatile variable, for the places that were asked about.
    std::map<SiteId, bool> polled_, data_;

    WarpPaths paths_;
    std::unique_ptr<Trace> trace_;
    bool is_launch_traced_ = false;
    bool is_trace_cut_ = false;  ///< that of the last one that has ended
};

}  // namespace lab
