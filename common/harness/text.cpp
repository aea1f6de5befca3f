#include "text.hpp"

#include <algorithm>
#include <cmath>

#include "fmt.hpp"

namespace tutorial {
namespace {

/// `digits` significant digits in fixed notation, at most `digits` of them after the point.
std::string significant(double value, int digits) {
    int before_point = value > 0 ? static_cast<int>(std::floor(std::log10(value))) + 1 : 1;
    // 9.9996 has one digit before the point until it is rounded to 10.00.
    const double unit = std::pow(10.0, before_point - digits);
    if (value > 0 && std::round(value / unit) * unit >= std::pow(10.0, before_point)) {
        ++before_point;
    }
    const int decimals = std::clamp(digits - before_point, 0, digits);
    return fmt::format("{:.{}f}", value, decimals);
}

}  // namespace

std::string format_time(double seconds) {
    // The limits are those at which four digits would round up to 1000 of the smaller unit.
    if (seconds < 999.95e-6) return significant(seconds * 1e6, 4) + " us";
    if (seconds < 999.95e-3) return significant(seconds * 1e3, 4) + " ms";
    return significant(seconds, 4) + " s";
}

std::string format_number(double value) { return significant(value, 4); }

std::string format_rate(double per_second) {
    if (per_second < 999.95) return significant(per_second, 4);
    if (per_second < 999.95e3) return significant(per_second / 1e3, 4) + " k";
    if (per_second < 999.95e6) return significant(per_second / 1e6, 4) + " M";
    if (per_second < 999.95e9) return significant(per_second / 1e9, 4) + " G";
    return significant(per_second / 1e12, 4) + " T";
}

std::string format_bytes(std::size_t bytes) {
    static const char* const kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    double value = static_cast<double>(bytes);
    int unit = 0;
    while (value >= 1024.0 && unit < 4) {
        value /= 1024.0;
        ++unit;
    }
    return fmt::format("{:.{}f} {}", value, unit == 0 ? 0 : 1, kUnits[unit]);
}

std::string format_size(std::size_t n) {
    if (n < 1024 || (n & (n - 1)) != 0) return fmt::format("{}", n);
    int exponent = 0;
    while ((n >> exponent) > 1) ++exponent;
    return fmt::format("{} (2^{})", n, exponent);
}

std::string text_table(const std::vector<std::vector<std::string>>& rows) {
    std::vector<std::size_t> widths;
    for (const std::vector<std::string>& row : rows) {
        widths.resize(std::max(widths.size(), row.size()));
        for (std::size_t c = 0; c < row.size(); ++c) {
            widths[c] = std::max(widths[c], row[c].size());
        }
    }
    std::string text;
    for (const std::vector<std::string>& row : rows) {
        for (std::size_t c = 0; c < row.size(); ++c) {
            const std::string space(widths[c] - row[c].size(), ' ');
            const bool is_last = c + 1 == row.size();
            if (c == 0) {
                text += is_last ? row[c] : row[c] + space;
            } else {
                text += "  " + space + row[c];
            }
        }
        text += "\n";
    }
    return text;
}

std::string most_like(const std::string& word, const std::vector<std::string>& names) {
    std::string found;
    std::size_t least = word.size() / 3 + 1;
    for (const std::string& name : names) {
        // Levenshtein's distance: `row` holds that between the word's first letters and each
        // beginning of the name.
        std::vector<std::size_t> row(name.size() + 1);
        for (std::size_t j = 0; j <= name.size(); ++j) row[j] = j;
        for (std::size_t i = 1; i <= word.size(); ++i) {
            std::size_t diagonal = row[0];
            row[0] = i;
            for (std::size_t j = 1; j <= name.size(); ++j) {
                const std::size_t change = diagonal + (word[i - 1] == name[j - 1] ? 0 : 1);
                diagonal = row[j];
                row[j] = std::min({row[j] + 1, row[j - 1] + 1, change});
            }
        }
        if (row.back() < least) {
            least = row.back();
            found = name;
        }
    }
    return found;
}

}  // namespace tutorial
