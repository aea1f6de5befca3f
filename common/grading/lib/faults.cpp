#include "faults.hpp"

#include <cuda_runtime.h>

#include <algorithm>

#include "../../harness/fmt.hpp"
#include "device_array.hpp"

#if defined(TUTORIAL_CPU_BACKEND)
#include "../../emulator/include/cpu/report.hpp"
#endif
#if GRADING_HAS_LAB
#include "../../lab/include/lab/lab.hpp"
#endif

namespace grading::detail {

namespace {

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

/// Causes come before what follows from them: a barrier that not all threads reach, then races and
/// accesses out of bounds, then what was read before it was written, then what is left over.
int rank_of_cause(const Failure& failure) {
    const auto begins = [&](const char* start) { return failure.text.rfind(start, 0) == 0; };
    if (begins("divergent") || begins("incomplete warp") || begins("different warp")) return 0;
    if (failure.reason == "uninitialised") return 2;
    if (failure.reason == "unused" || failure.reason == "leak") return 3;
    return 1;
}

}  // namespace

Failure as_one(std::vector<Failure> found) {
    constexpr std::size_t kMostLines = 5;
    if (found.empty()) return {};
    std::stable_sort(found.begin(), found.end(), [](const Failure& one, const Failure& other) {
        return rank_of_cause(one) < rank_of_cause(other);
    });
    Failure one = found.front();
    std::vector<std::string> lines;  // each different, and none is the first one's
    for (const Failure& each : found) {
        const std::string line = each.brief.empty() ? first_line(each.text) : each.brief;
        if (std::find(lines.begin(), lines.end(), line) == lines.end()) lines.push_back(line);
    }
    if (lines.size() == 1) return one;
    one.text += fmt::format("\nAnd {} more:", lines.size() - 1);
    for (std::size_t i = 1; i < std::min(lines.size(), kMostLines + 1); ++i) {
        one.text += "\n  " + lines[i];
    }
    if (lines.size() > kMostLines + 1) one.text += "\n  ...";
    return one;
}

#if defined(TUTORIAL_CPU_BACKEND)

namespace {

/// The backend finds some of the lab's faults by itself.
std::string backend_reason(const std::string& text) {
    if (text.rfind("out of bounds", 0) == 0) return "out_of_bounds";
    if (text.find("is a pointer to host memory") != std::string::npos) return "host_pointer";
    return "backend";
}

void add_backend_report(std::vector<Failure>& found) {
    const std::string text = cpu::last_report().text;
    cpu::clear_report();
    if (!text.empty()) found.push_back({backend_reason(text), text});
}

}  // namespace

void keep_reports() { cpu::print_reports(false); }

#endif

#if GRADING_HAS_LAB

namespace {

bool is_watching = false;

std::string reason_of(const lab::Finding& finding) {
    switch (finding.fault) {
        case lab::Fault::race:
            return "race";
        case lab::Fault::out_of_bounds:
            return "out_of_bounds";
        case lab::Fault::misaligned:
            return "misaligned";
        case lab::Fault::read_only:
            return "read_only";
        case lab::Fault::escaped:
            return "escaped";
        case lab::Fault::uninitialised:
            return "uninitialised";
        case lab::Fault::host_pointer:
            return "host_pointer";
        case lab::Fault::device_pointer:
            return "device_pointer";
        case lab::Fault::unused:
            return "unused";
        case lab::Fault::leak:
            return "leak";
        case lab::Fault::backend:
            break;
    }
    return backend_reason(finding.text);
}

std::string brief_of(const lab::Finding& finding) {
    std::string brief = first_line(finding.text);
    if (finding.line == 0 || finding.fault == lab::Fault::backend) return brief;
    brief += fmt::format(" ({}:{}", finding.file, finding.line);
    if (finding.other_line != 0) brief += fmt::format(" and :{}", finding.other_line);
    return brief + ")";
}

std::vector<Failure> as_failures(const std::vector<lab::Finding>& findings) {
    std::vector<Failure> found;
    for (const lab::Finding& each : findings) {
        found.push_back({reason_of(each), each.text, brief_of(each)});
        if (each.times > 1) {
            found.back().text += fmt::format("\nThe same lines did this {} times.", each.times);
        }
    }
    return found;
}

}  // namespace

void watch_faults() {
    lab::watch_faults();
    is_watching = true;
}

std::vector<Failure> take_faults() {
    if (is_watching) return as_failures(lab::take_findings());
    std::vector<Failure> found;
    add_backend_report(found);
    return found;
}

std::vector<Failure> take_leaks() { return as_failures(lab::leaks()); }

#elif defined(TUTORIAL_CPU_BACKEND)

void watch_faults() {}

std::vector<Failure> take_faults() {
    std::vector<Failure> found;
    add_backend_report(found);
    return found;
}

std::vector<Failure> take_leaks() {
    const std::string text = cpu::leak_report();
    if (text.empty()) return {};
    return {{"leak", text + "Call cudaFree when it is no longer used."}};
}

#else

void keep_reports() {}

void watch_faults() {}

std::vector<Failure> take_faults() {
    cudaError_t error = cudaDeviceSynchronize();
    const cudaError_t of_launch = cudaGetLastError();
    if (error == cudaSuccess) error = of_launch;
    if (error != cudaSuccess) {
        return {{"cuda_error", fmt::format("CUDA says: {} ({})", cudaGetErrorString(error),
                                           cudaGetErrorName(error))}};
    }
    const std::string damage = damaged_guard();
    if (damage.empty()) return {};
    return {{"out_of_bounds", damage}};
}

std::vector<Failure> take_leaks() { return {}; }

#endif

}  // namespace grading::detail
