// What the lab writes as JSON is what nlohmann::json would write, whatever bytes a source line
// holds.
#include "json_text.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>

using lab::Json;
using Other = nlohmann::ordered_json;

namespace {

std::string one_line(const Other& other) {
    return other.dump(-1, ' ', false, Other::error_handler_t::replace);
}

}  // namespace

TEST_CASE("objects and arrays, in one line and indented") {
    Json mine{{"a", 1},
              {"none", nullptr},
              {"yes", true},
              {"most", std::numeric_limits<std::uint64_t>::max()},
              {"least", std::numeric_limits<std::int64_t>::min()},
              {"empty", Json::array()},
              {"inner", {{"text", "x"}, {"list", Json::array({1, "two", Json::array()})}}}};
    mine.add("last", std::string("z"));
    const Other other{{"a", 1},
                      {"none", nullptr},
                      {"yes", true},
                      {"most", std::numeric_limits<std::uint64_t>::max()},
                      {"least", std::numeric_limits<std::int64_t>::min()},
                      {"empty", Other::array()},
                      {"inner", {{"text", "x"}, {"list", {1, "two", Other::array()}}}},
                      {"last", "z"}};
    CHECK(mine.text() == one_line(other));
    CHECK(Other::parse(mine.indented()) == other);
    CHECK(Json::array().indented() == "[]");
    CHECK(Json(std::initializer_list<Json::Member>{}).indented() == "{}");
}

TEST_CASE("indented, an object that holds no other is one line") {
    const Json inner{{"file", "main.cu"}, {"grid", Json::array({1, 2})}};
    const Json mine{{"n", 3}, {"rows", Json::array({inner, inner})}};
    CHECK(mine.indented() == R"({
 "n": 3,
 "rows": [
  {"file": "main.cu", "grid": [1, 2]},
  {"file": "main.cu", "grid": [1, 2]}
 ]
})");
}

TEST_CASE("every byte, and every pair of bytes") {
    for (int first = 0; first < 256; ++first) {
        for (int second = -1; second < 256; ++second) {
            std::string text(1, static_cast<char>(first));
            if (second >= 0) text += static_cast<char>(second);
            text += "end";
            REQUIRE(Json(text).text() == one_line(text));
        }
    }
}

TEST_CASE("sequences of UTF-8, whole, cut off and with other bytes in between") {
    // The first and last valid sequences (The Unicode Standard, table 3-7), and their neighbours.
    const unsigned char bytes[] = {0x00, 0x1f, 0x20, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf,
                                   0xc1, 0xc2, 0xdf, 0xe0, 0xe1, 0xec, 0xed, 0xee, 0xef, 0xf0,
                                   0xf1, 0xf3, 0xf4, 0xf5, 0xff, '"',  '\\', 'a'};
    std::mt19937 random(1);
    for (int i = 0; i < 100'000; ++i) {
        std::string text;
        for (std::size_t length = random() % 7; text.size() < length;) {
            text += static_cast<char>(bytes[random() % sizeof bytes]);
        }
        REQUIRE(Json(text).text() == one_line(text));
    }
}
