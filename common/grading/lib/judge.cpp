#include <exception>
#include <new>
#include <string>
#include <type_traits>
#include <utility>

#include "../../harness/backend.hpp"
#include "../../harness/options.hpp"
#include "grading.hpp"
#include "machine.hpp"
#include "messages.hpp"

namespace grading {

/// Calls a phase and turns anything that goes wrong into a failure.
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
                check.fail("memory_limit", "The host ran out of memory (std::bad_alloc).");
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

namespace {

/// Runs a phase if it exists and is asked for, and nothing has failed before.
template <class Phase>
void add(Verdict& verdict, const Options& options, const std::string& name,
         const std::function<void(Phase&)>& phase, const std::string& order = {}) {
    if (!phase || verdict.status == Status::not_solved) return;
    if (!options.phase.empty() && options.phase != name) return;
    detail::set_other_order(!order.empty());
    detail::machine().begin(order.empty() ? "forward" : name, !std::is_same_v<Phase, Times>);
    Phase check(order);
    detail::Failure failure = detail::Runner::run(check, phase);
    verdict.status = failure.reason.empty() ? Status::solved : Status::not_solved;
    verdict.reason = std::move(failure.reason);
    verdict.code = std::move(failure.code);
    verdict.text = std::move(failure.text);
    verdict.file = std::move(failure.file);
    verdict.line = failure.line;
    verdict.digest += check.digest();
#if GRADING_HAS_LAB
    if constexpr (std::is_same_v<Phase, Counts>) verdict.bars = check.bars();
#endif
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

Verdict judge(const Grader& grader, const Options& options) {
    detail::limit_sizes(options.max_n);
    detail::set_seed(options.seed);
    Verdict verdict;
    add(verdict, options, "answers", grader.answers_);
    if (tutorial::on_emulator()) {
        add(verdict, options, "reverse", grader.answers_, "threads in reverse order");
        add(verdict, options, "shuffle", grader.answers_, "threads in shuffled order");
#if GRADING_HAS_LAB
        add(verdict, options, "counts", grader.counts_);
#endif
    } else {
        add(verdict, options, "times", grader.times_);
    }
    if (GRADING_HAS_LAB && verdict.status == Status::not_graded && options.phase.empty()) {
        verdict.status = Status::not_solved;
        verdict.reason = "grader";
        verdict.text = "The exercise's grader has no phases.";
    }
    return verdict;
}

}  // namespace grading
