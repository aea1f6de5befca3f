#include "rules.hpp"

#include <mutex>
#include <utility>

#include "lines.hpp"

#if __has_include(<execinfo.h>)
#include <execinfo.h>
#endif

namespace lab {
namespace {

/// The innermost caller in the user's files: a smart pointer or a container may have called
/// `delete`.
Place place_of_caller() {
#if __has_include(<execinfo.h>)
    constexpr int kMaxCalls = 32;
    void* calls[kMaxCalls];
    const int count = backtrace(calls, kMaxCalls);
    for (int i = 0; i < count; ++i) {
        Place found = user_place(reinterpret_cast<std::uintptr_t>(calls[i]) - 1);
        const bool is_ours = found.file.find("/common/lab/src/") != std::string::npos;
        if (found.is_known() && !is_ours) return found;
    }
#endif
    return {};
}

}  // namespace

void DevicePointer::report(SiteId id, const Watched& what, bool is_store) {
    const FindingList::Key key = findings_.key_of(Fault::device_pointer, id);
    if (findings_.is_known(key) || !place_of(id).is_known()) return;
    Finding made;
    made.fault = Fault::device_pointer;
    made.title = "device pointer on the host";
    made.parties = {host(id, fmt::format("{} {},", does(is_store), what.description))};
    made.advice = "\nOnly kernels can. Copy it to host memory with cudaMemcpy.";
    findings_.add(key, std::move(made));
}

void DevicePointer::report_freed(SiteId id, std::uintptr_t address, bool is_store) {
    const FindingList::Key key = findings_.key_of(Fault::device_pointer, id);
    if (findings_.is_known(key) || !place_of(id).is_known()) return;
    Finding made;
    made.fault = Fault::device_pointer;
    made.code = "freed_memory";
    made.title = "freed memory on the host";
    made.parties = {host(id, does(is_store) + std::string(" it"))};
    made.evidence = "It is " + emulator::describe_address(address) + ".";
    made.advice = "\nFree memory after its last use.";
    emulator::let_use_freed(address);
    findings_.add(key, std::move(made));
}

void DevicePointer::report_variable(SiteId id, const Variable& variable, bool is_store) {
    const FindingList::Key key = findings_.key_of(Fault::device_pointer, id);
    if (findings_.is_known(key) || !place_of(id).is_known()) return;
    Finding made;
    made.fault = Fault::device_pointer;
    made.title = "device variable on the host";
    made.parties = {
        host(id, fmt::format("{} {}, a __device__ variable,", does(is_store), variable.name))};
    made.advice = fmt::format(
        "\nOn a GPU the host has a different variable of this name, which no kernel sees. "
        "Copy with\n{}.",
        is_store ? "cudaMemcpyToSymbol" : "cudaMemcpyFromSymbol");
    findings_.add(key, std::move(made));
}

bool DevicePointer::is_of_cuda(std::uintptr_t address) {
    emulator::Memory& all = emulator::memory();
    const std::unique_lock<std::mutex> lock(all.mutex, std::try_to_lock);
    if (!lock.owns_lock()) return false;
    const auto* const found = emulator::find_in(all, reinterpret_cast<const void*>(address));
    return found != nullptr && found->mapping != nullptr;
}

void DevicePointer::report_free(const void* pc, std::uintptr_t address, const std::string& call) {
    emulator::Memory& all = emulator::memory();
    std::string what;
    bool is_pinned = false;
    {
        const std::lock_guard<std::mutex> lock(all.mutex);
        const void* const pointer = reinterpret_cast<const void*>(address);
        const emulator::Allocation* const found = emulator::find_in(all, pointer);
        what = emulator::describe_in(all, pointer);
        is_pinned = found != nullptr && found->kind == emulator::MemoryKind::pinned;
    }
    const Place place =
        pc != nullptr ? user_place(reinterpret_cast<std::uintptr_t>(pc) - 1) : place_of_caller();
    Finding made;
    made.fault = Fault::backend;
    made.code = emulator::code(emulator::Reason::free);
    made.file = file_name(place.file);
    made.line = place.line;
    made.title = fmt::format("{}{}: the memory is {}, and not {}.\nFree it with {}.", call,
                             place.is_known() ? fmt::format(" at {}:{}", made.file, made.line) : "",
                             what, call == "free()" ? "the C library's" : "from new",
                             is_pinned ? "cudaFreeHost" : "cudaFree");
    if (call != "free()") {
        made.title +=
            " If a smart pointer or a container has deleted it, give that a deleter\nthat does so.";
    }
    findings_.add(std::move(made));
}

}  // namespace lab
