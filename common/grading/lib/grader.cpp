#include <getopt.h>

#include <cstdio>
#include <exception>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "../../harness/backend.hpp"
#include "../../harness/options.hpp"
#include "grading.hpp"
#include "machine.hpp"
#include "messages.hpp"
#include "verdict.hpp"

namespace grading {

/// Calls a phase and makes whatever happens a verdict.
struct detail::Runner {
    template <class Phase>
    static Failure run(Phase& check, const std::function<void(Phase&)>& phase) {
        try {
            try {
                phase(check);
                check.end();
                return {};
            } catch (const Closed&) {
                throw;
            } catch (const std::bad_alloc&) {
                check.fail("memory_limit", "The memory of the host is used up (std::bad_alloc).");
            } catch (const tutorial::UsageError& error) {
                throw GraderError{error.what()};
            } catch (const std::exception& error) {
                check.fail("cuda_error", error.what());
            }
        } catch (const Closed&) {
            throw;
        } catch (const Failure& failure) {
            return failure;
        } catch (const GraderError& error) {
            return {"grader", "The exercise's grader is wrong: " + error.text};
        } catch (...) {
            return {"cuda_error", "Something was thrown that is not a std::exception."};
        }
    }
};

struct CommandLine {
    std::string phase = "answers";
    std::string order = "forward";
    std::size_t max_n = 0;
    std::size_t seed = 0;
    int from = -1, to = -1;  ///< pipes to the learner's process; -1: it is this one
};

namespace {

constexpr const char* kAllowed =
    "--phase answers|counts|times, --order forward|reverse|shuffle, --max-n N, --seed N, "
    "--learner FROM:TO";

bool is_one_of(const std::string& text, const std::vector<std::string>& allowed) {
    for (const std::string& each : allowed) {
        if (text == each) return true;
    }
    return false;
}

/// False: it is wrong, and this was said.
bool parse(int argc, char** argv, CommandLine& line) {
    const option options[] = {
        {"phase", required_argument, nullptr, 'p'},   {"order", required_argument, nullptr, 'o'},
        {"max-n", required_argument, nullptr, 'n'},   {"seed", required_argument, nullptr, 's'},
        {"learner", required_argument, nullptr, 'l'}, {nullptr, 0, nullptr, 0}};
    opterr = 0;
    for (int option = 0; (option = getopt_long(argc, argv, "", options, nullptr)) != -1;) {
        bool is_right = false;
        if (option == 'p') {
            line.phase = optarg;
            is_right = is_one_of(line.phase, {"answers", "counts", "times"});
        } else if (option == 'o') {
            line.order = optarg;
            is_right = is_one_of(line.order, {"forward", "reverse", "shuffle"});
        } else if (option == 'l') {
            char end = '\0';
            is_right = std::sscanf(optarg, "%d:%d%c", &line.from, &line.to, &end) == 2 &&
                       line.from >= 0 && line.to >= 0;
        } else if (option == 'n' || option == 's') {
            try {
                (option == 'n' ? line.max_n : line.seed) = tutorial::parse_size(optarg);
                is_right = true;
            } catch (const tutorial::UsageError& error) {
                std::fprintf(stderr, "--%s: %s\n", option == 'n' ? "max-n" : "seed", error.what());
                return false;
            }
        }
        if (!is_right) {
            std::fprintf(stderr, "%s: allowed are %s\n", argv[optind - 1], kAllowed);
            return false;
        }
    }
    if (optind == argc) return true;
    std::fprintf(stderr, "%s: allowed are %s\n", argv[optind], kAllowed);
    return false;
}

}  // namespace

Grader& Grader::answers(std::function<void(Answers&)> phase) {
    answers_ = std::move(phase);
    return *this;
}

#if GRADING_HAS_LAB
Grader& Grader::counts(std::function<void(Counts&)> phase) {
    counts_ = std::move(phase);
    return *this;
}
#endif

Grader& Grader::times(std::function<void(Times&)> phase) {
    times_ = std::move(phase);
    return *this;
}

int Grader::run(int argc, char** argv) {
    CommandLine line;
    if (!parse(argc, argv, line)) return 2;
    try {
        return judge(line);
    } catch (const detail::Closed& closed) {
        // Without a verdict: whoever started the learner's process knows how it ended.
        std::fprintf(stderr, "the learner's process: %s\n", closed.what());
        return 3;
    }
}

int Grader::judge(const CommandLine& line) {
    const bool is_gpu = !tutorial::on_emulator();
    std::vector<std::string> phases;
    if (answers_) phases.emplace_back("answers");
    if (counts_) phases.emplace_back("counts");
    if (times_ && is_gpu) phases.emplace_back("times");
    if (line.from >= 0) detail::use_remote_machine(line.from, line.to);
    detail::limit_sizes(line.max_n);
    detail::set_seed(line.seed);
    detail::set_other_order(!is_gpu && line.order != "forward");
    const std::string order = line.order == "reverse"   ? "threads in reverse order"
                              : line.order == "shuffle" ? "threads in shuffled order"
                                                        : "";
    detail::Failure verdict;
    std::string digest, counted;
    if (phases.empty() && GRADING_HAS_LAB) {
        verdict = {"grader", "The exercise's grader has no phases."};
    }
    detail::machine().begin(line.order, line.phase == "answers");
    if (line.phase == "answers" && answers_) {
        Answers check(is_gpu ? "" : order);
        verdict = detail::Runner::run(check, answers_);
        digest = check.digest();
    }
#if GRADING_HAS_LAB
    if (line.phase == "counts" && counts_) {
        Counts check;
        verdict = detail::Runner::run(check, counts_);
        digest = check.digest();
        counted = check.counted();
    }
#endif
    if (line.phase == "times" && times_ && is_gpu) {
        Times check;
        verdict = detail::Runner::run(check, times_);
        digest = check.digest();
    }
    detail::tell_verdict(verdict, phases, digest, counted);
    return verdict.reason.empty() ? 0 : 1;
}

}  // namespace grading
