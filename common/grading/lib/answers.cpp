#include "answers.hpp"

#include <fmt/args.h>

#include <algorithm>
#include <cmath>

#include "../../harness/fmt.hpp"
#include "cases.hpp"
#include "faults.hpp"
#include "machine.hpp"

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
    if (!at_.empty()) passed_.push_back(at_);
    at_ = std::move(at);
    note(at_, nullptr, 0);
    detail::machine().mark(at_ + (order_.empty() ? "" : "; " + order_));
}

/// FNV-1a, and a variant with another multiplier: not secret, but never equal by accident.
void Checks::note(const std::string& what, const void* bytes, std::size_t size) {
    if (!are_results_noted_) return;
    const auto add = [&](const unsigned char* data, std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) {
            digest_[0] = (digest_[0] ^ data[i]) * 1099511628211ull;
            digest_[1] = (digest_[1] + data[i]) * 0xd6e8feb86659fd93ull;
            digest_[1] ^= digest_[1] >> 32;
        }
    };
    add(reinterpret_cast<const unsigned char*>(what.data()), what.size() + 1);
    add(static_cast<const unsigned char*>(bytes), size);
}

std::string Checks::digest() const { return fmt::format("{:016x}{:016x}", digest_[0], digest_[1]); }

void Checks::step() {
    const std::vector<Failure> found = detail::machine().take_faults();
    if (found.empty()) return;
    Failure one = detail::as_one(found);
    one.text += circumstances();
    throw one;
}

void Checks::end() {
    step();
    at_.clear();
    if (compared_ == 0) throw detail::GraderError{"it has compared nothing"};
    if (wrong_predictions_ > 0) {
        fail("prediction",
             fmt::format("Not every predicted number is right ({} in all). Which are wrong "
                         "is not shown, so that they cannot be found by guessing.",
                         predicted_));
    }
    const std::vector<Failure> leaks = detail::machine().take_leaks();
    if (!leaks.empty()) throw detail::as_one(leaks);
}

void Checks::fail(const std::string& reason, const std::string& text) {
    const std::vector<Failure> found = detail::machine().take_faults();
    Failure one{reason, text};
    if (!found.empty()) {
        one = detail::as_one(found);
        // CUDA's own message is left out if the fault says it better.
        if (reason != "cuda_error") one.text += "\nBesides: " + text;
    }
    one.text += circumstances();
    throw one;
}

std::string Checks::circumstances() const {
    std::string words;
    if (!at_.empty()) words = "\nThis was with " + at_;
    if (!order_.empty()) words += (at_.empty() ? "\nThis was with " : "; ") + order_;
    if (!words.empty()) words += ".";
    if (!order_.empty()) words += "\nWith the threads in their usual order, everything was right.";
    return words + (order_.empty() ? passed() : "");
}

/// "Right so far: n = 0, 1, 2." from "n = 0, input random" and the like.
std::string Checks::passed() const {
    constexpr std::size_t kMax = 14;
    const auto head_of = [](const std::string& at) { return at.substr(0, at.find(',')); };
    std::vector<std::string> heads;
    bool is_same = false;  // also right, with another input
    for (const std::string& at : passed_) {
        const std::string head = head_of(at);
        is_same = is_same || head == head_of(at_);
        if (head == head_of(at_)) continue;
        if (std::find(heads.begin(), heads.end(), head) == heads.end()) heads.push_back(head);
    }
    std::string words, name;
    const std::size_t first = heads.size() > kMax ? heads.size() - kMax : 0;
    for (std::size_t i = first; i < heads.size(); ++i) {
        const std::size_t equals = heads[i].find(" = ");
        const std::string its_name = heads[i].substr(0, equals);
        const bool goes_on = equals != std::string::npos && its_name == name && !words.empty();
        words += (words.empty() ? "" : ", ") + (goes_on ? heads[i].substr(equals + 3) : heads[i]);
        name = equals != std::string::npos ? its_name : "";
    }
    if (is_same) {
        words += (words.empty() ? "" : "; ") + head_of(at_) + " with other inputs";
    }
    return words.empty() ? words : "\nRight so far: " + words + ".";
}

void Checks::wrong_length(std::size_t expected, std::size_t got, const std::string& what) {
    fail("answer", fmt::format("{}: expected {} items, got {}", what, expected, got));
}

namespace {

std::string got_text(const std::string& got, bool is_poison) {
    return is_poison ? got + " (every bit is set, as in uninitialised memory)" : got;
}

}  // namespace

void Checks::wrong_item(const std::string& what, std::size_t index, const std::string& expected,
                        const std::string& got, bool is_poison, bool ends_unwritten,
                        std::size_t differences, std::size_t n, const std::string& all_expected,
                        const std::string& all_got) {
    std::string text = fmt::format("{}[{}]: expected {}, got {}\n{} of {} item{} wrong.", what,
                                   index, expected, got_text(got, is_poison), differences, n,
                                   n == 1             ? " is"
                                   : differences == 1 ? "s is"
                                                      : "s are");
    if (!all_expected.empty() && !all_got.empty()) {
        text += fmt::format("\n  expected: {}\n  got:      {}", all_expected, all_got);
    }
    if (ends_unwritten && differences > 1) {
        text += fmt::format(
            "\nNo thread has written the items from {} on. Do all blocks write the "
            "same ones?",
            index);
    }
    fail("answer", text);
}

void Checks::wrong_value(const std::string& what, const std::string& expected,
                         const std::string& got, bool is_poison) {
    fail("answer",
         fmt::format("{}: expected {}, got {}", what, expected, got_text(got, is_poison)));
}

void Checks::near(double expected, double got, double bound, const std::string& what) {
    compared();
    if (std::abs(got - expected) <= bound) return step();  // false for NaN
    fail("answer", fmt::format("{}: expected {}, got {}; it may be off by {:.3g}", what, expected,
                               got, bound));
}

void Checks::predicted(const std::string& what, double predicted, double measured,
                       const std::string& think, double within) {
    constexpr double kRounding = 1e-9;
    this->measured();
    const std::string counted = detail::text(measured);
    note(what, counted.data(), counted.size());
    const double bound = std::max(within, kRounding * std::abs(measured));
    ++predicted_;
    if (std::abs(predicted - measured) <= bound) return step();
    if (detail::has_seed()) {
        ++wrong_predictions_;
        return step();
    }
    fail("prediction", fmt::format("{}: {}.\n{}", what,
                                   std::isnan(predicted) ? "your number is not a number"
                                                         : "not the right number yet",
                                   think));
}

}  // namespace grading
