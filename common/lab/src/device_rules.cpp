// What a device does not allow, and the emulator's one memory does: a store to constant memory, and
// functions of the host.
#include <fmt/format.h>

#include <cstring>

#include "lines.hpp"
#include "race_detector.hpp"
#include "symbols.hpp"

namespace lab {
namespace {

std::string quoted(const Finding& made, const std::string& file) {
    return fmt::format("{}:{}\n  {:>5} | {}", made.file, made.line, made.line,
                       source_line(file, made.line));
}

Place users_place(SiteId id) {
    const AccessSite& at = site(id);
    return user_place((at.caller != 0 ? at.caller : at.pc) - 1);
}

}  // namespace

void RaceDetector::report_constant_store(const Access& access) {
    const Key key = key_of(Fault::backend, access.site);
    if (is_known(key)) return;
    Finding made = finding(Fault::backend, access.site);
    made.code = "constant_store";
    made.text = fmt::format(
        "store to constant memory in {}\n  {} of block {} writes {}, at {}\nA kernel can only read "
        "__constant__ memory: declare the variable __device__, or let the host write it\nwith "
        "cudaMemcpyToSymbol.",
        made.kernel, who(number_), block_->index, target(access.address, access.bytes).item,
        quoted(made, users_place(access.site).file));
    report(key, std::move(made));
}

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
    const Key key = key_of(Fault::host_pointer, access.site);
    if (is_known(key)) return;
    Finding made = finding(Fault::host_pointer, access.site);
    made.code = is_function ? "host_function" : "host_object";
    const std::string name =
        is_function ? emulator::symbol_name(reinterpret_cast<const void*>(value)) : table;
    made.text = fmt::format(
        "{} of the host in {}\n  {} of block {} loads {}, at {}\n{}",
        is_function ? "function pointer" : "virtual functions", made.kernel, who(number_),
        block_->index,
        is_function
            ? fmt::format("the host's address of {}", name)
            : fmt::format("the table of virtual functions of an object of class {} that the "
                          "host has made",
                          name),
        quoted(made, users_place(access.site).file),
        is_function ? "On a GPU the function is elsewhere: copy its address from a __device__ "
                      "variable that holds it\n(cudaMemcpyFromSymbol), or choose the function in "
                      "the kernel."
                    : "On a GPU the functions are elsewhere: make the object in a kernel (new, or "
                      "placement new in device\nmemory), not on the host.");
    report(key, std::move(made));
}

}  // namespace lab
