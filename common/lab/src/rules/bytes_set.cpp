#include <cstdlib>
#include <cstring>
#include <limits>

#include "rules.hpp"
#include "source_calls.hpp"
#include "source_words.hpp"

namespace lab {

namespace {

/// Whether the line computes with the item, or makes it an index. Of one that it only compares, or
/// tests for 0, any other value than 0 may be right.
bool is_number(const Access& access) {
    if (site(access.site).kind == Kind::atomic) return true;
    const Place here = place_of(access.site);
    const std::string code = without_blanks(code_line(here.file, here.line));
    int depth = 0;
    for (std::size_t at = 0; at < code.size(); ++at) {
        const bool opens = code[at] == '[';
        const std::size_t name = at - name_before(code, at).size();
        if (opens && name != at) {
            const std::size_t end = after_bracket(code, at);
            const char before = name == 0 ? ' ' : code[name - 1];
            const char after = end < code.size() ? code[end] : ' ';
            const auto computes = [](char c) {
                return std::string("+-*/%").find(c) != std::string::npos;
            };
            if (depth != 0 || computes(before) || computes(after)) return true;
        }
        depth += opens;
        depth -= code[at] == ']';
    }
    return false;
}

}  // namespace

void BytesSet::filled(const emulator::Copy& copy, Watched& memory) {
    memory.set_bytes = 0;
    if (copy.site.file == nullptr) return;
    const std::vector<std::string> given =
        call_arguments(copy.site.file, copy.site.line, copy.call);
    if (given.size() < 3) return;
    // Larger ones may be meant as a pattern of bytes: 0x7f makes a large int, 0x3f3f3f3f as well.
    constexpr long kMaxNumber = 16;
    char* end = nullptr;
    const long number = given[1] == "INT_MAX" || given[1].find("<int>::max()") != std::string::npos
                            ? std::numeric_limits<int>::max()
                            : std::strtol(given[1].c_str(), &end, 0);
    const bool is_pattern = number > kMaxNumber && number < 256;
    const bool are_equal = (number & 0xffffffffL) == (number & 0xffL) * 0x01010101L;
    if (number < 1 || is_pattern || are_equal || (number & 0xff) == 0) return;
    if (end != nullptr && *end != 0) return;
    constexpr std::size_t kUnknown = 1;
    const SizeText size =
        size_text(copy.site.file, copy.site.line, given[2], {}, kUnknown, kUnknown);
    if (size.is_pointer || size.bytes < kWordBytes) return;
    memory.set_bytes = static_cast<std::uint8_t>(number);
    fills_[memory.begin] = {copy.call, copy.site, number};
}

void BytesSet::check(const Access& access, Watched& memory) {
    std::uint64_t value = 0;
    if (access.bytes < kWordBytes || access.bytes > sizeof value) return;
    std::memcpy(&value, reinterpret_cast<const void*>(access.address), access.bytes);
    std::uint64_t wanted = 0;
    std::memset(&wanted, memory.set_bytes, access.bytes);
    if (value != wanted || !is_number(access)) return;
    const auto& [name, site, number] = fills_[memory.begin];
    const int byte = memory.set_bytes;
    memory.set_bytes = 0;  // said once
    const FindingList::Key key = findings_.key_of(Fault::uninitialised, access.site);
    if (findings_.is_known(key)) return;
    const Target what = target(run_, access.address, access.bytes);
    Finding made = finding(run_, Fault::uninitialised, "bytes_set", "bytes set, not items,",
                           party(run_, access, fmt::format("reads {},", what.item)));
    made.parties.push_back(call(name, fmt::format("has set each byte to {}", byte), site));
    put_places(made);
    made.evidence = fmt::format("So each item of {} bytes is 0x{:0{}x}, not {}.", access.bytes,
                                value, 2 * access.bytes, number);
    made.advice = fmt::format(
        " Set the items in a kernel, or copy them from\nthe host. {} is right for items of 0, or "
        "-1 of an integer{}.",
        name, number > 16 ? "; each byte 0x7f makes a large int" : "");
    findings_.add(key, std::move(made));
}

}  // namespace lab
