#include "report_message.hpp"

namespace grading::detail {

std::string bytes_of(const std::vector<Failure>& failures) {
    Writer out;
    out.put(std::uint64_t{failures.size()});
    for (const Failure& each : failures) {
        out.put(each.reason).put(each.text).put(each.brief).put(each.code);
        out.put(each.file).put(each.line);
    }
    return out.bytes();
}

std::vector<Failure> failures_of(const std::string& bytes) {
    constexpr std::size_t kLeast = 5 * sizeof(std::uint64_t) + sizeof(int);
    Reader in(bytes);
    std::vector<Failure> failures(in.count(kLeast));
    for (Failure& each : failures) {
        in.get(each.reason);
        in.get(each.text);
        in.get(each.brief);
        in.get(each.code);
        in.get(each.file);
        in.get(each.line);
    }
    in.end();
    return failures;
}

#if GRADING_HAS_LAB

namespace {

constexpr std::uint64_t lab::KernelReport::*kCounts[] = {
    &lab::KernelReport::launches,       &lab::KernelReport::blocks,
    &lab::KernelReport::threads,        &lab::KernelReport::warps,
    &lab::KernelReport::barriers,       &lab::KernelReport::grid_barriers,
    &lab::KernelReport::exchanges,      &lab::KernelReport::warp_barriers,
    &lab::KernelReport::atomics,        &lab::KernelReport::steps,
    &lab::KernelReport::lane_steps,     &lab::KernelReport::longest_thread,
    &lab::KernelReport::shuffle_values, &lab::KernelReport::left_in_shared,
    &lab::KernelReport::states,         &lab::KernelReport::most_exchanges,
};

void put(Writer& out, const lab::Row& row) {
    out.put(row.file).put(row.line).put(row.source);
    out.put(row.operation).put(row.space).put(row.traffic);
}

void get(Reader& in, lab::Row& row) {
    in.get(row.file);
    in.get(row.line);
    in.get(row.source);
    in.get(row.operation);
    in.get(row.space);
    in.get(row.traffic);
    if (row.operation > lab::Operation::atomic || row.space > lab::Space::local) {
        throw Closed("an unknown kind of access");
    }
}

}  // namespace

std::string bytes_of(const lab::Report& report) {
    Writer out;
    out.put(std::uint64_t{report.kernels.size()});
    for (const lab::KernelReport& kernel : report.kernels) {
        out.put(kernel.name).put(kernel.notice).put(kernel.shapes);
        for (const auto count : kCounts) out.put(kernel.*count);
        for (const lab::Moved& moved : kernel.moved) out.put(moved);
        out.put(std::uint64_t{kernel.rows.size()});
        for (const lab::Row& row : kernel.rows) put(out, row);
    }
    return out.bytes();
}

lab::Report report_of(const std::string& bytes) {
    constexpr std::size_t kLeastOfKernel = sizeof(kCounts) / sizeof(kCounts[0]) * 8;
    constexpr std::size_t kLeastOfRow = sizeof(lab::Traffic);
    Reader in(bytes);
    lab::Report report;
    report.kernels.resize(in.count(kLeastOfKernel));
    for (lab::KernelReport& kernel : report.kernels) {
        in.get(kernel.name);
        in.get(kernel.notice);
        in.get(kernel.shapes);
        for (const auto count : kCounts) in.get(kernel.*count);
        for (lab::Moved& moved : kernel.moved) in.get(moved);
        kernel.rows.resize(in.count(kLeastOfRow));
        for (lab::Row& row : kernel.rows) get(in, row);
    }
    in.end();
    return report;
}

#endif

}  // namespace grading::detail
