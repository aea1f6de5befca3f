#include "program_findings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "columns.hpp"
#include "emulator/for_observers.hpp"

namespace lab {

std::vector<Finding> program_findings(bool has_ended, std::string* notice) {
    std::vector<Finding> all = take_findings(notice);
    if (!has_ended) return all;
    // After a call that failed a program often ends at once, and has not reached its cudaFree().
    const bool has_failed =
        emulator::has_error() || std::any_of(all.begin(), all.end(), [](const Finding& each) {
            return each.fault == Fault::backend && !each.is_note;
        });
    if (const std::string lost = emulator::lost_output(); !lost.empty()) {
        Finding made;
        made.fault = Fault::backend;
        made.code = emulator::code(emulator::Reason::lost_output);
        made.title = lost;
        all.push_back(std::move(made));
    }
    if (has_failed) return all;
    for (Finding& leak : leaks()) all.push_back(std::move(leak));
    return all;
}

std::string findings_text(const std::vector<Finding>& all, const std::string& notice,
                          const std::string& until, std::size_t columns) {
    std::string said;
    for (const Finding& each : all) said += wrapped(text(each), columns) + "\n\n";
    if (!notice.empty()) said += wrapped(notice, columns) + "\n";
    const std::size_t refused =
        static_cast<std::size_t>(std::count_if(all.begin(), all.end(), [](const Finding& each) {
            return each.code == emulator::code(emulator::Reason::unsupported);
        }));
    const std::size_t faults = count_faults(all) - refused;
    if (faults == 0 && refused != 0) {
        return said + fmt::format(
                          "What needs {} was not checked. In the rest no fault was "
                          "found{}.\n",
                          refused == 1 ? "this call" : "these calls", until);
    }
    if (faults == 0) {
        return said + "No fault found" + until + ".\n" + wrapped(looked_at(), columns) + "\n";
    }
    return said + fmt::format("{} fault{} found{}.\n", faults, faults == 1 ? "" : "s", until);
}

}  // namespace lab
