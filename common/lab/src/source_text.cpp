// The text of source files, which reports quote.
#include <fstream>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "lines.hpp"

namespace lab {

static const std::vector<std::string>& lines_of(const std::string& file) {
    static auto* const known = new std::map<std::string, std::vector<std::string>>;
    static std::mutex mutex;
    const std::lock_guard<std::mutex> lock(mutex);
    const auto [at, fresh] = known->try_emplace(file);
    if (fresh) {
        std::ifstream in(file);
        for (std::string text; std::getline(in, text);) at->second.push_back(text);
    }
    return at->second;
}

int line_count(const std::string& file) { return static_cast<int>(lines_of(file).size()); }

std::string source_line(const std::string& file, int line) {
    const std::vector<std::string>& lines = lines_of(file);
    if (line < 1 || static_cast<std::size_t>(line) > lines.size()) return {};
    const std::string& text = lines[static_cast<std::size_t>(line) - 1];
    const std::size_t begin = text.find_first_not_of(" \t");
    if (begin == std::string::npos) return {};
    return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

std::string file_name(const std::string& path) { return path.substr(path.find_last_of('/') + 1); }

}  // namespace lab
