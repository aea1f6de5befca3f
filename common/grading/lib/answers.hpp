// Compares a learner's results with the right ones. The first difference ends the phase.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace grading {

namespace detail {

std::string text(bool value);
std::string text(char value);
std::string text(int value);
std::string text(unsigned value);
std::string text(long value);
std::string text(unsigned long value);
std::string text(long long value);
std::string text(unsigned long long value);
std::string text(float value);
std::string text(double value);
inline std::string text(const char* value) { return value; }
inline std::string text(const std::string& value) { return value; }

/// `pattern` with each {} replaced by the next of `values`.
std::string fill_in(const std::string& pattern, const std::vector<std::string>& values);

template <class T>
bool is_negative([[maybe_unused]] const T& value) {
    if constexpr (std::is_signed_v<T>) {
        return value < 0;
    } else {
        return false;
    }
}

/// Equal as numbers if both are integers (so -1 is not 4294967295u), else equal bit for bit.
template <class A, class B>
bool are_equal(const A& a, const B& b) {
    if constexpr (std::is_integral_v<A> && std::is_integral_v<B>) {
        return is_negative(a) == is_negative(b) &&
               static_cast<std::common_type_t<A, B>>(a) == static_cast<std::common_type_t<A, B>>(b);
    } else {
        static_assert(std::is_same_v<A, B> && std::is_trivially_copyable_v<A>,
                      "compare two values of one type");
        return std::memcmp(&a, &b, sizeof a) == 0;
    }
}

struct Runner;  ///< calls a phase function

/// All of them in a row, if they are few enough to be read; else nothing.
template <class T>
std::string few(const std::vector<T>& values) {
    constexpr std::size_t kMax = 16, kMaxCharacters = 90;
    std::string row;
    if (values.size() < 2 || values.size() > kMax) return row;
    for (const T value : values) row += (row.empty() ? "" : " ") + text(value);
    return row.size() <= kMaxCharacters ? row : "";
}

/// Every bit set: the value of memory before it is written.
template <class T>
bool is_poison(const T& value) {
    unsigned char bytes[sizeof(T)];
    std::memcpy(bytes, &value, sizeof value);
    for (unsigned char byte : bytes) {
        if (byte != 0xff) return false;
    }
    return true;
}

}  // namespace detail

/// The checks of all phases.
class Checks {
  public:
    explicit Checks(std::string order = {}) : order_(std::move(order)) {}
    Checks(const Checks&) = delete;
    Checks& operator=(const Checks&) = delete;

    /// Whether threads run in the usual order. Inputs so large that one run is enough are tried
    /// only then.
    bool in_usual_order() const { return order_.empty(); }

    /// begin("n = {}, input {}", n, input.name): what is tried from here on. It is named in any
    /// later failure, fault or crash. Also reports what went wrong before.
    template <class... Values>
    void begin(const std::string& pattern, const Values&... values) {
        begin_at(detail::fill_in(pattern, {detail::text(values)...}));
    }

    /// Every item equal: integers as numbers, floats bit for bit. Names the first difference.
    /// `what`: the name of the array, as the task calls it.
    template <class T>
    void equal(const std::vector<T>& expected, const std::vector<T>& got, const std::string& what) {
        compared();
        if (expected.size() != got.size()) {
            wrong_length(expected.size(), got.size(), what);
            return;
        }
        note(what, got.data(), got.size() * sizeof(T));
        std::size_t first = expected.size(), differences = 0;
        for (std::size_t i = expected.size(); i-- > 0;) {
            if (detail::are_equal<T, T>(expected[i], got[i])) continue;
            first = i;
            ++differences;
        }
        if (differences == 0) return step();
        std::size_t written = got.size();  // up to the last item that was
        while (written > 0 && detail::is_poison<T>(got[written - 1])) --written;
        wrong_item(what, first, detail::text(static_cast<const T&>(expected[first])),
                   detail::text(static_cast<const T&>(got[first])),
                   detail::is_poison<T>(got[first]), written <= first && written > 0, differences,
                   expected.size(), detail::few(expected), detail::few(got));
    }

