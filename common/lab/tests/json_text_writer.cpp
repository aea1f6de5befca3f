// For json_text_test.py: writes a value of each kind in one line, then indented, and then each line
// of its input, which is a text in hexadecimal digits, as JSON.
#include "json_text.hpp"

#include <cstdint>
#include <iostream>
#include <limits>
#include <string>

using lab::Json;

int main() {
    const Json inner{{"file", "main.cu"}, {"grid", Json::array({1, 2})}};
    Json every{{"a", 1},
               {"none", nullptr},
               {"yes", true},
               {"most", std::numeric_limits<std::uint64_t>::max()},
               {"least", std::numeric_limits<std::int64_t>::min()},
               {"empty", Json::array()},
               {"nothing", Json(std::initializer_list<Json::Member>{})},
               {"inner", {{"text", "x"}, {"list", Json::array({1, "two", Json::array()})}}},
               {"rows", Json::array({inner, inner})}};
    every.add("last", std::string("z"));
    std::cout << every.text() << '\n' << every.indented() << "\n\n";
    std::string text;
    for (std::string digits; std::getline(std::cin, digits);) {
        text.clear();
        for (std::size_t i = 0; i + 1 < digits.size(); i += 2) {
            text += static_cast<char>(std::stoi(digits.substr(i, 2), nullptr, 16));
        }
        std::cout << Json(text).text() << '\n';
    }
}
