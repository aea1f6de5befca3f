// A grader as a program: its command line, and where its verdict goes.
#include <getopt.h>

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <string>

#include "../../harness/options.hpp"
#include "grading.hpp"
#include "machine.hpp"
#include "messages.hpp"
#include "tool_pipe.hpp"

namespace grading {
namespace {

constexpr const char* kPhases[] = {"answers", "reverse", "shuffle", "counts", "times"};
constexpr const char* kAllowed =
    "--phase answers|reverse|shuffle|counts|times, --max-n N, --seed N, --learner FROM:TO";

struct CommandLine {
    Options options;
    int from = -1, to = -1;  ///< pipes to the learner's process; -1: it is this one
};

/// False: the command line is wrong, and the error was printed.
bool parse(int argc, char** argv, CommandLine& line) {
    const option options[] = {{"phase", required_argument, nullptr, 'p'},
                              {"max-n", required_argument, nullptr, 'n'},
                              {"seed", required_argument, nullptr, 's'},
                              {"learner", required_argument, nullptr, 'l'},
                              {nullptr, 0, nullptr, 0}};
    opterr = 0;
    for (int option = 0; (option = getopt_long(argc, argv, "", options, nullptr)) != -1;) {
        bool is_right = false;
        if (option == 'p') {
            line.options.phase = optarg;
            is_right = std::find(std::begin(kPhases), std::end(kPhases), line.options.phase) !=
                       std::end(kPhases);
        } else if (option == 'l') {
            char end = '\0';
            is_right = std::sscanf(optarg, "%d:%d%c", &line.from, &line.to, &end) == 2 &&
                       line.from >= 0 && line.to >= 0;
        } else if (option == 'n' || option == 's') {
            try {
                const std::size_t number = tutorial::parse_size(optarg);
                if (option == 'n') {
                    line.options.max_n = number;
                } else {
                    line.options.seed = number;
                }
                is_right = true;
            } catch (const tutorial::UsageError& error) {
                std::fprintf(stderr, "--%s: %s\n", option == 'n' ? "max-n" : "seed", error.what());
                return false;
            }
        }
        if (!is_right) {
            std::fprintf(stderr, "%s: allowed: %s\n", argv[optind - 1], kAllowed);
            return false;
        }
    }
    if (optind == argc) return true;
    std::fprintf(stderr, "%s: allowed: %s\n", argv[optind], kAllowed);
    return false;
}

}  // namespace

int Grader::run(int argc, char** argv) const {
    CommandLine line;
    if (!parse(argc, argv, line)) return 2;
    try {
        if (line.from >= 0) detail::use_remote_machine(line.from, line.to);
        detail::give(judge(*this, line.options));
    } catch (const detail::Closed& closed) {
        // Without a verdict: the program that started the learner's process knows how it ended.
        std::fprintf(stderr, "the learner's process: %s\n", closed.what());
        return 3;
    }
}

}  // namespace grading
