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
#include "findings_text.hpp"
#include "lab/lab.hpp"
#include "program_end.hpp"

namespace {

void print_findings(const char* how) {
    // One that is ended has not come to its cudaFree().
    const bool is_ended = *how != '\0';
    const std::string until = is_ended ? std::string(" until the program was ended by ") + how : "";
    const std::size_t columns = lab::narrow_columns();
    std::string notice;
    const std::vector<lab::Finding> all = lab::program_findings(!is_ended, &notice);
    std::fputs(lab::findings_text(all, notice, until, columns).c_str(), stdout);
    if (all.empty()) return;
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
