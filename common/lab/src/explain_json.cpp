#include <fmt/format.h>

#include "lab/lab.hpp"
#include "lines.hpp"

namespace lab {
namespace {

std::string quoted(const std::string& text) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') {
            out += '\\';
            out += c;
        } else if (static_cast<unsigned char>(c) < 0x20) {
            out += fmt::format("\\u{:04x}", static_cast<int>(c));
        } else {
            out += c;
        }
    }
    return out + "\"";
}

std::string row_json(const Row& row) {
    const Traffic& t = row.traffic;
    return fmt::format(
        "{{\"file\": {}, \"line\": {}, \"source\": {}, \"operation\": \"{}\", \"space\": \"{}\", "
        "\"requests\": {}, \"lanes\": {}, \"bytes\": {}, \"sectors\": {}, \"least_sectors\": {}, "
        "\"wavefronts\": {}, \"least_wavefronts\": {}{}}}",
        quoted(file_name(row.file)), row.line, quoted(row.source), text(row.operation),
        text(row.space), t.requests, t.lanes, t.bytes, t.sectors, t.least_sectors, t.wavefronts,
        t.least_wavefronts,
        row.operation == Operation::atomic
            ? fmt::format(", \"turns\": {}, \"longest_queue\": {}", t.turns, t.longest_queue)
            : std::string());
}

std::string numbers(const Extents& e) { return fmt::format("[{}, {}, {}]", e.x, e.y, e.z); }

std::string shape_json(const Shape& s) {
    return fmt::format("{{\"grid\": {}, \"block\": {}, \"dynamic_bytes\": {}, \"launches\": {}}}",
                       numbers(s.grid), numbers(s.block), s.dynamic_bytes, s.launches);
}

std::string kernel_json(const KernelReport& k) {
    std::string rows;
    for (const Row& row : k.rows) {
        rows += rows.empty() ? "\n        " : ",\n        ";
        rows += row_json(row);
    }
    const Shape first = k.shapes.empty() ? Shape{} : k.shapes.front();
    std::string shapes;
    for (const Shape& shape : k.shapes) {
        shapes += shapes.empty() ? "" : ", ";
        shapes += shape_json(shape);
    }
    return fmt::format(
        "{{\"kernel\": {}, \"launches\": {}, \"blocks\": {}, \"threads\": {}, \"warps\": {}, "
        "\"grid\": {}, \"block\": {}, \"dynamic_bytes\": {}, \"shapes\": [{}], "
        "\"barriers\": {}, \"grid_barriers\": {}, \"exchanges\": {}, \"warp_barriers\": {}, "
        "\"atomics\": {}, \"steps\": {}, \"lane_steps\": {}, \"longest_thread\": {}, "
        "\"notice\": {},\n       \"rows\": [{}]}}",
        quoted(k.name), k.launches, k.blocks, k.threads, k.warps, numbers(first.grid),
        numbers(first.block), first.dynamic_bytes, shapes, k.barriers, k.grid_barriers, k.exchanges,
        k.warp_barriers, k.atomics, k.steps, k.lane_steps, k.longest_thread, quoted(k.notice),
        rows);
}

}  // namespace

std::string json(const Report& report) {
    std::string kernels;
    for (const KernelReport& kernel : report.kernels) {
        kernels += kernels.empty() ? "\n      " : ",\n      ";
        kernels += kernel_json(kernel);
    }
    return "[" + kernels + "]";
}

}  // namespace lab
