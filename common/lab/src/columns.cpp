#include "columns.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <sstream>

namespace lab {
namespace {

constexpr std::size_t kContinues = 10;  ///< spaces at the beginning of a continued line
constexpr std::size_t kHanging = 2;

std::size_t columns_of_stdout() {
    if (const char* const text = std::getenv("COLUMNS")) {
        char* end = nullptr;
        const unsigned long columns = std::strtoul(text, &end, 10);
        if (end != text && *end == '\0') return columns;
    }
    winsize size{};
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

/// Characters, not bytes: a UTF-8 character's further bytes begin with the bits 10.
std::size_t length(const std::string& text) {
    std::size_t count = 0;
    for (const char each : text) count += (static_cast<unsigned char>(each) & 0xc0u) != 0x80u;
    return count;
}

std::string wrapped_line(const std::string& line, std::size_t columns) {
    const std::size_t indent = line.find_first_not_of(' ');
    if (indent == std::string::npos || length(line) <= columns) return line;
    std::string out(indent, ' ');
    std::size_t used = indent;
    bool is_first = true;
    std::istringstream words(line);
    for (std::string word; words >> word; is_first = false) {
        if (!is_first && used + 1 + length(word) > columns) {
            used = indent + kHanging;
            out += '\n' + std::string(used, ' ');
        } else if (!is_first) {
            out += ' ';
            ++used;
        }
        out += word;
        used += length(word);
    }
    return out;
}

}  // namespace

std::size_t narrow_columns() {
    const std::size_t columns = columns_of_stdout();
    return columns < kLeastColumns ? columns : 0;
}

std::string wrapped(const std::string& text, std::size_t columns) {
    if (columns == 0) return text;
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = text.find('\n', at);
        const bool is_last = end == std::string::npos;
        out += wrapped_line(text.substr(at, is_last ? end : end - at), columns);
        if (is_last) break;
        out += '\n';
        at = end + 1;
    }
    return out;
}

std::string unfolded(const std::string& text) {
    std::string out;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const std::size_t next = text.find_first_not_of(' ', at + 1);
        const bool goes_on = text[at] == '\n' && next != std::string::npos && text[next] != '\n' &&
                             next - at > kContinues;
        if (goes_on) {
            out += ' ';
            at = next - 1;
        } else {
            out += text[at];
        }
    }
    return out;
}

}  // namespace lab
