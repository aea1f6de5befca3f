#include "trace.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>

namespace lab {
namespace {

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
    put(Json{{"schema", "tutorial-trace-2"}});
}

Trace::~Trace() {
    if (file_ != nullptr) std::fclose(file_);
}

void Trace::close() {
    settle();
    errno = 0;
    const bool failed = std::fflush(file_) != 0 || std::ferror(file_) != 0;
    if (error_ == 0) error_ = errno;
    const std::string why = error_ != 0 ? std::strerror(error_) : "an earlier part failed";
    std::fclose(file_);
    file_ = nullptr;
    if (failed) throw TraceError(fmt::format("--trace: {} cannot be written: {}", name_, why));
}

/// The first step for which there is no room says so in the file.
bool Trace::has_room() {
    if (steps_ >= kMaxSteps && !is_cut_) {
        is_cut_ = true;
        put(Json{{"kind", "cut"}});
    }
    return !is_cut_;
}

void Trace::put(const Json& line) {
    const std::string text = line.text() + "\n";
    // Called from within kernels: a full disk is reported when the file is closed.
    const std::size_t written = std::fwrite(text.data(), 1, text.size(), file_);
    if (written < text.size() && error_ == 0) error_ = errno;
}

void Trace::launch(const std::string& kernel, const Extents& grid, const Extents& block) {
    settle();
    if (!has_room()) return;
    arrays_.clear();
    put(Json{{"kind", "launch"},
             {"kernel", kernel},
             {"grid", Json::array({grid.x, grid.y, grid.z})},
             {"block", Json::array({block.x, block.y, block.z})}});
}

void Trace::access(const TracedAccess& access) {
    settle();
    if (!has_room()) return;
    array(access);
    if (access.operation == Operation::load) {
        write(access);
    } else {
        pending_ = access;
        has_pending_ = true;
    }
}

/// Written once per launch: the size of the array.
void Trace::array(const TracedAccess& a) {
    if (!arrays_.emplace(a.space, a.array).second) return;
    put(Json{
        {"kind", "array"}, {"space", text(a.space)}, {"array", a.array}, {"bytes", a.array_bytes}});
}

void Trace::settle() {
    if (!has_pending_) return;
    has_pending_ = false;
    write(pending_);
}

void Trace::write(const TracedAccess& a) {
    put(Json{{"step", steps_++},
             {"kind", text(a.operation)},
             {"block", a.block},
             {"thread", a.thread},
             {"interval", a.interval},
             {"file", a.file},
             {"line", a.line},
             {"space", text(a.space)},
             {"array", a.array},
             {"index", a.index},
             {"bytes", a.bytes},
             {"bits", bits_at(a.address, a.bytes)}});
}

void Trace::meet(const char* what, std::uint64_t block, int warp, std::uint32_t lanes,
                 std::uint32_t interval, const std::string& file, int line) {
    settle();
    if (!has_room()) return;
    put(Json{{"step", steps_++},
             {"kind", what},
             {"block", block},
             {"warp", warp},
             {"lanes", fmt::format("{:08x}", lanes)},
             {"interval", interval},
             {"file", file},
             {"line", line}});
}

void Trace::exchange(const char* what, std::uint64_t block, int warp, std::uint32_t mask,
                     std::uint32_t interval, const std::string& file, int line,
                     const std::vector<TracedLane>& lanes) {
    settle();
    if (!has_room()) return;
    Json sources = Json::array(), values = Json::array();
    for (const TracedLane& each : lanes) {
        sources.push_back(each.source);
        values.push_back(fmt::format("{:x}", each.value));
    }
    put(Json{{"step", steps_++},
             {"kind", "exchange"},
             {"what", what},
             {"block", block},
             {"warp", warp},
             {"lanes", fmt::format("{:08x}", mask)},
             {"interval", interval},
             {"file", file},
             {"line", line},
             {"sources", sources},
             {"values", values}});
}

void Trace::fault(const Finding& finding, std::uint64_t block, int thread) {
    if (is_cut_) return;
    const std::uint64_t step = has_pending_ || steps_ == 0 ? steps_ : steps_ - 1;
    put(Json{{"kind", "fault"},
             {"fault", finding.code},
             {"of_step", step},
             {"block", block},
             {"thread", thread},
             {"file", finding.file},
             {"line", finding.line},
             {"other_file", finding.other_file},
             {"other_line", finding.other_line},
             {"text", finding.title}});
}

}  // namespace lab
