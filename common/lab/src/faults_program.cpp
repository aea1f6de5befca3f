// Makes a whole program one that is watched for faults: from before main() to its end, where what
// was found is printed. The program then ends with 1 if there was anything.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "columns.hpp"
#include "emulator/report.hpp"
#include "lab/lab.hpp"

namespace {

void print_findings() {
    const std::size_t columns = lab::narrow_columns();
    std::string notice;
    std::vector<lab::Finding> all = lab::take_findings(&notice);
    for (lab::Finding& leak : lab::leaks()) all.push_back(std::move(leak));
    for (const lab::Finding& each : all) {
        std::printf("%s\n", lab::wrapped(each.text, columns).c_str());
        if (each.times > 1) {
            std::printf("The same lines did this %llu times.\n",
                        static_cast<unsigned long long>(each.times));
        }
        std::printf("\n");
    }
    if (!notice.empty()) std::printf("%s\n", lab::wrapped(notice, columns).c_str());
    if (all.empty()) {
        std::printf("No fault found.\n");
        return;
    }
    std::printf("%zu fault%s found.\n", all.size(), all.size() == 1 ? "" : "s");
    std::fflush(nullptr);
    _exit(1);
}

[[maybe_unused]] const bool is_watched = [] {
    emulator::print_reports(false);
    try {
        lab::start_fault_detection();
    } catch (const lab::TraceError& error) {
        std::fprintf(stderr, "%s\n", error.what());
        _exit(3);
    }
    std::atexit(print_findings);
    return true;
}();

}  // namespace
