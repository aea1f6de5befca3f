#include "rules.hpp"

#include <cstring>

namespace lab {

void HostFunction::check_argument(const emulator::Launch& launch, int position,
                                  const void* function) {
    const std::uintptr_t value = reinterpret_cast<std::uintptr_t>(function);
    if (function == nullptr || objects.is_of_device(value)) return;
    const SourcePlace place = source_place(launch.where.site);
    const FindingList::Key key = FindingList::key_of(Fault::host_pointer, place);
    if (findings_.is_known(key)) return;
    Finding made;
    made.fault = Fault::host_pointer;
    made.code = "host_function";
    made.kernel = launch.kernel_name();
    made.title = "function pointer of the host in " + made.kernel;
    made.parties = {call(fmt::format("argument {}", position),
                         "is the host's address of " + emulator::symbol_name(function),
                         launch.where.site)};
    made.evidence = "On a GPU the function is elsewhere:";
    made.advice =
        " copy its address from a __device__ variable that holds it\n(cudaMemcpyFromSymbol), or "
        "choose the function in the kernel.";
    findings_.add(key, std::move(made));
}

/// A load of a word that the host has brought here, if it is the address of a function or of a
/// table of virtual functions: a kernel loads such a word only to make the call.
void HostFunction::check_load(const Access& access, const Watched& memory) {
    if (objects.is_empty()) return;
    const std::optional<std::uint32_t> epoch = objects.epoch_of(access.address);
    if (!epoch || memory.cells == nullptr) return;
    if ((*memory.cells)[(access.address - memory.begin) / kWordBytes].write.epoch > *epoch) return;
    std::uintptr_t value = 0;
    std::memcpy(&value, reinterpret_cast<const void*>(access.address), sizeof value);
    const std::string table = emulator::virtual_table_class(reinterpret_cast<const void*>(value));
    const bool is_function =
        table.empty() && emulator::function_containing(reinterpret_cast<const void*>(value + 1)) ==
                             reinterpret_cast<const void*>(value);
    if (table.empty() && !is_function) return;
    report(access,
           is_function ? emulator::symbol_name(reinterpret_cast<const void*>(value)) : table,
           is_function);
}

void HostFunction::report(const Access& access, const std::string& name, bool is_function) {
    const FindingList::Key key = findings_.key_of(Fault::host_pointer, access.site);
    if (findings_.is_known(key)) return;
    Finding made = finding(
        run_, Fault::host_pointer, is_function ? "host_function" : "host_object",
        is_function ? "function pointer of the host" : "virtual functions of the host",
        party(run_, access,
              is_function
                  ? fmt::format("loads the host's address of {},", name)
                  : fmt::format("loads the table of virtual functions of an object of class {} "
                                "that the host has made,",
                                name)));
    made.parties.front().call = {};
    made.evidence = is_function ? "On a GPU the function is elsewhere:"
                                : "On a GPU the functions are elsewhere:";
    made.advice = is_function
                      ? " copy its address from a __device__ variable that holds "
                        "it\n(cudaMemcpyFromSymbol), or choose the function in the kernel."
                      : " make the object in a kernel (new, or placement new in device\nmemory), "
                        "not on the host.";
    findings_.add(key, std::move(made));
}

}  // namespace lab
