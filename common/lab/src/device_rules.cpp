// What a device does not allow, and the emulator's one memory does: functions of the host.
#include <cstring>

#include "race_detector.hpp"
#include "symbols.hpp"

namespace lab {

/// A load of a word that the host has brought here, when it is a function's address or that of a
/// table of virtual functions: what a kernel loads such a word for is to call.
void RaceDetector::check_host_object(const Access& access, const Watched& memory) {
    const std::uint32_t epoch = host_objects_.epoch_of(access.address);
    if (epoch == 0 || memory.cells == nullptr) return;
    if ((*memory.cells)[(access.address - memory.begin) / kWordBytes].write.epoch > epoch) return;
    std::uintptr_t value = 0;
    std::memcpy(&value, reinterpret_cast<const void*>(access.address), sizeof value);
    const std::string table = emulator::virtual_table_class(reinterpret_cast<const void*>(value));
    const bool is_function =
        table.empty() && emulator::function_containing(reinterpret_cast<const void*>(value + 1)) ==
                             reinterpret_cast<const void*>(value);
    if (table.empty() && !is_function) return;
    report_host_object(
        access, is_function ? emulator::symbol_name(reinterpret_cast<const void*>(value)) : table,
        is_function);
}

}  // namespace lab
