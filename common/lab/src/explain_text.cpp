#include <fmt/format.h>

#include <algorithm>
#include <regex>
#include <string>
#include <vector>

#include "columns.hpp"
#include "explain.hpp"
#include "lines.hpp"

namespace lab {
namespace {

// When a row gets its "!".
constexpr double kFaultRatio = 1.2;   ///< times the minimum, from here on
constexpr double kFewLanes = 16;      ///< of 32, up to here
constexpr double kLeastTurns = 2;     ///< of an atomic operation's lanes on one word, from here on
constexpr double kLeastShare = 0.02;  ///< of the kernel's traffic
constexpr std::size_t kWidth = 98;    ///< of a line of source, so that it does not wrap

double ratio(std::uint64_t a, std::uint64_t b) {
    return b == 0 ? 0.0 : static_cast<double>(a) / static_cast<double>(b);
}

/// `1234567` as "1,234,567".
std::string grouped(std::uint64_t value) {
    std::string out;
    const std::string digits = std::to_string(value);
    for (std::size_t i = 0; i < digits.size(); ++i) {
        if (i != 0 && (digits.size() - i) % 3 == 0) out += ',';
        out += digits[i];
    }
    return out;
}

std::string bytes_text(double bytes) {
    const char* const units[] = {"bytes", "KiB", "MiB", "GiB"};
    int unit = 0;
    while (bytes >= 1024.0 && unit < 3) {
        bytes /= 1024.0;
        ++unit;
    }
    return unit == 0 ? fmt::format("{:.0f} {}", bytes, units[unit])
                     : fmt::format("{:.1f} {}", bytes, units[unit]);
}

std::string shape_text(const Extents& e) {
    if (e.z > 1) return fmt::format("({}, {}, {})", e.x, e.y, e.z);
    if (e.y > 1) return fmt::format("({}, {})", e.x, e.y);
    return fmt::format("{}", e.x);
}

std::string plural(std::uint64_t count, const std::string& what) {
    return fmt::format("{} {}{}", grouped(count), what, count == 1 ? "" : "s");
}

/// What is wrong with a row, in a few words; empty: nothing costly.
std::string fault_of(const Row& row, const KernelReport& kernel) {
    const Traffic& t = row.traffic;
    const double more = row.space == Space::global ? ratio(t.sectors, t.least_sectors)
                                                   : ratio(t.wavefronts, t.least_wavefronts);
    // A row that hardly matters in its kernel is not a good place to begin.
    std::uint64_t all = 0;
    for (const Row& each : kernel.rows) {
        if (each.space != row.space) continue;
        all += row.space == Space::global ? each.traffic.sectors : each.traffic.wavefronts;
    }
    const double share = ratio(row.space == Space::global ? t.sectors : t.wavefronts, all);
    if (share < kLeastShare) return {};
    const double same_word = ratio(t.turns, t.requests);
    if (row.operation == Operation::atomic && row.space == Space::global &&
        same_word >= kLeastTurns) {
        return fmt::format("{:.1f} lanes take turns on one word, {} in all", same_word,
                           grouped(t.longest_queue));
    }
    if (more >= kFaultRatio) {
        return row.space == Space::global ? fmt::format("sectors: {:.1f} times the minimum", more)
               : row.operation == Operation::atomic
                   ? fmt::format("lanes wait for the same word: {:.1f} turns", more)
               : row.space == Space::constant
                   ? fmt::format("{:.1f} words, one after the other", more)
                   : fmt::format("bank conflicts: {:.1f} times the minimum", more);
    }
    const double lanes = ratio(t.lanes, t.requests);
    if (lanes <= kFewLanes) return fmt::format("{:.1f} of 32 lanes", lanes);
    return {};
}

std::string row_text(const Row& row, const KernelReport& kernel, bool as_sentence) {
    const Traffic& t = row.traffic;
    const bool global = row.space == Space::global;
    const std::string fault = fault_of(row, kernel);
    const std::string what = fmt::format("{} {}", text(row.space), text(row.operation));
    const char* const unit = global                         ? "sectors"
                             : row.space == Space::constant ? "words"
                                                            : "wavefronts";
    if (as_sentence) {
        return fmt::format("    {}{}: {}, {:.1f} lanes; each takes {:.2f} {}, least {:.2f}{}{}\n",
                           fault.empty() ? "" : "! ", what, plural(t.requests, "request"),
                           ratio(t.lanes, t.requests),
                           ratio(global ? t.sectors : t.wavefronts, t.requests), unit,
                           ratio(global ? t.least_sectors : t.least_wavefronts, t.requests),
                           fault.empty() ? "" : ": ", fault);
    }
    return fmt::format(" {}        {:<13}  {:>12}  {:>5.1f}  {:>6.2f} {:<10}  {:>5.2f}{}{}\n",
                       fault.empty() ? ' ' : '!', what, grouped(t.requests),
                       ratio(t.lanes, t.requests),
                       ratio(global ? t.sectors : t.wavefronts, t.requests), unit,
                       ratio(global ? t.least_sectors : t.least_wavefronts, t.requests),
                       fault.empty() ? "" : "  ", fault);
}

std::string kernel_text(const KernelReport& kernel, bool as_sentences) {
    const Shape& first = kernel.shapes.front();
    std::string out =
        fmt::format("  {}<<<{}, {}>>>, {} launch{}\n", kernel.name, shape_text(first.grid),
                    shape_text(first.block), kernel.launches, kernel.launches == 1 ? "" : "es");
    if (!kernel.rows.empty() && !as_sentences) {
        out += fmt::format("     line  {:<13}  {:>12}  {:>5}  {:<17}  {:>5}\n", "memory",
                           "requests", "lanes", "       each takes", "least");
    }
    std::string file;
    int line = 0;
    for (const Row& row : kernel.rows) {
        if (row.file != file || row.line != line) {
            const std::string other =
                file.empty() || row.file == file ? "" : "  (" + file_name(row.file) + ")";
            out += as_sentences ? fmt::format("  line {}: {}{}\n", row.line, row.source, other)
                                : fmt::format("    {:>5}  {}{}\n", row.line,
                                              row.source.substr(0, kWidth - 11), other);
            file = row.file;
            line = row.line;
        }
        out += row_text(row, kernel, as_sentences);
    }
    if (!kernel.notice.empty()) out += "    " + kernel.notice + "\n";
    return out;
}

}  // namespace

std::string explain_text(const Report& report, std::size_t bytes_needed, std::size_t columns) {
    std::string out;
    std::uint64_t barriers = 0, grid_barriers = 0, atomics = 0, exchanges = 0;
    std::uint64_t threads = 0, lane_steps = 0, longest = 0;
    for (const KernelReport& kernel : report.kernels) {
        out += kernel_text(kernel, columns != 0);
        barriers += kernel.barriers;
        grid_barriers += kernel.grid_barriers;
        atomics += kernel.atomics;
        exchanges += kernel.exchanges;
        threads += kernel.threads;
        lane_steps += kernel.lane_steps;
        longest = std::max(longest, kernel.longest_thread);
    }
    if (report.kernels.empty()) return "  no kernel was launched\n";
    const double moved = 32.0 * static_cast<double>(report.total(Space::global).sectors);
    out += fmt::format("  in all: {} moved", bytes_text(moved));
    if (bytes_needed != 0) {
        const double needed = static_cast<double>(bytes_needed);
        out += fmt::format(", {} needed ({:.2f} times)", bytes_text(needed), moved / needed);
    }
    out += fmt::format("; {}, {}, {} of warps", plural(barriers + grid_barriers, "barrier"),
                       plural(atomics, "atomic"), plural(exchanges, "exchange"));
    out += fmt::format(
        ";\n          {:.1f} of 32 lanes work; the longest thread takes {} steps, the average "
        "{:.0f}\n",
        report.active_lanes(), grouped(longest), ratio(lane_steps, threads));
    return columns == 0 ? out : wrapped(unfolded(out), columns);
}

std::string explain_legend(std::size_t columns) {
    std::string legend = fmt::format(
        "How to read it (docs/counts.md says more)\n"
        "  request   one instruction of a warp that touches memory; lanes: how many of its 32 do\n"
        "  takes     sectors of 32 bytes in global memory, passes (wavefronts) through shared\n"
        "            memory; least: what the same bytes would take if they lay side by side\n"
        "  !         something to gain: {} times the minimum or more, or {} lanes or fewer, or\n"
        "            {} or more lanes of an atomic operation on one word; not\n"
        "            marked if a line has less than {} % of its kernel's traffic\n"
        "  moved     32 bytes for each sector; needed: the least that one run must move\n"
        "  exchange  a shuffle or a vote: the lanes of a warp exchange registers\n"
        "  step      a stretch of code without a branch, or an access to memory, done once\n",
        kFaultRatio, kFewLanes, kLeastTurns, static_cast<int>(100 * kLeastShare));
    if (columns == 0) return legend;
    // "  moved     32 bytes" as "  moved: 32 bytes"
    const std::string words = std::regex_replace(legend, std::regex("\n  (\\S+) +"), "\n  $1: ");
    return wrapped(unfolded(words), columns);
}

}  // namespace lab
