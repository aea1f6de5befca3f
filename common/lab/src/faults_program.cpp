// Makes a whole program one that is watched for faults: from before main() to its end, where what
// was found is printed. The program then ends with 1 if there was anything; one that a signal ends
// is ended by it.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "columns.hpp"
#include "emulator/report.hpp"
#include "lab/lab.hpp"
#include "program_end.hpp"

namespace {

/// For programs, beside what is printed.
void write_json(const char* file, const std::vector<lab::Finding>& all) {
    std::FILE* const out = std::fopen(file, "w");
    bool is_written = out != nullptr && std::fprintf(out, "%s\n", lab::json(all).c_str()) > 0;
    if (out != nullptr) is_written = std::fclose(out) == 0 && is_written;
    if (!is_written) std::fprintf(stderr, "TUTORIAL_FAULTS: cannot write %s\n", file);
}

void print_findings(const char* how) {
    // One that is ended has not come to its cudaFree().
    const bool is_ended = *how != '\0';
    const std::string until = is_ended ? std::string(" until the program was ended by ") + how : "";
    const std::size_t columns = lab::narrow_columns();
    std::string notice;
    std::vector<lab::Finding> all = lab::take_findings(&notice);
    if (const std::string lost = is_ended ? "" : emulator::lost_output(); !lost.empty()) {
        lab::Finding made;
        made.fault = lab::Fault::backend;
        made.code = emulator::code(emulator::Reason::lost_output);
        made.title = lost;
        all.push_back(std::move(made));
    }
    if (!is_ended) {
        for (lab::Finding& leak : lab::leaks()) all.push_back(std::move(leak));
    }
    for (const lab::Finding& each : all) {
        std::printf("%s\n\n", lab::wrapped(lab::text(each), columns).c_str());
    }
    if (const char* const file = std::getenv("TUTORIAL_FAULTS"); file != nullptr && *file != '\0') {
        write_json(file, all);
    }
    if (!notice.empty()) std::printf("%s\n", lab::wrapped(notice, columns).c_str());
    const std::size_t faults = lab::count_faults(all);
    if (faults == 0) {
        std::printf("No fault found%s.\n", until.c_str());
        return;
    }
    std::printf("%zu fault%s found%s.\n", faults, faults == 1 ? "" : "s", until.c_str());
    std::fflush(nullptr);
    if (!lab::is_ended_by_signal()) _exit(1);
}

[[maybe_unused]] const bool is_watched = [] {
    emulator::print_reports(false);
    try {
        lab::start_fault_detection();
    } catch (const lab::TraceError& error) {
        std::fprintf(stderr, "%s\n", error.what());
        _exit(3);
    }
    lab::at_program_end(print_findings);
    return true;
}();

}  // namespace
