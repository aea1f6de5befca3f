#include "faults.hpp"

#include <cuda_runtime.h>

#include <algorithm>

#include "../../harness/fmt.hpp"
#include "device_array.hpp"

#if defined(TUTORIAL_EMULATOR)
#include "../../emulator/include/emulator/report.hpp"
#endif
#if GRADING_HAS_LAB
#include "../../lab/include/lab/lab.hpp"
#endif

namespace grading::detail {

namespace {

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

}  // namespace

Failure as_one(std::vector<Failure> found) {
    constexpr std::size_t kMaxLines = 5;
    if (found.empty()) return {};
    Failure one = found.front();
    std::vector<std::string> lines;  // each different, and different from the first one's
    for (const Failure& each : found) {
        const std::string line = each.brief.empty() ? first_line(each.text) : each.brief;
        if (std::find(lines.begin(), lines.end(), line) == lines.end()) lines.push_back(line);
    }
    if (lines.size() == 1) return one;
    one.text += fmt::format("\nAnd {} more:", lines.size() - 1);
    for (std::size_t i = 1; i < std::min(lines.size(), kMaxLines + 1); ++i) {
        one.text += "\n  " + lines[i];
    }
    if (lines.size() > kMaxLines + 1) one.text += "\n  ...";
    return one;
}

#if defined(TUTORIAL_EMULATOR)

namespace {

/// The emulator itself finds some of the lab's faults.
std::string emulator_reason(const std::string& code) {
    using emulator::Reason;
    if (code == emulator::code(Reason::out_of_bounds)) return code;
    return code == emulator::code(Reason::host_pointer) ? code : "backend";
}

std::vector<Failure> emulator_report() {
    const emulator::Report said = emulator::last_report();
    emulator::clear_report();
    if (said.text.empty()) return {};
    const std::string code = emulator::code(said.reason);
    return {{emulator_reason(code), said.text, {}, code}};
}

}  // namespace

void keep_reports() { emulator::print_reports(false); }

#endif

#if GRADING_HAS_LAB

namespace {

bool is_watching = false;

std::string reason_of(const lab::Finding& finding) {
    return finding.fault == lab::Fault::backend ? emulator_reason(finding.code)
                                                : lab::code(finding.fault);
}

std::string brief_of(const lab::Finding& finding) {
    std::string brief = first_line(finding.title);
    if (finding.line == 0 || finding.fault == lab::Fault::backend) return brief;
    brief += fmt::format(" ({}:{}", finding.file, finding.line);
    if (finding.other_line != 0) brief += fmt::format(" and :{}", finding.other_line);
    return brief + ")";
}

std::vector<Failure> as_failures(const std::vector<lab::Finding>& findings) {
    std::vector<Failure> found;
    for (const lab::Finding& each : findings) {
        if (each.is_note) continue;
        found.push_back(
            {reason_of(each), text(each), brief_of(each), each.code, each.file, each.line});
    }
    return found;
}

}  // namespace

void start_fault_detection() {
    lab::start_fault_detection();
    is_watching = true;
}

void stop_fault_detection() {
    lab::stop_fault_detection();
    is_watching = false;
}

std::vector<Failure> take_faults() {
    return is_watching ? as_failures(lab::take_findings()) : emulator_report();
}

std::vector<Failure> take_leaks() { return as_failures(lab::leaks()); }

#elif defined(TUTORIAL_EMULATOR)

void start_fault_detection() {}
void stop_fault_detection() {}

std::vector<Failure> take_faults() { return emulator_report(); }

std::vector<Failure> take_leaks() {
    std::vector<Failure> found;
    for (const emulator::Leak& leak : emulator::leaks()) {
        found.push_back({"leak", fmt::format("{}\nCall {} when it is no longer used.", leak.text,
                                             leak.free_call)});
    }
    return found;
}

#else

void keep_reports() {}

void start_fault_detection() {}
void stop_fault_detection() {}

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
