#include "rules.hpp"

#include <sys/mman.h>
#include <algorithm>
#include <cstring>
#include <initializer_list>
#include <map>

#include "index_source.hpp"
#include "source_blocks.hpp"
#include "source_calls.hpp"
#include "source_structs.hpp"
#include "source_words.hpp"

namespace lab {

namespace {

/// The name of the array that a line indexes, if nothing else in it can be an access through a
/// pointer: "big" of "big[i] = 1;", nothing of "big[i] = *factor;".
std::string only_array(const std::string& code) {
    const std::size_t end = code.find('['), close = code.find(']');
    if (end == std::string::npos || close == std::string::npos) return {};
    for (const char* const other : {"[", "*", "->"}) {
        if (code.find(other) < end || code.find(other, close) != std::string::npos) return {};
    }
    if (code.find('[', end + 1) < close) return {};
    return name_before(code, end);
}

/// Whether anything is mapped at the address.
bool is_mapped(std::uintptr_t address) {
    const std::uintptr_t page = address & ~std::uintptr_t{4095};
    return msync(reinterpret_cast<void*>(page), 1, MS_ASYNC) == 0;
}

/// The line above this one that begins a lambda whose captures begin like one of these; 0 if there
/// is none.
int line_of_lambda(const Place& here, std::initializer_list<const char*> captures) {
    constexpr int kMaxLines = 20;
    for (int line = here.line; line > 0 && line > here.line - kMaxLines; --line) {
        const std::string code = source_line(here.file, line);
        const bool is_it = std::any_of(captures.begin(), captures.end(), [&](const char* each) {
            return code.find(each) != std::string::npos;
        });
        if (is_it) return line;
        // A kernel or another function begins.
        if (code.find("__global__") != std::string::npos) return 0;
    }
    return 0;
}

/// The pointer in a struct of which a call at this place gives an object, or its address.
PointerMember member_given(const std::string& file, int line, const std::vector<std::string>& given,
                           std::size_t offset) {
    std::string types;
    for (const std::string& each : given) {
        types += each + ' ';  // "n * sizeof(Body)"
        for (const std::string& name : names_in(each)) {
            types += type_of(file, line, name).type + ' ';
        }
    }
    for (const std::string& type : names_in(types)) {
        PointerMember member = pointer_member(file, type, offset);
        if (!member.name.empty()) return member;
    }
    return {};
}

}  // namespace

void HostPointer::report(const Access& access, OutOfBounds& bounds, EmulatorReports& reports) {
    if (bounds.report_far(access)) {
        // A real device ends the kernel here; on a CPU the memory may be the host's.
        const Place place = place_of(access.site);
        emulator::Report end{cudaErrorIllegalAddress,
                             emulator::Reason::illegal_address,
                             "out of bounds, far away",
                             run_.worker->launch->kernel_name(),
                             place.file,
                             place.line};
        reports.said(end.text);
        emulator::ToolIsBusy::is_busy = false;
        const_cast<emulator::Worker*>(run_.worker)->fail(std::move(end));
    }
    const bool is_shared = run_.worker->is_shared_memory(access.address);
    const FindingList::Key key =
        findings_.key_of(is_shared ? Fault::escaped : Fault::host_pointer, access.site);
    if (findings_.is_known(key)) return;
    if (const auto cause = causes_.find(key); cause != causes_.end()) {
        findings_.is_known(cause->second);
        return;
    }
    const char* code = "host_pointer";
    std::string kind = "host pointer", what = "memory of the host", evidence;
    Cure how = Cure::none;
    std::string advice =
        "\nA GPU cannot do that. Copy the data with cudaMemcpy into memory from cudaMalloc, and "
        "give the\nkernel that pointer.";
    const Place here = place_of(access.site);
    if (source_line(here.file, here.line).find('[') == std::string::npos) {
        advice +=
            " If it is a single value, which a reference or a pointer leads to, give\nthe kernel "
            "the value itself.";
    }
    // An index of a known value has led there from an array.
    if (const Watched* const meant = IndexSource(run_, access).array_meant()) {
        if (bounds.is_missed(*meant, here)) return;
        bounds.report(access, {meant->call, meant->description, meant->description,
                               access.address - meant->begin, meant->bytes});
        return;
    }
    const Watched* const far = run_.device.nearest(access.address, access.bytes);
    const Watched* const wrapped = run_.device.wrapped(access.address, access.bytes);
    const bool is_host = is_mapped(access.address);
    if (const Variable* const variable = variable_at(access.address)) {
        what += fmt::format(", the variable {},", variable->name);
    }
    // An index into a known array has led there, which says more.
    if (bounds.has_index_in(here.line) && variable_at(access.address) == nullptr) return;
    // Just before the block's shared memory: an index into that is below 0.
    constexpr std::size_t kNear = 1024;
    if (run_.block != nullptr && !run_.block->block->regions.empty() &&
        run_.block->arena - access.address <= kNear) {
        Target first = target(run_, run_.block->arena, access.bytes);
        first.offset = access.address - run_.block->arena;
        bounds.report(access, first);
        return;
    }
    // If the place has used an array, the index is wrong, not the pointer.
    const Watched* const used =
        run_.device.find_if([&](const Watched& each) { return has_used(each, access.site); });
    const bool was_freed = emulator::was_freed(access.address);
    const bool is_near =
        used != nullptr && access.address - used->begin < used->bytes + (std::size_t{1} << 20);
    // The same line has missed it by less.
    if (is_near && !was_freed && bounds.is_missed(*used, here)) return;
    const std::string unset = variable_at(access.address) == nullptr
                                  ? IndexSource(run_, access).unset_origin()
                                  : std::string();
    if (is_near && !was_freed && !is_shared && unset.empty() && access.address > used->begin) {
        bounds.report(access, {used->call, used->description, used->description,
                               access.address - used->begin, used->bytes});
        return;
    }
    if (was_freed) {
        if (reports.is_later_use(emulator::describe_address(access.address), source_place(here),
                                 false))
            return;
        kind = "freed memory";
        code = "freed_memory";
        what = fmt::format("freed memory, {},", emulator::describe_address(access.address));
        advice =
            "\nFree memory when the last kernel that uses it has ended. If other memory has taken "
            "its place, the\nkernel has an old address: copy the new one to where it gets that "
            "from.";
        const std::string owner = explain_owner(what, here.file, run_.launched.site);
        const std::string early = owner.empty() ? reports.too_early(what) : owner;
        if (!early.empty()) advice = early;
    } else if (is_shared) {
        kind = "escaped shared memory";
        code = "escaped";
        what = "shared memory of another block";
        advice =
            "\nShared memory is visible only to its own block: pass the values through device "
            "memory.";
    } else if (run_.worker->is_stack(access.address)) {
        kind = "pointer to a local variable";
        code = "local_variable";
        what = "a local variable of another thread";
        advice =
            "\nA local variable belongs to its thread, and ends with its function: use shared or "
            "device memory.";
    } else if (wrapped != nullptr) {
        kind = "index below 0";
        code = "wild_pointer";
        how = Cure::test_lower;
        const std::int64_t item =
            static_cast<std::int64_t>((access.address - wrapped->begin) / access.bytes);
        const std::string expression = subtracting_index(source_line(here.file, here.line));
        what = fmt::format("item {} of {},", item, wrapped->description);
        evidence = fmt::format(
            "The index{} is {} there: an unsigned index that has gone below 0 wraps around to {}.",
            expression.empty() ? "" : " of " + expression, item - (std::int64_t{1} << 32), item);
        const std::string origin =
            IndexSource(run_, access).origin(item - (std::int64_t{1} << 32), 0);
        advice = !origin.empty() ? "\n" + origin
                 : is_index_from(here.file, here.line, "atomic")
                     ? " Use the item\nonly if the value that the atomic operation has returned "
                       "was not 0."
                     : " Use the item\nonly if the index is not below 0: test it before the "
                       "subtraction.";
    } else if (!unset.empty()) {
        kind = "wild pointer";
        code = "wild_pointer";
        what = "an address outside of all arrays,";
        evidence = unset;
        advice.clear();
    } else if (far != nullptr && (used != nullptr || !is_host)) {
        kind = "wild pointer";
        code = "wild_pointer";
        how = Cure::wide_index;
        const bool is_before = access.address < far->begin;
        const std::uintptr_t distance =
            is_before ? far->begin - access.address : access.address - far->begin;
        what =
            fmt::format("an address {:.0f} GiB {} the device's arrays,",
                        static_cast<double>(distance) / (1u << 30), is_before ? "before" : "past");
        evidence =
            "Such a distance comes from an index that has overflowed: a product of two ints is an "
            "int.";
        advice = " Compute\nit in std::size_t: static_cast<std::size_t>(row) * width + column.";
        if (!is_before) {
            advice += fmt::format(
                "\nIf the index is right, the array is too small, and its size may have "
                "overflowed: it is\n{}.",
                far->description);
        }
    } else if (used != nullptr && (is_near || !is_host)) {
        kind = "wild pointer";
        code = "wild_pointer";
        how = Cure::test_index;
        const std::ptrdiff_t item = (static_cast<std::ptrdiff_t>(access.address) -
                                     static_cast<std::ptrdiff_t>(used->begin)) /
                                    static_cast<std::ptrdiff_t>(access.bytes);
        what = fmt::format("item {} of {},", item, used->description);
        evidence =
            "There is no array there. The same line has used that one, so its index is wrong.";
        const std::string origin = IndexSource(run_, access).origin(item, 0);
        advice = !origin.empty()
                     ? "\n" + origin
                     : "\nTest the index before it is used. A product of two ints may overflow: "
                       "compute it in std::size_t.";
    } else if (!is_host && emulator::kernel_heap_was_full()) {
        kind = "wild pointer";
        code = "wild_pointer";
        what = fmt::format("address 0x{:x}, where there is no memory,", access.address);
        evidence = fmt::format(
            "In this launch malloc() or new has returned null: the heap of kernels has {} bytes, "
            "for all threads\ntogether.",
            emulator::kernel_heap_bytes());
        advice =
            " Make it larger before the first launch, cudaDeviceSetLimit(cudaLimitMallocHeapSize, "
            "bytes),\nand test each pointer for null.";
    } else if (std::int64_t item = 0;
               !is_host && !(advice = IndexSource(run_, access).far_origin(&item)).empty()) {
        kind = "wild pointer";
        code = "wild_pointer";
        what = fmt::format("item {} of an array", item);
        evidence = "There is no array there.";
        advice.insert(0, "\n");
    } else if (!is_host) {
        kind = "wild pointer";
        code = "wild_pointer";
        what = fmt::format("address 0x{:x}, where there is no memory,", access.address);
        const std::string rows = IndexSource(run_, access).row_pointers();
        advice = rows.empty() ? "\nThe pointer was never set, or was computed from a wrong value: "
                                "find out where it comes from."
                              : "\n" + rows;
    }
    SourcePlace place;
    const bool is_of_host = how == Cure::none && is_host && code == std::string("host_pointer");
    const int captures = is_of_host ? line_of_lambda(here, {"[&]", "[&,"}) : 0;
    if (const int by_value =
            captures == 0 && is_of_host ? line_of_lambda(here, {"[=]", "[this]"}) : 0;
        by_value != 0) {
        place = {here.file, by_value};
        advice =
            "\nIf that is a member, the lambda holds `this`, the address of a host object: copy "
            "the member into a local\nvariable before the launch";
        advice += has_freeing_destructor(here.file)
                      ? ", and use only that in the lambda. (No [=, *this]: the copy's destructor "
                        "would\nfree the memory.) If it is a pointer, give it device memory."
                      : ", or capture the object, [=, *this]. If it is a pointer, give it device "
                        "memory.";
    }
    if (captures != 0) {
        how = Cure::own_copy;
        place = {here.file, captures};
        advice =
            "\nA lambda that captures by reference, [&], holds the addresses of the host's "
            "variables.\nCapture by value: [=].";
    }
    Finding made = finding(run_, Fault::host_pointer, code, kind,
                           party(run_, access, fmt::format("{} {}", does(access.is_store), what)));
    made.evidence = std::move(evidence);
    if (how == Cure::test_index) made.items = static_cast<std::int64_t>(used->bytes / access.bytes);
    cure(made, how, place.is_known() ? place : made.parties.front().at, std::move(advice));
    if (code == std::string("local_variable")) add_store(made, access.address);
    const FindingList::Key cause =
        is_of_host && !place.is_known() ? add_copy(made, access.address, key) : key;
    if (cause != key) causes_.emplace(key, cause);
    findings_.add(cause, std::move(made));
}

/// The kernel of this name in the file, which may have template arguments.
static FunctionText kernel_of(const std::string& file, const std::string& name) {
    const std::string plain = name.substr(0, name.find('<'));
    for (int line = 1; line <= line_count(file); ++line) {
        if (find_word(code_line(file, line), plain) == std::string::npos) continue;
        FunctionText made = function_around(file, line);
        if (made.is_kernel && made.name == plain) return made;
    }
    return {};
}

/// Which member of the launch's object holds it, and what to change there.
static void explain_member(Finding& made, const std::vector<std::string>& given,
                           std::size_t offset) {
    const SourcePlace at = made.parties.back().at;
    const PointerMember member = member_given(at.path, at.line, given, offset);
    if (member.name.empty() || member.line == 0) return;
    if (!member.is_reference) {
        made.advice = fmt::format(
            "\nThe struct is copied to the GPU, but not what its member {} points to (line {}). "
            "Copy that with\ncudaMemcpy to memory from cudaMalloc, and let {} of the struct that "
            "the launch gets point there.",
            member.name, member.line, member.name);
        return;
    }
    std::string value = trimmed(code_line(at.path, member.line));
    const std::size_t sign = value.find('&');
    if (sign == std::string::npos || value.find('&', sign + 1) != std::string::npos ||
        value.find_first_of("{(") != std::string::npos) {
        value = "it without &";
    } else {
        value.erase(sign, 1);
    }
    cure(made, Cure::own_copy, {at.path, member.line},
         fmt::format("\nThe struct is copied to the GPU, but its member {} is a reference to a "
                     "variable of the host.\nLet it be a value: write in line {}:\n    {}",
                     member.name, member.line, value));
}

FindingList::Key HostPointer::add_copy(Finding& made, std::uintptr_t address,
                                       const FindingList::Key& key) const {
    constexpr std::size_t kMaxBytes = std::size_t{1} << 20;  // from the pointer to the access
    // A 4-byte pointer, as in WebAssembly, cannot be told from an int.
    if (sizeof(void*) != 8) return key;
    std::size_t offset = 0;  // of the pointer
    const auto holds = [&](const void* begin, std::size_t bytes) {
        std::uintptr_t least = kMaxBytes;
        for (std::size_t at = 0; at + sizeof(void*) <= std::min(bytes, kMaxBytes);
             at += sizeof(void*)) {
            std::uintptr_t word = 0;
            std::memcpy(&word, static_cast<const char*>(begin) + at, sizeof word);
            if (address - word >= least) continue;
            least = address - word;
            offset = at;
        }
        return least < kMaxBytes;
    };
    for (const emulator::LaunchArgument& each : run_.arguments) {
        if (each.kind != emulator::LaunchArgument::Kind::object || !holds(each.pointer, each.bytes))
            continue;
        made.parties.push_back(
            call("kernel " + run_.launched.name,
                 fmt::format("is launched with it in a struct, argument {}", each.position),
                 run_.launched.site));
        explain_member(
            made,
            {launch_argument(run_.launched.site, each.position),
             kernel_of(made.parties.front().at.path, run_.launched.name).parameter(each.position)},
            offset);
        return key;
    }
    for (std::size_t i = run_.fills.size(); i-- > 0;) {
        const Filled& each = run_.fills[i];
        const Watched* const memory = run_.device.find(each.begin, 0);  // null: it was freed
        if (!each.is_copy || memory == nullptr ||
            !holds(reinterpret_cast<const void*>(each.begin),
                   std::min(each.bytes, memory->begin + memory->bytes - each.begin))) {
            continue;
        }
        made.parties.push_back(call(each.call, "copies its address", each.site));
        const std::string file = each.site.file != nullptr ? each.site.file : "";
        const std::string member =
            member_given(file, each.site.line, call_arguments(file, each.site.line, each.call),
                         offset)
                .name;
        if (member.empty()) {
            made.advice += fmt::format(
                "\nThe copy in line {} copies a pointer, not what it points to: before it, let the "
                "pointer point to\nmemory from cudaMalloc that holds a copy of that.",
                each.site.line);
        } else {
            made.advice = fmt::format(
                "\nLine {0} copies the pointer {1}, not what it points to. In this order: copy the "
                "items to memory from cudaMalloc,\nput its address into {1} of a second struct of "
                "the host, and copy that struct in line {0}. The first struct keeps\nthe host's "
                "{1}, and the second has the address for cudaFree.",
                each.site.line, member);
        }
        return FindingList::key_of(Fault::host_pointer, source_place(each.site));
    }
    return key;
}

void HostPointer::add_store(Finding& made, std::uintptr_t address) const {
    const SiteId stored = escaped_.stored_at(address);
    const SourcePlace at = stored != kNoSite ? source_place(place_of(stored)) : SourcePlace{};
    if (!at.is_known()) return;
    made.advice += fmt::format(" Or store its value\nin line {}, not its address.", at.line);
    made.parties.push_back(party_at(at, "its address", "was stored"));
}

void HostPointer::report_ended(const Access& access, const std::string& owner) {
    const FindingList::Key key = findings_.key_of(Fault::host_pointer, access.site);
    if (findings_.is_known(key)) return;
    const std::string what =
        owner.empty() ? does(access.is_store) +
                            std::string(" a local variable of a function that has returned")
                      : "loads the address of a local variable of " + owner;
    Finding made = finding(run_, Fault::host_pointer, "local_variable",
                           "pointer to a local variable", party(run_, access, what));
    made.advice =
        owner.empty()
            ? "\nIt ended with its function, and other calls use its place: "
              "return the values, or let the caller\npass an array to be filled."
            : "\nA local variable belongs to its thread, and ends with its function: use shared or "
              "device memory.";
    if (!owner.empty()) {
        std::uintptr_t value = 0;
        std::memcpy(&value, reinterpret_cast<const void*>(access.address), sizeof value);
        add_store(made, value);
    }
    findings_.add(key, std::move(made));
}

/// Whether this place has used the array in this launch: then a wrong pointer is not the reason why
/// it misses it now. Only the first items are checked.
bool HostPointer::has_used(const Watched& array, SiteId site) const {
    constexpr std::size_t kMaxWords = 65536;
    if (array.cells == nullptr) return false;
    // Another line may have used it since, under the same name.
    const Place here = place_of(site);
    const std::string name = only_array(source_line(here.file, here.line));
    // A variable that the line does not index holds the pointer, not the items.
    const Variable* const variable =
        array.kind == emulator::MemoryKind::symbol ? variable_at(array.begin) : nullptr;
    if (variable != nullptr && variable->name != name) return false;
    std::map<SiteId, bool> known{{site, true}};
    const auto is_by = [&](const Stamp& stamp) {
        if (stamp.epoch != run_.epoch()) return false;
        const auto [at, fresh] = known.try_emplace(stamp.site, false);
        if (fresh) {
            const Place there = place_of(stamp.site);
            at->second = !name.empty() && there.file == here.file &&
                         there.function == here.function &&
                         only_array(source_line(there.file, there.line)) == name;
        }
        return at->second;
    };
    for (std::size_t word = 0; word < std::min(array.bytes / kWordBytes, kMaxWords); ++word) {
        const Cell& cell = (*array.cells)[word];
        if (is_by(cell.write) || cell.any_read(is_by) || cell.any_atomic(is_by)) return true;
    }
    return false;
}

}  // namespace lab
