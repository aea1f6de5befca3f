#include "host_reads.hpp"

#include <cuda_runtime.h>

#include <csignal>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "../../emulator/include/emulator/hooks.hpp"
#include "../../harness/fmt.hpp"

namespace emulator {
extern Observer* installed_observer;  // of the backend's own: hooks.hpp only sets it
}

namespace grading::worker {
namespace {

struct Noted {
    std::size_t bytes = 0;
    std::size_t copies = 0;
    const char* call = "";
    emulator::Site site = {};
};
Noted noted;
bool is_state_changed = false;  // by a kernel

// Where the host's code touched device memory without a call of CUDA's, if it did; the first time.
volatile bool is_touched = false;
const void* volatile touched_at = nullptr;
struct sigaction handled_before;

/// Notes it, and lets the host go on: the verdict is to say what was wrong.
void touch(int number, siginfo_t* info, void*) {
    if (info->si_code > 0 && !is_touched && emulator::is_device_memory(info->si_addr)) {
        is_touched = true;
        touched_at = info->si_addr;
        emulator::keep_host_out(false);
        return;
    }
    sigaction(number, &handled_before, nullptr);
    if (info->si_code <= 0) raise(number);  // else the same instruction fails once more
}

void note_touches() {
    static const bool is_installed = [] {
        struct sigaction action {};
        action.sa_sigaction = &touch;
        action.sa_flags = SA_SIGINFO;
        return sigaction(SIGSEGV, &action, &handled_before) == 0;
    }();
    if (is_installed && !is_touched) emulator::keep_host_out(true);
}

/// The name of the device array that the address belongs to, and the byte there.
std::string place_of(const void* address) {
    const auto* const at = static_cast<const char*>(address);
    for (const emulator::Extent& each : emulator::device_extents()) {
        const auto* const begin = static_cast<const char*>(each.begin);
        if (!std::less<>()(at, begin) && std::less<>()(at, begin + each.bytes)) {
            return fmt::format("byte {} of {}", at - begin, each.name);
        }
    }
    return "device memory";
}

/// Notes copies, and lets the tool that watches, if any, see everything as before.
class Noting : public emulator::Observer {
  public:
    emulator::Observer* next = nullptr;

    void launch_begins(const emulator::KernelSite& where,
                       const emulator::LaunchShape& shape) override {
        error_ = cudaPeekAtLastError();
        arrays_ = arrays();
        if (next != nullptr) next->launch_begins(where, shape);
    }
    void launch_ends(cudaError_t result) override {
        // What a kernel does to CUDA's own state tells the host, without a copy, what it has read.
        is_state_changed =
            is_state_changed ||
            (result == cudaSuccess && (cudaPeekAtLastError() != error_ || arrays() != arrays_));
        if (next != nullptr) next->launch_ends(result);
    }
    void block_begins(std::uint64_t block) override {
        if (next != nullptr) next->block_begins(block);
    }
    void block_ends(std::uint64_t block) override {
        if (next != nullptr) next->block_ends(block);
    }
    void barrier_passed(std::uint64_t block, emulator::Site site) override {
        if (next != nullptr) next->barrier_passed(block, site);
    }
    void warp_passed(std::uint64_t block, int warp, unsigned lanes, emulator::Site site) override {
        if (next != nullptr) next->warp_passed(block, warp, lanes, site);
    }
    void shuffled_from_outside(int lane, int source, unsigned mask, emulator::Site site) override {
        if (next != nullptr) next->shuffled_from_outside(lane, source, mask, site);
    }
    void copied(const emulator::Copy& copy) override {
        if (copy.from != nullptr && emulator::is_device_memory(copy.from) &&
            !emulator::is_device_memory(copy.to)) {
            if (noted.copies == 0) noted = {0, 0, copy.call, copy.site};
            noted.bytes += copy.bytes;
            ++noted.copies;
        }
        if (next != nullptr) next->copied(copy);
    }
    void stream_call(emulator::StreamCall call, const void* stream, const void* event) override {
        if (next != nullptr) next->stream_call(call, stream, event);
    }
    emulator::Site place(std::uintptr_t instruction) override {
        return next != nullptr ? next->place(instruction) : emulator::Site{};
    }

  private:
    /// One number for where arrays lie: one that was freed and another in its place are seen.
    static std::uint64_t arrays() {
        std::uint64_t all = 0;
        for (const emulator::Extent& each : emulator::device_extents()) {
            const auto begin = reinterpret_cast<std::uintptr_t>(each.begin);
            all = (all ^ begin ^ each.bytes << 48) * 0xd6e8feb86659fd93ull;
        }
        return all;
    }

    cudaError_t error_ = cudaSuccess;
    std::uint64_t arrays_ = 0;
};
Noting noting;

}  // namespace

// Where no tool watches, none is installed: a kernel runs faster without.
HostReads::HostReads() {
    note_touches();
    noting.next = emulator::installed_observer;
    if (noting.next != nullptr) emulator::set_observer(&noting);
}

HostReads::~HostReads() {
    emulator::keep_host_out(false);
    if (noting.next != nullptr) emulator::set_observer(noting.next);
}

std::vector<detail::Failure> HostReads::take() {
    if (is_touched) {
        is_touched = false;
        return {{"device_pointer",
                 fmt::format("The host's code touches {}. Only kernels and CUDA's calls can.",
                             place_of(touched_at))}};
    }
    if (std::exchange(is_state_changed, false)) {
        return {{"backend",
                 "A kernel calls functions of CUDA's that are the host's: it has allocated memory, "
                 "freed some, or made one of them fail."}};
    }
    if (noted.copies == 0) return {};
    const Noted one = std::exchange(noted, {});
    std::string text =
        fmt::format("bytes that the host fetches from the device: {}; 0 are allowed.", one.bytes);
    if (one.site.file != nullptr && one.site.line > 0) {
        const std::string file = one.site.file;
        text += fmt::format("\n{} at {}:{}.", one.call, file.substr(file.rfind('/') + 1),
                            one.site.line);
    }
    text += "\nWhat the task asks for is computed on the device, and stays there.";
    return {{"count", text}};
}

}  // namespace grading::worker
