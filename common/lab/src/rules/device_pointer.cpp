#include "rules.hpp"

#include <mutex>
#include <utility>

#include "lines.hpp"

namespace lab {

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

bool DevicePointer::check_free(const void* pc, std::uintptr_t address) {
    emulator::Memory& all = emulator::memory();
    std::string what;
    bool is_pinned = false;
    {
        const std::lock_guard<std::mutex> lock(all.mutex);
        const void* const pointer = reinterpret_cast<const void*>(address);
        const emulator::Allocation* const found = emulator::find_in(all, pointer);
        if (found == nullptr || found->mapping == nullptr) return false;
        what = emulator::describe_in(all, pointer);
        is_pinned = found->kind == emulator::MemoryKind::pinned;
    }
    const Place place = user_place(reinterpret_cast<std::uintptr_t>(pc) - 1);
    Finding made;
    made.fault = Fault::backend;
    made.code = emulator::code(emulator::Reason::free);
    made.file = file_name(place.file);
    made.line = place.line;
    made.title =
        fmt::format("free() at {}:{}: the memory is {}, and not the C library's.\nFree it with {}.",
                    made.file, made.line, what, is_pinned ? "cudaFreeHost" : "cudaFree");
    findings_.add(std::move(made));
    return true;
}

}  // namespace lab
