#include "rules.hpp"

#include <mutex>
#include <set>
#include <string>
#include <utility>

#include "lines.hpp"
#include "source_calls.hpp"
#include "source_words.hpp"

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

/// Where free() or a `delete` was called, at an instruction; null: somewhere above.
Place place_of_free(const void* pc) {
    return pc != nullptr ? user_place(reinterpret_cast<std::uintptr_t>(pc) - 1) : place_of_caller();
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
    // "h.samples[5]", "g->offsets"
    const Place here = place_of(id);
    const std::string code = code_line(here.file, here.line);
    const std::size_t arrow = code.find("->");
    std::set<std::string> members;
    for (const IndexText& each : indexes_of(code)) {
        const std::size_t at = code.find('.' + each.array + '[');
        if (at == std::string::npos) continue;
        members.insert(name_before(code, at) + '.' + each.array);
    }
    if (!members.empty()) {
        const std::string& first = *members.begin();
        const std::string others = members.size() > 1 ? "; the same for the other pointers" : "";
        made.advice = fmt::format(
            "\nOnly kernels can. {} is a pointer of the device's, also in the host's copy of the "
            "struct: ",
            first);
        made.advice += is_store
                           ? fmt::format(
                                 "store in an array of the\nhost, and copy that, cudaMemcpy({}, "
                                 "array of the host, bytes, cudaMemcpyHostToDevice){}.",
                                 first, others)
                           : fmt::format(
                                 "copy what it points to,\ncudaMemcpy(array of the host, {}, "
                                 "bytes, cudaMemcpyDeviceToHost), and read that{}.",
                                 first, others);
    } else if (arrow != std::string::npos && find_word(code, "cudaMemcpy") < arrow) {
        const std::string base = name_before(code, arrow);
        made.advice = fmt::format(
            "\nOnly kernels can: {} points to a struct in device memory, so the host cannot read "
            "{}->... there. Keep such a struct on\nthe host as well, use its pointers in the "
            "calls, "
            "and copy the struct to {} at the end, with cudaMemcpy.",
            base, base, base);
    }
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
    const Place place = place_of_free(pc);
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

bool DevicePointer::is_registered(std::uintptr_t address) {
    emulator::Memory& all = emulator::memory();
    const std::unique_lock<std::mutex> lock(all.mutex, std::try_to_lock);
    if (!lock.owns_lock()) return false;
    const auto* const found = emulator::find_in(all, reinterpret_cast<const void*>(address));
    return found != nullptr && found->kind == emulator::MemoryKind::registered &&
           reinterpret_cast<std::uintptr_t>(found->begin) == address;
}

Party DevicePointer::report_registered(const void* pc, const std::string& call) {
    Party mine = party_at(source_place(place_of_free(pc)), call, "frees it");
    Finding made;
    made.fault = Fault::backend;
    made.code = emulator::code(emulator::Reason::free);
    made.file = file_name(mine.at.path);
    made.line = mine.at.line;
    made.title = fmt::format(
        "{} at {}:{}: the memory is still registered (cudaHostRegister), so its pages stay locked "
        "when\nthey belong to something else. Call cudaHostUnregister before {}.",
        call, made.file, made.line,
        call == "free()" ? "that" : "that, or before the end of the object that owns it");
    const FindingList::Key key = FindingList::key_of(Fault::backend, mine.at, {"registered", 0});
    if (mine.at.is_known() && !findings_.is_known(key)) findings_.add(key, std::move(made));
    return mine;
}

}  // namespace lab
