#include "answers.hpp"

#include <fmt/args.h>

#include <algorithm>
#include <cmath>

#include "../../harness/fmt.hpp"
#include "faults.hpp"

namespace grading {
namespace detail {

std::string text(bool value) { return value ? "true" : "false"; }
std::string text(char value) { return fmt::format("{}", static_cast<int>(value)); }
std::string text(int value) { return fmt::format("{}", value); }
std::string text(unsigned value) { return fmt::format("{}", value); }
std::string text(long value) { return fmt::format("{}", value); }
std::string text(unsigned long value) { return fmt::format("{}", value); }
std::string text(long long value) { return fmt::format("{}", value); }
std::string text(unsigned long long value) { return fmt::format("{}", value); }
std::string text(float value) { return fmt::format("{}", value); }
std::string text(double value) { return fmt::format("{}", value); }

std::string fill_in(const std::string& pattern, const std::vector<std::string>& values) {
    if (values.empty()) return pattern;
    fmt::dynamic_format_arg_store<fmt::format_context> store;
    for (const std::string& value : values) store.push_back(value);
    try {
        return fmt::vformat(pattern, store);
    } catch (const fmt::format_error& error) {
        throw GraderError{fmt::format("'{}': {}", pattern, error.what())};
    }
}

}  // namespace detail

using detail::Failure;

void Checks::begin_at(std::string at) {
    step();
    at_ = std::move(at);
    detail::tell_where(at_ + (order_.empty() ? "" : "; " + order_));
}

void Checks::step() {
    const std::vector<Failure> found = detail::take_faults();
    if (found.empty()) return;
    Failure one = detail::as_one(found);
    one.text += circumstances();
    throw one;
}

void Checks::end() {
    step();
    at_.clear();
    if (compared_ == 0) throw detail::GraderError{"it has compared nothing"};
    const std::vector<Failure> leaks = detail::take_leaks();
    if (!leaks.empty()) throw detail::as_one(leaks);
}

void Checks::fail(const std::string& reason, const std::string& text) {
    const std::vector<Failure> found = detail::take_faults();
    Failure one{reason, text};
    if (!found.empty()) {
        one = detail::as_one(found);
        // CUDA's own words for what the fault says better are left out.
        if (reason != "cuda_error") one.text += "\nBesides: " + text;
    }
    one.text += circumstances();
    throw one;
}

std::string Checks::circumstances() const {
    std::string words;
    if (!at_.empty()) words = "\nThis was with " + at_;
    if (!order_.empty()) words += (at_.empty() ? "\nThis was with " : "; ") + order_;
    return words.empty() ? words : words + ".";
}

void Checks::wrong_length(std::size_t expected, std::size_t got, const std::string& what) {
    fail("answer", fmt::format("{}: expected {} items, got {}", what, expected, got));
}

namespace {

std::string got_text(const std::string& got, bool is_poison) {
    return is_poison ? got + " (every bit is set, as in memory that nobody has written)" : got;
}

}  // namespace

void Checks::wrong_item(const std::string& what, std::size_t index, const std::string& expected,
                        const std::string& got, bool is_poison, std::size_t differences,
                        std::size_t n) {
    fail("answer", fmt::format("{}[{}]: expected {}, got {}\n{} of {} item{} wrong.", what, index,
                               expected, got_text(got, is_poison), differences, n,
                               n == 1             ? " is"
                               : differences == 1 ? "s is"
                                                  : "s are"));
}

void Checks::wrong_value(const std::string& what, const std::string& expected,
                         const std::string& got, bool is_poison) {
    fail("answer",
         fmt::format("{}: expected {}, got {}", what, expected, got_text(got, is_poison)));
}

void Checks::near(double expected, double got, double bound, const std::string& what) {
    compared();
    if (std::abs(got - expected) <= bound) return step();  // false for NaN
    fail("answer", fmt::format("{}: expected {}, got {}; at most {:.3g} off is right", what,
                               expected, got, bound));
}

void Checks::predicted(const std::string& what, double predicted, double measured,
                       const std::string& think, double within) {
    constexpr double kRounding = 1e-9;
    compared();
    const double bound = std::max(within, kRounding * std::abs(measured));
    if (std::abs(predicted - measured) <= bound) return step();
    const char* const how = std::isnan(predicted)  ? "is not a number"
                            : predicted < measured ? "is too small"
                                                   : "is too large";
    fail("prediction", fmt::format("{}: your number {}.\n{}", what, how, think));
}

}  // namespace grading
