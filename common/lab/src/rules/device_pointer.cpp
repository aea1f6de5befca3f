#include "rules.hpp"

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

}  // namespace lab
