// In place of ../lib/program.cpp and ../lib/tool_pipe.cpp. In a page the grader and the learner's
// functions are one program. Its verdict goes to a file, which the page reads
// (docs/site/page_lab/grading.mjs): what the learner's code prints cannot be taken for it.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "../lib/grading.hpp"
#include "../lib/tool_pipe.hpp"

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

}  // namespace

namespace detail {

/// The page shows it where the program ends without a verdict.
void tell_where(const std::string& at) { write_file(kPhase, at); }

void mark_output(const std::string&) {}

}  // namespace detail

/// Without arguments all that judge() tries; or one phase, and the largest size: PHASE N.
int Grader::run(int argc, char** argv) const {
    Options options;
    if (argc == 3) {
        options.phase = argv[1];
        options.max_n = std::strtoul(argv[2], nullptr, 10);
    }
    const Verdict verdict = judge(*this, options);
    if (!write_file(kVerdict, json(verdict))) return 2;
    return verdict.status == Status::not_solved ? 1 : 0;
}

}  // namespace grading
