// In place of ../lib/program.cpp and ../lib/tool_pipe.cpp. In the browser lab the grader and the
// learner's functions are one program. Its verdict goes to a file, which the browser lab reads
// (docs/site/page_lab/grading.mjs): so the learner's output cannot be mistaken for it.
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "../lib/grading.hpp"
#include "../lib/local_machine.hpp"
#include "../lib/tool_pipe.hpp"
#include "../worker/host_reads.hpp"

namespace grading {
namespace {

constexpr const char* kVerdict = "/verdict.json";
constexpr const char* kPhase = "/phase";

bool write_file(const char* path, const std::string& text) {
    std::FILE* const file = std::fopen(path, "w");
    if (file == nullptr) return false;
    const bool is_whole = std::fwrite(text.data(), 1, text.size(), file) == text.size();
    return std::fclose(file) == 0 && is_whole;
}

/// Records what the learner's host code fetches, but not what the grader fetches.
class PageMachine : public detail::LocalMachine {
  public:
    void begin(const std::string& order, bool watches) override {
        noting_.reset();  // before another tool watches
        LocalMachine::begin(order, watches);
        if (watches) noting_.emplace();
    }
    void download(void* to, const void* from, std::size_t bytes) override {
        const bool is_noting = noting_.has_value();
        noting_.reset();
        LocalMachine::download(to, from, bytes);
        if (is_noting) noting_.emplace();
    }
    std::vector<detail::Failure> take_faults() override {
        // The device's own faults explain more than their consequences.
        std::vector<detail::Failure> found = LocalMachine::take_faults();
        for (detail::Failure& each : worker::HostReads::take()) found.push_back(std::move(each));
        return found;
    }

  private:
    std::optional<worker::HostReads> noting_;
};

}  // namespace

namespace detail {

/// The browser lab shows it if the program ends without a verdict.
void tell_where(const std::string& at) { write_file(kPhase, at); }

void mark_output(const std::string&) {}

}  // namespace detail

/// Without arguments everything that judge() tries; or one phase, and the largest size: PHASE N.
int Grader::run(int argc, char** argv) const {
    Options options;
    if (argc == 3) {
        options.phase = argv[1];
        options.max_n = std::strtoul(argv[2], nullptr, 10);
    }
    PageMachine here;
    detail::use_machine(here);
    const Verdict verdict = judge(*this, options);
    if (!write_file(kVerdict, json(verdict))) return 2;
    return verdict.status == Status::not_solved ? 1 : 0;
}

}  // namespace grading
