#include "options.hpp"

#include <cctype>

#include "fmt.hpp"

namespace tutorial {
namespace {

[[noreturn]] void fail(const std::string& text) {
    throw UsageError(fmt::format(
        "'{}' is not a size: write a whole number such as 1000, 64k, 1M, 2^20 or 2^20+3", text));
}

[[noreturn]] void fail_too_large(const std::string& text) {
    throw UsageError(fmt::format("'{}' is too large: sizes have 64 bits", text));
}

/// Reads a size from left to right.
class Reader {
  public:
    explicit Reader(const std::string& text) : text_(text) {}

    bool at_end() const { return position_ == text_.size(); }

    bool take(char character) {
        if (at_end() || text_[position_] != character) return false;
        ++position_;
        return true;
    }

    std::size_t whole_number() {
        if (at_end() || !is_digit()) fail(text_);
        std::size_t value = 0;
        while (!at_end() && is_digit()) {
            value = plus(times(value, 10), static_cast<std::size_t>(text_[position_++] - '0'));
        }
        return value;
    }

    /// 1000, 64k or 2^20.
    std::size_t term() {
        const std::size_t value = whole_number();
        if (take('^')) {
            std::size_t power = 1;
            for (std::size_t exponent = whole_number(); exponent > 0; --exponent) {
                power = times(power, value);
                if (power <= 1) break;  // 0 and 1 stay what they are, however large the exponent
            }
            return power;
        }
        if (take('k') || take('K')) return times(value, std::size_t{1} << 10);
        if (take('M')) return times(value, std::size_t{1} << 20);
        if (take('G')) return times(value, std::size_t{1} << 30);
        return value;
    }

    std::size_t plus(std::size_t a, std::size_t b) const {
        if (a > SIZE_MAX - b) fail_too_large(text_);
        return a + b;
    }

  private:
    bool is_digit() const { return std::isdigit(static_cast<unsigned char>(text_[position_])); }

    std::size_t times(std::size_t a, std::size_t b) const {
        if (b != 0 && a > SIZE_MAX / b) fail_too_large(text_);
        return a * b;
    }

    const std::string& text_;
    std::size_t position_ = 0;
};

}  // namespace

std::size_t parse_size(const std::string& text) {
    Reader reader(text);
    std::size_t value = reader.term();
    if (reader.take('+')) {
        value = reader.plus(value, reader.term());
    } else if (reader.take('-')) {
        const std::size_t less = reader.term();
        if (less > value) throw UsageError(fmt::format("'{}' is less than 0", text));
        value -= less;
    }
    if (!reader.at_end()) fail(text);
    return value;
}

}  // namespace tutorial
