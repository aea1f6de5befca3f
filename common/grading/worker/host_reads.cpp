#include "host_reads.hpp"

#include <cuda_runtime.h>

#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "../../emulator/include/emulator/hooks.hpp"
#include "../../harness/fmt.hpp"
#include "host_touches.hpp"

namespace emulator {
extern Observer* installed_observer;  // internal to the emulator: hooks.hpp only sets it
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

/// Records copies, and passes everything on to the tool that watches.
class Noting : public emulator::Observer {
  public:
    using emulator::Observer::next;

    void launch_begins(const emulator::KernelSite& where,
                       const emulator::LaunchShape& shape) override {
        error_ = cudaPeekAtLastError();
        Observer::launch_begins(where, shape);
    }
    void launch_ends(cudaError_t result) override {
        // By changing CUDA's state, a kernel could tell the host what it has read, without a copy.
        is_state_changed =
            is_state_changed || (result == cudaSuccess && cudaPeekAtLastError() != error_);
        Observer::launch_ends(result);
    }
    void copied(const emulator::Copy& copy) override {
        if (copy.from != nullptr && emulator::is_device_memory(copy.from) &&
            !emulator::is_device_memory(copy.to)) {
            if (noted.copies == 0) noted = {0, 0, copy.call, copy.site};
            noted.bytes += copy.bytes;
            ++noted.copies;
        }
        Observer::copied(copy);
    }

  private:
    cudaError_t error_ = cudaSuccess;
};
Noting noting;

}  // namespace

// If no tool watches, none is installed: kernels run faster without one.
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
    if (const void* const touched = take_touch()) {
        return {{"device_pointer",
                 fmt::format("The host's code touches {}. Only kernels and CUDA's calls can.",
                             place_of(touched))}};
    }
    if (std::exchange(is_state_changed, false)) {
        return {{"backend",
                 "A kernel calls CUDA functions that only the host may call: it has made one of "
                 "them fail."}};
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
    text += "\nWhat the task asks for must be computed on the device, and stay there.";
    return {{"count", text}};
}

}  // namespace grading::worker
