#include "json_text.hpp"

#include <algorithm>

namespace lab {
namespace {

constexpr int kOneLine = -1;

/// How many bytes of `text` from `at` on are one character of UTF-8; 0 if they are no character,
/// with the number of invalid bytes in `bad`. The ranges are those of The Unicode Standard, table
/// 3-7.
std::size_t character(const std::string& text, std::size_t at, std::size_t& bad) {
    const auto byte = [&](std::size_t i) {
        return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u;
    };
    const unsigned first = byte(at);
    bad = 1;
    if (first < 0x80) return 1;
    if (first < 0xc2 || first > 0xf4) return 0;
    const std::size_t length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    unsigned low = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
    unsigned high = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
    for (; bad < length; ++bad) {
        if (byte(at + bad) < low || byte(at + bad) > high) return 0;
        low = 0x80;
        high = 0xbf;
    }
    return length;
}

/// Invalid UTF-8 becomes U+FFFD: names and lines of sources may contain anything.
std::string quoted(const std::string& text) {
    static const char kHex[] = "0123456789abcdef";
    std::string out = "\"";
    for (std::size_t i = 0; i < text.size();) {
        std::size_t bad = 0;
        const std::size_t length = character(text, i, bad);
        const char first = text[i];
        if (length == 0) {
            out += "\xef\xbf\xbd";
        } else if (first == '"' || first == '\\') {
            (out += '\\') += first;
        } else if (first == '\n') {
            out += "\\n";
        } else if (first == '\t') {
            out += "\\t";
        } else if (first == '\r') {
            out += "\\r";
        } else if (first == '\b') {
            out += "\\b";
        } else if (first == '\f') {
            out += "\\f";
        } else if (length == 1 && first < ' ') {
            ((out += "\\u00") += kHex[first >> 4]) += kHex[first & 15];
        } else {
            out.append(text, i, length);
        }
        i += length == 0 ? bad : length;
    }
    return out += '"';
}

}  // namespace

Json::Json(const char* text) : text_(quoted(text)) {}

Json::Json(const std::string& text) : text_(quoted(text)) {}

Json::Json(std::initializer_list<Member> members) : kind_(Kind::object) {
    for (const Member& each : members) add(each.key, each.value);
}

Json Json::array(std::vector<Json> items) {
    Json made(nullptr);
    made.kind_ = Kind::array;
    made.items_ = std::move(items);
    return made;
}

void Json::add(const char* key, Json value) {
    keys_.push_back(quoted(key));
    items_.push_back(std::move(value));
}

bool Json::holds_object() const {
    return std::any_of(items_.begin(), items_.end(), [](const Json& each) {
        return each.kind_ == Kind::object || each.holds_object();
    });
}

void Json::write(std::string& out, int depth) const {
    if (kind_ == Kind::scalar) {
        out += text_;
        return;
    }
    const bool is_object = kind_ == Kind::object;
    const bool is_spread = depth != kOneLine && holds_object();
    const int inner = depth == kOneLine ? kOneLine : depth + 1;
    const auto line = [&](int spaces) {
        if (is_spread) out.append("\n").append(spaces, ' ');
    };
    out += is_object ? '{' : '[';
    for (std::size_t i = 0; i < items_.size(); ++i) {
        if (i > 0) out += is_spread || depth == kOneLine ? "," : ", ";
        line(inner);
        if (is_object) out += keys_[i] + (depth == kOneLine ? ":" : ": ");
        items_[i].write(out, inner);
    }
    line(depth);
    out += is_object ? '}' : ']';
}

std::string Json::text() const {
    std::string out;
    write(out, kOneLine);
    return out;
}

std::string Json::indented() const {
    std::string out;
    write(out, 0);
    return out;
}

}  // namespace lab
