#include "trace.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>

namespace lab {
namespace {

std::string quoted(const std::string& text) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') out += '\\';
        out += c;
    }
    return out + "\"";
}

/// The bytes at an address as one number in hexadecimal, the highest byte first.
std::string bits_at(std::uintptr_t address, std::uint32_t bytes) {
    unsigned char value[64];
    const std::uint32_t count = bytes < sizeof value ? bytes : sizeof value;
    std::memcpy(value, reinterpret_cast<const void*>(address), count);
    std::string out;
    for (std::uint32_t i = count; i-- > 0;) out += fmt::format("{:02x}", value[i]);
    return out;
}

}  // namespace

Trace::Trace(const std::string& file) : name_(file), file_(std::fopen(file.c_str(), "w")) {
    if (file_ == nullptr) {
        throw TraceError(
            fmt::format("--trace: {} cannot be written: {}", file, std::strerror(errno)));
    }
    put("{\"schema\": \"tutorial-trace-2\"}\n");
}

Trace::~Trace() {
    if (file_ != nullptr) std::fclose(file_);
}

void Trace::close() {
    settle();
    errno = 0;
    const bool failed = std::fflush(file_) != 0 || std::ferror(file_) != 0;
    const std::string why = errno != 0 ? std::strerror(errno) : "an earlier part failed";
    std::fclose(file_);
    file_ = nullptr;
    if (failed) throw TraceError(fmt::format("--trace: {} cannot be written: {}", name_, why));
}

void Trace::put(const std::string& text) {
    // Called from within kernels: a full disk is told of when the file is closed.
    std::fwrite(text.data(), 1, text.size(), file_);
}

void Trace::launch(const std::string& kernel, const Extents& grid, const Extents& block) {
    settle();
    arrays_.clear();
    put(fmt::format(
        "{{\"kind\": \"launch\", \"kernel\": {}, \"grid\": [{}, {}, {}], \"block\": [{}, "
        "{}, {}]}}\n",
        quoted(kernel), grid.x, grid.y, grid.z, block.x, block.y, block.z));
}

void Trace::access(const TracedAccess& access) {
    settle();
    if (is_full()) return;
    array(access);
    if (access.operation == Operation::load) {
        write(access);
    } else {
        pending_ = access;
        has_pending_ = true;
    }
}

/// Once a launch: how large the array is.
void Trace::array(const TracedAccess& a) {
    if (!arrays_.emplace(a.space, a.array).second) return;
    put(fmt::format("{{\"kind\": \"array\", \"space\": \"{}\", \"array\": {}, \"bytes\": {}}}\n",
                    text(a.space), quoted(a.array), a.array_bytes));
}

void Trace::settle() {
    if (!has_pending_) return;
    has_pending_ = false;
    write(pending_);
}

void Trace::write(const TracedAccess& a) {
    put(fmt::format(
        "{{\"step\": {}, \"kind\": \"{}\", \"block\": {}, \"thread\": {}, \"interval\": {}, "
        "\"file\": {}, \"line\": {}, \"space\": \"{}\", \"array\": {}, \"index\": {}, "
        "\"bytes\": {}, \"bits\": \"{}\"}}\n",
        steps_++, text(a.operation), a.block, a.thread, a.interval, quoted(a.file), a.line,
        text(a.space), quoted(a.array), a.index, a.bytes, bits_at(a.address, a.bytes)));
}

void Trace::meet(const char* what, std::uint64_t block, int warp, std::uint32_t lanes,
                 std::uint32_t interval, const std::string& file, int line) {
    settle();
    if (is_full()) return;
    put(
        fmt::format("{{\"step\": {}, \"kind\": \"{}\", \"block\": {}, \"warp\": {}, \"lanes\": "
                    "\"{:08x}\", \"interval\": {}, \"file\": {}, \"line\": {}}}\n",
                    steps_++, what, block, warp, lanes, interval, quoted(file), line));
}

void Trace::exchange(const char* what, std::uint64_t block, int warp, std::uint32_t mask,
                     std::uint32_t interval, const std::string& file, int line,
                     const std::vector<TracedLane>& lanes) {
    settle();
    if (is_full()) return;
    std::string sources, values;
    for (const TracedLane& each : lanes) {
        const char* const gap = sources.empty() ? "" : ", ";
        sources += fmt::format("{}{}", gap, each.source);
        values += fmt::format("{}\"{:x}\"", gap, each.value);
    }
    put(fmt::format(
        "{{\"step\": {}, \"kind\": \"exchange\", \"what\": \"{}\", \"block\": {}, "
        "\"warp\": {}, \"lanes\": \"{:08x}\", \"interval\": {}, \"file\": {}, "
        "\"line\": {}, \"sources\": [{}], \"values\": [{}]}}\n",
        steps_++, what, block, warp, mask, interval, quoted(file), line, sources, values));
}

void Trace::fault(const Finding& finding, std::uint64_t block, int thread) {
    if (is_full()) return;
    const std::string first = finding.text.substr(0, finding.text.find('\n'));
    const std::uint64_t step = has_pending_ || steps_ == 0 ? steps_ : steps_ - 1;
    put(
        fmt::format("{{\"kind\": \"fault\", \"fault\": \"{}\", \"of_step\": {}, \"block\": {}, "
                    "\"thread\": {}, \"file\": {}, \"line\": {}, \"other_file\": {}, "
                    "\"other_line\": {}, \"text\": {}}}\n",
                    text(finding.fault), step, block, thread, quoted(finding.file), finding.line,
                    quoted(finding.other_file), finding.other_line, quoted(first)));
}

}  // namespace lab
