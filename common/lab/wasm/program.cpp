// In place of ../src/count_program.cpp and ../src/faults_program.cpp. The browser lab links a
// program once for everything that it can be asked to do; TUTORIAL_LAB in the environment says
// which. The results go to files, which the browser lab reads (docs/site/page_lab/execute.mjs):
//     count     /counts (text), /counts.json
//     faults    /faults (text), /faults.json; with TUTORIAL_TRACE also a trace
//     both, and neither: /reports.json, what the emulator's own checks have found
//
// Where branches reconverge is learnt while kernels run. If something learnt late changes a count,
// the program writes that to the file /flow and ends with kAgain: the browser lab starts it once
// more.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "columns.hpp"
#include "emulator/for_observers.hpp"
#include "explain.hpp"
#include "json_text.hpp"
#include "lab/lab.hpp"
#include "lines.hpp"
#include "program_findings.hpp"
#include "session.hpp"

namespace {

constexpr int kAgain = 99;
constexpr const char* kFlow = "/flow";

void write_file(const char* path, const std::string& text) {
    std::FILE* const file = std::fopen(path, "w");
    if (file == nullptr) return;
    std::fwrite(text.data(), 1, text.size(), file);
    std::fclose(file);
}

/// From its first launch on it knows what another run has learnt.
class LearnedSession : public lab::Session {
  public:
    void launch_begins(const emulator::KernelSite& where,
                       const emulator::LaunchShape& shape) override {
        std::FILE* const file = has_learnt_ ? nullptr : std::fopen(kFlow, "r");
        has_learnt_ = true;
        if (file != nullptr) {
            flow().load(file);
            std::fclose(file);
        }
        Session::launch_begins(where, shape);
    }

  private:
    bool has_learnt_ = false;
};

LearnedSession* session = nullptr;  // never destroyed: kernels may run until the very end
bool are_faults_wanted = false;

void write_counts() {
    session->stop();
    const lab::Report report = session->report();
    const bool is_off = session->is_stale();
    std::FILE* const flow =
        is_off && std::getenv("TUTORIAL_LAB_LAST") == nullptr ? std::fopen(kFlow, "w") : nullptr;
    if (flow != nullptr) {
        session->flow().save(flow);
        std::fclose(flow);
        _exit(kAgain);
    }
    std::fflush(nullptr);
    write_file("/counts", lab::explain_text(report, 0, 0));
    write_file("/counts.json", lab::program_json(report, !is_off));
}

void write_findings(const std::string& until) {
    std::string notice;
    const std::vector<lab::Finding> all = lab::program_findings(until.empty(), &notice);
    std::fflush(nullptr);
    write_file("/faults", lab::findings_text(all, notice, until, 0));
    write_file("/faults.json", lab::json(all));
    if (until.empty() && lab::count_faults(all) > 0) _exit(1);
}

/// What ended the host's code, in the words of ../src/program_end.cpp.
const char* words(int trap) {
    switch (trap) {
        case emulator::kIllegalAddress:
            return "a segmentation fault of the host";
        case emulator::kDivision:
            return "an integer division by zero on the host";
        case emulator::kStack:
            return "a stack overflow of the host";
        case emulator::kTooLong:
            return "the browser: the host made no progress for too long";
        default:
            return "abort(): a failed assert(), an exception that was not caught, or the like";
    }
}

[[maybe_unused]] const bool is_started = [] {
    const char* const wanted = std::getenv("TUTORIAL_LAB");
    if (wanted == nullptr) return false;
    if (std::strcmp(wanted, "count") == 0) {
        session = new LearnedSession;
        session->start();
        std::atexit(write_counts);
    } else if (std::strcmp(wanted, "faults") == 0) {
        emulator::print_reports(false);
        lab::start_fault_detection();
        are_faults_wanted = true;
        std::atexit([] { write_findings(""); });
    }
    return true;
}();

}  // namespace

/// The browser lab calls it when the program has ended, for whatever reason.
extern "C" __attribute__((export_name("lab_reports"))) void lab_reports() {
    lab::Json all = lab::Json::array();
    for (emulator::Report each : emulator::take_reports()) {
        if (emulator::was_handled(each.text)) continue;  // no fault in a terminal either
        if (each.line == 0 && !each.places.empty()) {
            const lab::Place place = lab::user_place(each.places.front() - 1);
            each.file = lab::file_name(place.file);
            each.line = place.line;
        }
        all.push_back(lab::Json{{"code", emulator::code(each.reason)},
                                {"text", each.text},
                                {"file", each.file},
                                {"line", each.line}});
    }
    if (const std::string lost = emulator::lost_output(); !lost.empty()) {
        all.push_back(lab::Json{{"code", emulator::code(emulator::Reason::lost_output)},
                                {"text", lost},
                                {"file", ""},
                                {"line", 0}});
    }
    write_file("/reports.json", all.text());
}

/// The browser lab calls it if a trap has ended the program's host code.
extern "C" __attribute__((export_name("lab_ended"))) void lab_ended(int trap) {
    if (trap == emulator::kTooLong) std::fflush(nullptr);
    if (session != nullptr) write_counts();
    if (are_faults_wanted) {
        write_findings(std::string(" until the program was ended by ") + words(trap));
    }
}
