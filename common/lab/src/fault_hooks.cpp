// What the hooks tell the race detector.
#include "fault_hooks.hpp"

#include <atomic>
#include <chrono>
#include <csignal>
#include <thread>

#include "race_detector.hpp"

namespace lab {
namespace {

std::atomic<int> host_threads{0};
thread_local bool is_known_thread = false;

/// Registers the calling host thread; true if there are several, which then take turns.
bool are_several_host_threads() {
    if (!is_known_thread) {
        is_known_thread = true;
        // The first thread has not taken turns yet: let it finish its call.
        if (++host_threads == 2) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return host_threads.load(std::memory_order_relaxed) > 1;
}

bool is_behind_block(std::uintptr_t address) {
    return emulator::may_be_behind_block(address) &&
           emulator::host_block_before(reinterpret_cast<const void*>(address)).begin != nullptr;
}

void look_at_host(RaceDetector& detector, const void* pc, Kind kind, std::uintptr_t address,
                  std::uint32_t bytes, Traits traits) {
    if (detector.may_be_brought(address)) {
        detector.brought_access(site_id(pc, kind, bytes, traits), address, bytes, kind);
    }
    if (is_behind_block(address)) {
        detector.behind_host_block(site_id(pc, kind, bytes, traits), address, kind);
    }
    if (detector.is_device_variable(address)) {
        detector.device_variable_access(site_id(pc, kind, bytes, traits), address, kind);
        return;
    }
    if (!detector.may_be_device(address)) return;
    detector.host_access(site_id(pc, kind, bytes, traits), address, bytes, kind);
}

/// An access of the host.
__attribute__((noinline)) void look_on_host(RaceDetector& detector, const void* pc, Kind kind,
                                            std::uintptr_t address, std::uint32_t bytes,
                                            Traits traits) {
    if (!is_access(kind) || emulator::ToolIsBusy::is_busy) return;
    const emulator::ToolIsBusy busy;
    if (!are_several_host_threads()) {
        look_at_host(detector, pc, kind, address, bytes, traits);
        return;
    }
    if (!detector.was_near_device(address) && !detector.may_be_brought(address) &&
        !detector.is_device_variable(address) && !is_behind_block(address)) {
        return;
    }
    constexpr int kMilliseconds = 100;
    const emulator::ToolTurn turn(kMilliseconds);
    if (turn.is_held()) look_at_host(detector, pc, kind, address, bytes, traits);
}

/// An access of a CUDA thread.
__attribute__((noinline)) void look_closely(RaceDetector& detector, const emulator::Worker& worker,
                                            const void* pc, Kind kind, std::uintptr_t address,
                                            std::uint32_t bytes, Traits traits,
                                            std::uintptr_t frame) {
    if (worker.thread == nullptr) return;
    if (kind == Kind::block) {
        detector.block(worker, pc);
        return;
    }
    const SiteId site = site_id(pc, kind, bytes, traits);
    if (kind == Kind::entry) {
        detector.enter(worker, site, address);
    } else {
        detector.access(worker, site, address, bytes, kind, frame);
    }
}

}  // namespace

void RaceDetector::block_begins(const void* pc) {
    if (emulator::ToolIsBusy::is_busy || knows_block(emulator::this_worker, pc)) return;
    look(pc, Kind::block, 0, 0, {});
}

void RaceDetector::look(const void* pc, Kind kind, std::uintptr_t address, std::uint32_t bytes,
                        Traits traits) {
    const emulator::Worker* const worker = emulator::this_worker;
    if (worker == nullptr) {
        look_on_host(*this, pc, kind, address, bytes, traits);
        return;
    }
    // A template that the lab and the program both use is linked once, with the program's hooks.
    if (knows_access(worker, pc, address) || emulator::ToolIsBusy::is_busy) return;
    {
        const emulator::ToolIsBusy busy;
        const bool is_done = kind == Kind::read ? access_quickly<false>(*worker, pc, address, bytes)
                             : kind == Kind::write
                                 ? access_quickly<true>(*worker, pc, address, bytes)
                                 : false;
        // Below this frame only variables of functions that have returned are left.
        const std::uintptr_t frame = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
        if (!is_done) look_closely(*this, *worker, pc, kind, address, bytes, traits, frame);
    }
    // A loop that never ends spends most of its time here.
    if (emulator::signal_was_refused) raise(emulator::watchdog_signal());
}

void RaceDetector::before_swap(const emulator::Worker& worker, const void* pc,
                               std::uintptr_t address, std::uint32_t bytes) {
    constexpr std::uintptr_t kReach = 4096;  // what narrowly misses an array is found afterwards
    if (run_.device.was_near(address, kReach)) return;
    if (is_program_image(address) || worker.fiber->holds(address)) return;
    if (run_.block != nullptr && run_.is_shared(address)) return;
    look(pc, Kind::atomic, address, bytes, {});
}

void RaceDetector::host_makes_object(std::uintptr_t address) {
    const emulator::ToolIsBusy busy;
    if (!was_near_device(address)) return;
    const emulator::ToolTurn turn;
    if (run_.device.find(address, 0) != nullptr) host_function_.objects.made(address, run_.epoch());
}

void RaceDetector::host_reads_clock(const void* pc, bool through_clock) {
    const bool is_host =
        emulator::this_worker == nullptr || emulator::this_worker->thread == nullptr;
    if (!is_host || emulator::ToolIsBusy::is_busy) return;
    const emulator::ToolIsBusy busy;
    const emulator::ToolTurn turn;
    host_clock_.read(pc, through_clock);
}

/// `delete` is called by everything, also by what holds the locks of the emulator: it may not wait
/// for them. The turn comes last, once it is certain that there is something to report.
bool RaceDetector::host_frees(const void* pc, std::uintptr_t address, const char* call) {
    if (emulator::this_worker != nullptr || emulator::ToolIsBusy::is_busy) return false;
    if (!was_near_device(address)) return false;
    const emulator::ToolIsBusy busy;
    const bool is_registered = DevicePointer::is_registered(address);
    if (!is_registered && !DevicePointer::is_of_cuda(address)) return false;
    constexpr int kMilliseconds = 1000;
    const emulator::ToolTurn turn(kMilliseconds);
    if (turn.is_held() && is_registered) {
        const Party mine = device_pointer_.report_registered(pc, call);
        Watched* const memory = run_.device.find(address, 0);
        if (memory != nullptr && memory->cells != nullptr) {
            stream_race_.check_free(mine, *memory, memory->bytes, false);
        }
    } else if (turn.is_held()) {
        device_pointer_.report_free(pc, address, call);
    }
    return !is_registered;
}

}  // namespace lab
