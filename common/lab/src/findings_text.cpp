#include "findings_text.hpp"

#include <fmt/format.h>

#include <utility>

#include "columns.hpp"
#include "emulator/report.hpp"

namespace lab {

std::vector<Finding> program_findings(bool has_ended, std::string* notice) {
    std::vector<Finding> all = take_findings(notice);
    if (!has_ended) return all;
    if (const std::string lost = emulator::lost_output(); !lost.empty()) {
        Finding made;
        made.fault = Fault::backend;
        made.code = emulator::code(emulator::Reason::lost_output);
        made.text = lost;
        all.push_back(std::move(made));
    }
    for (Finding& leak : leaks()) all.push_back(std::move(leak));
    return all;
}

std::string findings_text(const std::vector<Finding>& all, const std::string& notice,
                          const std::string& until, std::size_t columns) {
    std::string text;
    for (const Finding& each : all) {
        text += wrapped(each.text, columns) + "\n";
        if (each.times > 1) text += fmt::format("The same lines did this {} times.\n", each.times);
        text += "\n";
    }
    if (!notice.empty()) text += wrapped(notice, columns) + "\n";
    if (all.empty()) return text + "No fault found" + until + ".\n";
    return text +
           fmt::format("{} fault{} found{}.\n", all.size(), all.size() == 1 ? "" : "s", until);
}

}  // namespace lab
