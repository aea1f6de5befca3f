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

std::string json_string(const std::string& text) {
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

std::string json_number(double value) {
    return std::isfinite(value) ? fmt::format("{}", value) : "null";
}

}  // namespace

std::string json(const Verdict& verdict) {
    std::string bars;
    for (const Bar& bar : verdict.bars) {
        bars += fmt::format(
            "{}{{\"what\":{},\"measured\":{},\"relation\":{},\"allowed\":{},\"is_met\":{}}}",
            bars.empty() ? "" : ",", json_string(bar.what), json_number(bar.measured),
            json_string(bar.relation), json_number(bar.allowed), bar.is_met);
    }
    return fmt::format(
        "{{\"status\":\"{}\",\"reason\":{},\"code\":{},\"text\":{},\"file\":{},\"line\":{},"
        "\"bars\":[{}],\"digest\":{}}}",
        text(verdict.status), json_string(verdict.reason), json_string(verdict.code),
        json_string(verdict.text), json_string(verdict.file), verdict.line, bars,
        json_string(verdict.digest));
}

std::string json_of_place(const std::string& at) {
    return fmt::format("{{\"at\":{}}}", json_string(at));
}

}  // namespace grading
