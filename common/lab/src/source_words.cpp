#include "source_words.hpp"

#include <algorithm>
#include <cctype>

#include "lines.hpp"

namespace lab {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

std::string trimmed(const std::string& text) {
    const std::size_t begin = text.find_first_not_of(" \t\n");
    if (begin == std::string::npos) return {};
    return text.substr(begin, text.find_last_not_of(" \t\n") - begin + 1);
}

std::string code_line(const std::string& file, int line) {
    const std::string text = source_line(file, line);
    return text.substr(0, text.find("//"));
}

std::string code_lines(const std::string& file, int first, int count) {
    std::string text;
    for (int line = first; line < first + count; ++line) text += code_line(file, line) + " ";
    return text;
}

std::vector<std::string> split(const std::string& text, std::size_t begin, const char* end) {
    std::vector<std::string> made;
    std::string one;
    int open = 0;
    for (std::size_t at = begin; at < text.size(); ++at) {
        const char here = text[at];
        if (open == 0 && text.compare(at, std::char_traits<char>::length(end), end) == 0) {
            if (!trimmed(one).empty()) made.push_back(trimmed(one));
            return made;
        }
        open += here == '(' || here == '[' || here == '{';
        open -= here == ')' || here == ']' || here == '}';
        if (here == ',' && open == 0) {
            made.push_back(trimmed(one));
            one.clear();
        } else {
            one += here;
        }
    }
    return {};
}

std::size_t find_word(const std::string& text, const std::string& word, std::size_t from) {
    for (std::size_t at = text.find(word, from); at != std::string::npos;
         at = text.find(word, at + 1)) {
        const std::size_t end = at + word.size();
        if ((at == 0 || !is_word(text[at - 1])) && (end == text.size() || !is_word(text[end]))) {
            return at;
        }
    }
    return std::string::npos;
}

std::vector<std::size_t> words_at(const std::string& text, const std::string& word) {
    std::vector<std::size_t> made;
    for (std::size_t at = find_word(text, word); at != std::string::npos;
         at = find_word(text, word, at + 1)) {
        made.push_back(at);
    }
    return made;
}

int open_braces(const std::string& text) {
    return static_cast<int>(std::count(text.begin(), text.end(), '{') -
                            std::count(text.begin(), text.end(), '}'));
}

std::vector<std::string> names_in(const std::string& text) {
    std::vector<std::string> made;
    for (std::size_t at = 0; at < text.size();) {
        std::size_t end = at;
        while (end < text.size() && is_word(text[end])) ++end;
        if (end > at && std::isdigit(static_cast<unsigned char>(text[at])) == 0) {
            made.push_back(text.substr(at, end - at));
        }
        at = std::max(end, at + 1);
    }
    return made;
}

std::string first_value(const std::string& text) {
    const std::vector<std::string> all = split(text + ";", 0, ";");
    return all.empty() ? std::string() : all.front();
}

std::string without_blanks(std::string text) {
    text.erase(std::remove(text.begin(), text.end(), ' '), text.end());
    return text;
}

}  // namespace lab
