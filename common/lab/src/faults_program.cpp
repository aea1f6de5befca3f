// Watches a whole program for faults: from before main() to its end, where it prints what was
// found. The program then exits with 1 if there was anything; if a signal ends it, it still ends by
// that signal.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "columns.hpp"
#include "emulator/for_observers.hpp"
#include "lab/lab.hpp"
#include "program_end.hpp"
#include "program_findings.hpp"

namespace {

/// For other programs, in addition to what is printed.
void write_json(const char* file, const std::vector<lab::Finding>& all) {
    std::FILE* const out = std::fopen(file, "w");
    bool is_written = out != nullptr && std::fprintf(out, "%s\n", lab::json(all).c_str()) > 0;
    if (out != nullptr) is_written = std::fclose(out) == 0 && is_written;
    if (is_written) return;
    std::fprintf(stderr, "TUTORIAL_FAULTS: cannot write %s\n", file);
    _exit(3);
}

void print_findings(const char* how) {
    // A program that was ended has not reached its cudaFree().
    const bool is_ended = *how != '\0';
    const std::string until = is_ended ? std::string(" until the program was ended by ") + how : "";
    const std::size_t columns = lab::narrow_columns();
    std::string notice;
    const std::vector<lab::Finding> all = lab::program_findings(!is_ended, &notice);
    if (const char* const file = std::getenv("TUTORIAL_FAULTS"); file != nullptr && *file != '\0') {
        write_json(file, all);
    }
    std::fputs(lab::findings_text(all, notice, until, columns).c_str(), stdout);
    lab::end_if_lost();
    try {
        lab::stop_trace();
    } catch (const lab::TraceError& error) {
        std::fprintf(stderr, "%s\n", error.what());
        _exit(3);
    }
    if (lab::count_faults(all) == 0) return;
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
