#include "source_structs.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <vector>

#include "lines.hpp"
#include "source_words.hpp"

namespace lab {
namespace {

constexpr int kMaxBody = 60;  ///< lines of a struct

struct Number {
    std::size_t bytes = 0, alignment = 0;  ///< 0: not known
    bool is_integer = false, is_signed = false;
};

Number number_of(std::string type) {
    for (const char* const word : {"const ", "__restrict__", "std::"}) {
        for (std::size_t at = type.find(word); at != std::string::npos; at = type.find(word)) {
            type.erase(at, std::strlen(word));
        }
    }
    type = trimmed(type);
    if (type.find_first_of("*&") != std::string::npos)
        return {sizeof(void*), alignof(void*), false, false};
    static const auto& known = *new const std::map<std::string, Number>{
        {"bool", {1, 1, true, false}},
        {"char", {1, 1, true, true}},
        {"unsigned char", {1, 1, true, false}},
        {"int8_t", {1, 1, true, true}},
        {"uint8_t", {1, 1, true, false}},
        {"short", {2, 2, true, true}},
        {"unsigned short", {2, 2, true, false}},
        {"int16_t", {2, 2, true, true}},
        {"uint16_t", {2, 2, true, false}},
        {"half", {2, 2, false, false}},
        {"__half", {2, 2, false, false}},
        {"int", {4, 4, true, true}},
        {"unsigned", {4, 4, true, false}},
        {"unsigned int", {4, 4, true, false}},
        {"unsigned long", {sizeof(long), alignof(long), true, false}},
        {"unsigned long long", {8, 8, true, false}},
        {"long", {sizeof(long), alignof(long), true, true}},
        {"long long", {8, 8, true, true}},
        {"size_t", {sizeof(std::size_t), alignof(std::size_t), true, false}},
        {"int32_t", {4, 4, true, true}},
        {"uint32_t", {4, 4, true, false}},
        {"int64_t", {8, 8, true, true}},
        {"uint64_t", {8, 8, true, false}},
        {"float", {4, 4, false, false}},
        {"double", {8, 8, false, false}},
        {"float2", {8, 8, false, false}},
        {"int2", {8, 8, false, false}},
        {"float3", {12, 4, false, false}},
        {"int3", {12, 4, false, false}},
        {"float4", {16, 16, false, false}},
        {"int4", {16, 16, false, false}},
        {"double2", {16, 16, false, false}},
        {"dim3", {12, 4, false, false}},
    };
    const auto found = known.find(type);
    return found != known.end() ? found->second : Number{};
}

std::int64_t value_at(const void* address, const Number& number) {
    std::uint64_t bits = 0;  // little-endian
    std::memcpy(&bits, address, number.bytes);
    const unsigned unused = 64 - 8 * static_cast<unsigned>(number.bytes);
    if (!number.is_signed || unused == 0) return static_cast<std::int64_t>(bits);
    return static_cast<std::int64_t>(bits << unused) >> unused;
}

/// The text between the braces of a struct's or a class's definition, without its functions; empty:
/// there is none. `head`: its first line.
std::string body_of(const std::string& file, const std::string& type, int* head = nullptr) {
    for (int line = 1; line <= line_count(file); ++line) {
        const std::string code = code_line(file, line);
        const std::size_t name = find_word(code, type);
        const std::string before = name == std::string::npos ? "" : trimmed(code.substr(0, name));
        const bool is_head = before.size() >= 5 && (before.rfind("struct") + 6 == before.size() ||
                                                    before.rfind("class") + 5 == before.size());
        // "typedef struct {" some lines above "} Image;"
        int first = line;
        while (before == "}" && first > std::max(1, line - kMaxBody) &&
               code_line(file, first).rfind("typedef struct", 0) != 0) {
            --first;
        }
        if (first == line && (!is_head || code.find(';', name) < code.find('{', name))) continue;
        const std::string text = code_lines(file, first, kMaxBody);
        const std::size_t open = text.find('{');
        if (open == std::string::npos) return {};
        if (head != nullptr) *head = first;
        std::string body;
        int depth = 1;
        for (std::size_t at = open + 1; at < text.size(); ++at) {
            depth += text[at] == '{';
            depth -= text[at] == '}';
            if (depth == 0) return body;
            if (depth == 1) body += text[at] == '}' ? ';' : text[at];
        }
        return {};
    }
    return {};
}

struct Member {
    std::string name;
    std::size_t offset = 0;
    Number number;
    bool is_pointer = false, is_reference = false;
};

/// The members of a struct whose definition is in the file, and its bytes; 0: not known.
std::size_t members_of(const std::string& file, const std::string& type,
                       std::vector<Member>& members) {
    std::size_t end = 0, alignment = 1;
    const std::string body = body_of(file, type);
    for (std::size_t at = 0; at < body.size();) {
        const std::size_t semicolon = std::min(body.find(';', at), body.size());
        std::string text = trimmed(body.substr(at, semicolon - at));
        at = semicolon + 1;
        for (const char* const access : {"public:", "private:"}) {
            if (text.rfind(access, 0) == 0) text = trimmed(text.substr(std::strlen(access)));
        }
        // Functions, and what takes no room.
        if (text.empty() || text.find('(') != std::string::npos) continue;
        const bool is_static = text.rfind("static ", 0) == 0 || text.rfind("using ", 0) == 0;
        if (is_static) continue;
        const std::vector<std::string> names = split(text + ";", 0, ";");
        if (names.empty()) return 0;
        const std::string first = trimmed(names[0].substr(0, names[0].find_first_of("=[")));
        const std::size_t begin = first.find_last_of(" *&") + 1;
        for (std::size_t i = 0; i < names.size(); ++i) {
            std::string name = i == 0 ? first.substr(begin) : names[i];
            std::string own = first.substr(0, begin);
            if (i != 0 && own.find('*') != std::string::npos) own.erase(own.find('*'));
            if (name.rfind('*', 0) == 0) own += "*", name.erase(0, 1);
            name = trimmed(name.substr(0, name.find_first_of("=[")));
            if (name.find(':') != std::string::npos) return 0;  // a bit-field
            const Number number = number_of(own);
            const bool is_array = names[i].find('[') != std::string::npos;
            if (number.bytes == 0 || is_array) return 0;
            end = (end + number.alignment - 1) / number.alignment * number.alignment;
            members.push_back({name, end, number, own.find_first_of("*&") != std::string::npos,
                               own.find('&') != std::string::npos});
            end += number.bytes;
            alignment = std::max(alignment, number.alignment);
        }
    }
    return (end + alignment - 1) / alignment * alignment;
}

}  // namespace

std::size_t size_of_type(const std::string& type) {
    return type.find('*') == std::string::npos ? number_of(type).bytes : 0;
}

std::optional<std::int64_t> integer_member(const std::string& file, const std::string& type,
                                           const std::string& member, const void* object,
                                           std::size_t bytes) {
    std::vector<Member> members;
    if (members_of(file, type, members) != bytes) return std::nullopt;
    for (const Member& each : members) {
        if (each.name != member || !each.number.is_integer) continue;
        return value_at(static_cast<const char*>(object) + each.offset, each.number);
    }
    return std::nullopt;
}

std::string integer_at(const std::string& file, const std::string& type, std::size_t offset,
                       std::size_t bytes) {
    std::vector<Member> members;
    if (members_of(file, type, members) != bytes) return {};
    for (const Member& each : members) {
        if (each.number.is_integer && each.offset == offset) return each.name;
    }
    return {};
}

PointerMember pointer_member(const std::string& file, const std::string& type, std::size_t offset) {
    std::vector<Member> members;
    const std::size_t bytes = members_of(file, type, members);
    for (const Member& each : members) {
        if (bytes == 0 || !each.is_pointer || each.offset != offset % bytes) continue;
        PointerMember made{each.name, 0, each.is_reference};
        body_of(file, type, &made.line);
        const auto declares = [&](const std::string& code) {
            const std::vector<std::size_t> all = words_at(code, each.name);
            return std::any_of(all.begin(), all.end(), [&](std::size_t at) {
                const std::size_t begin = code.find_last_of(";{}:", at) + 1;
                const std::string before = code.substr(begin, at - begin);
                const std::size_t end = code.find_first_not_of(' ', at + each.name.size());
                return before.find_first_of("*&") != std::string::npos &&
                       before.find_first_of("(=") == std::string::npos &&
                       find_word(before, "return") == std::string::npos &&
                       end != std::string::npos && std::strchr(";,={", code[end]) != nullptr;
            });
        };
        const int last = std::min(line_count(file), made.line + kMaxBody);
        while (made.line <= last && !declares(code_line(file, made.line))) ++made.line;
        if (made.line > last) made.line = 0;
        return made;
    }
    return {};
}

}  // namespace lab
