#include <getopt.h>

#include <cstdio>
#include <exception>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "../../harness/backend.hpp"
#include "../../harness/options.hpp"
#include "faults.hpp"
#include "grading.hpp"
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
            } catch (const std::bad_alloc&) {
                check.fail("memory_limit", "The memory of the host is used up (std::bad_alloc).");
            } catch (const tutorial::UsageError& error) {
                throw GraderError{error.what()};
            } catch (const std::exception& error) {
                check.fail("cuda_error", error.what());
            }
        } catch (const Failure& failure) {
            return failure;
        } catch (const GraderError& error) {
            return {"grader", "The exercise's grader is wrong: " + error.text};
        } catch (...) {
            return {"cuda_error", "Something was thrown that is no std::exception."};
        }
    }
};

namespace {

struct CommandLine {
    std::string phase = "answers";
    std::string order = "forward";
    std::size_t most_n = 0;
    std::size_t seed = 0;
};

constexpr const char* kAllowed =
    "--phase answers|counts|times, --order forward|reverse|shuffle, --most-n N, --seed N";

bool is_one_of(const std::string& text, const std::vector<std::string>& allowed) {
    for (const std::string& each : allowed) {
        if (text == each) return true;
    }
    return false;
}

/// False: it is wrong, and this was said.
bool parse(int argc, char** argv, CommandLine& line) {
    const option options[] = {{"phase", required_argument, nullptr, 'p'},
                              {"order", required_argument, nullptr, 'o'},
                              {"most-n", required_argument, nullptr, 'n'},
                              {"seed", required_argument, nullptr, 's'},
                              {nullptr, 0, nullptr, 0}};
    opterr = 0;
    for (int option; (option = getopt_long(argc, argv, "", options, nullptr)) != -1;) {
        bool is_right = false;
        if (option == 'p') {
            line.phase = optarg;
            is_right = is_one_of(line.phase, {"answers", "counts", "times"});
        } else if (option == 'o') {
            line.order = optarg;
            is_right = is_one_of(line.order, {"forward", "reverse", "shuffle"});
        } else if (option == 'n' || option == 's') {
            try {
                (option == 'n' ? line.most_n : line.seed) = tutorial::parse_size(optarg);
                is_right = true;
            } catch (const tutorial::UsageError& error) {
                std::fprintf(stderr, "--%s: %s\n", option == 'n' ? "most-n" : "seed", error.what());
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
    const bool is_gpu = !tutorial::on_cpu_backend();
    std::vector<std::string> phases;
    if (answers_) phases.push_back("answers");
    if (counts_) phases.push_back("counts");
    if (times_ && is_gpu) phases.push_back("times");
    detail::keep_reports();
    detail::limit_sizes(line.most_n);
    detail::set_seed(line.seed);
    tutorial::set_thread_order(line.order, 1);
    const std::string order = line.order == "reverse"   ? "threads in reverse order"
                              : line.order == "shuffle" ? "threads in shuffled order"
                                                        : "";
    detail::Failure verdict;
    std::string digest;
    if (phases.empty() && GRADING_HAS_LAB) {
        verdict = {"grader", "The exercise's grader has no phases."};
    }
    if (line.phase == "answers" && answers_) {
        detail::watch_faults();
        Answers check(is_gpu ? "" : order);
        verdict = detail::Runner::run(check, answers_);
        digest = check.digest();
    }
#if GRADING_HAS_LAB
    if (line.phase == "counts" && counts_) {
        Counts check;
        verdict = detail::Runner::run(check, counts_);
        digest = check.digest();
    }
#endif
    if (line.phase == "times" && times_ && is_gpu) {
        Times check;
        verdict = detail::Runner::run(check, times_);
        digest = check.digest();
    }
    detail::tell_verdict(verdict, phases, digest);
    return verdict.reason.empty() ? 0 : 1;
}

}  // namespace grading
