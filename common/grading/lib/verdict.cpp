#include "verdict.hpp"

#include <cmath>

#include "../../harness/fmt.hpp"

namespace grading {
namespace {

const char* text(Status status) {
    switch (status) {
        case Status::solved:
            return "solved";
        case Status::not_solved:
            return "not_solved";
        default:
            return "not_graded";
    }
}

std::string quoted(const std::string& text) {
    std::string out = "\"";
    for (const char each : text) {
        if (static_cast<unsigned char>(each) < ' ') {
            out += fmt::format("\\u{:04x}", static_cast<unsigned>(each));
            continue;
        }
        if (each == '"' || each == '\\') out += '\\';
        out += each;
    }
    return out += '"';
}

std::string number(double value) {
    return std::isfinite(value) ? fmt::format("{}", value) : "null";
}

}  // namespace

std::string json(const Verdict& verdict) {
    std::string bars;
    for (const Bar& bar : verdict.bars) {
        bars += fmt::format(
            "{}{{\"what\":{},\"measured\":{},\"relation\":{},\"allowed\":{},\"is_met\":{}}}",
            bars.empty() ? "" : ",", quoted(bar.what), number(bar.measured), quoted(bar.relation),
            number(bar.allowed), bar.is_met);
    }
    return fmt::format(
        "{{\"status\":\"{}\",\"reason\":{},\"code\":{},\"text\":{},\"file\":{},\"line\":{},"
        "\"bars\":[{}],\"digest\":{}}}",
        text(verdict.status), quoted(verdict.reason), quoted(verdict.code), quoted(verdict.text),
        quoted(verdict.file), verdict.line, bars, quoted(verdict.digest));
}

std::string json_of_place(const std::string& at) {
    return fmt::format("{{\"at\":{}}}", quoted(at));
}

}  // namespace grading