    /// One value. Integers of different types are compared as numbers.
    template <class A, class B>
    void equal(const A& expected, const B& got, const std::string& what) {
        compared();
        const std::string value = detail::text(got);
        note(what, value.data(), value.size());
        if (detail::are_equal(expected, got)) return step();
        wrong_value(what, detail::text(expected), detail::text(got), detail::is_poison(got));
    }

    /// |got - expected| <= bound; never true for NaN. `what` says what it is, and why that bound.
    void near(double expected, double got, double bound, const std::string& what);

    /// The same for each item.
    template <class T>
    void near(const std::vector<double>& expected, const std::vector<T>& got, double bound,
              const std::string& what) {
        if (expected.size() != got.size()) {
            compared();
            wrong_length(expected.size(), got.size(), what);
            return;
        }
        for (std::size_t i = 0; i < got.size(); ++i) {
            near(expected[i], static_cast<double>(got[i]), bound,
                 detail::fill_in("{}[{}]", {what, detail::text(i)}));
        }
        if (got.empty()) compared();
    }

    /// Anything else: `wrong` says what is wrong if the condition does not hold; {} in it are
    /// replaced by the values.
    template <class... Values>
    void that(bool condition, const std::string& wrong, const Values&... values) {
        compared();
        if (condition) return step();
        fail("answer", detail::fill_in(wrong, {detail::text(values)...}));
    }

    /// A number that the learner has predicted, and the one that was measured. It must be within
    /// `within` (0: equal, up to rounding). The message gives neither the right number nor whether
    /// the learner's is too high or too low, which would allow a search; it gives only `think`, a
    /// hint. With a seed (a class) the numbers are judged together, at the end, and the message
    /// does not say which one is wrong: they cannot be found one by one, by grading a class of
    /// guesses.
    void predicted(const std::string& what, double predicted, double measured,
                   const std::string& think, double within = 0.0);

    /// From here on results may differ from one right answer to another: they are not part of
    /// digest().
    void results_may_differ() { are_results_noted_ = false; }

    /// All that was tried and all values that came back, as one number: the same for every right
    /// answer. The tool compares it with that of the solution, which ran elsewhere.
    std::string digest() const;

    /// Reports what was found so far, including leaks, or that nothing was checked. Called by
    /// Grader.
    void end();

  protected:
    ~Checks() = default;

    /// Ends the phase. A fault, if there is one, comes first, because it explains the rest.
    [[noreturn]] void fail(const std::string& reason, const std::string& text);
    /// Records that a value that came back was compared.
    void compared() {
        ++compared_;
        are_values_compared_ = true;
    }
    /// Records the same for a count, a time or a prediction.
    void measured() { ++compared_; }

    bool are_values_compared_ = true;  ///< since something was counted last
    /// Ends the phase if a fault was found since the last step.
    void step();

  private:
    friend struct detail::Runner;
    void begin_at(std::string at);
    void wrong_length(std::size_t expected, std::size_t got, const std::string& what);
    void wrong_item(const std::string& what, std::size_t index, const std::string& expected,
                    const std::string& got, bool is_poison, bool ends_unwritten,
                    std::size_t differences, std::size_t n, const std::string& all_expected,
                    const std::string& all_got);
    void wrong_value(const std::string& what, const std::string& expected, const std::string& got,
                     bool is_poison);
    std::string circumstances() const;
    void note(const std::string& what, const void* bytes, std::size_t size);
    std::string passed() const;

    std::string at_;
    std::vector<std::string> passed_;  ///< what was tried before, and was right
    std::string order_;                ///< of threads; empty: not worth mentioning
    std::size_t compared_ = 0;
    std::size_t predicted_ = 0, wrong_predictions_ = 0;
    bool are_results_noted_ = true;
    std::uint64_t digest_[2] = {14695981039346656037ull, 0x9e3779b97f4a7c15ull};
};

/// The phase that compares results. On the emulator with the lab, everything that runs in it is
/// watched for faults, and a fault fails even if the results are right.
class Answers : public Checks {
  public:
    using Checks::Checks;
};

}  // namespace grading
