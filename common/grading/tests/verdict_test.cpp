#include "../lib/verdict.hpp"

#include <doctest/doctest.h>

#include <string>

#include "../lib/faults.hpp"

using grading::detail::as_one;
using grading::detail::Failure;
using grading::detail::json_line;

TEST_CASE("a line of JSON is one line of ASCII, whatever is in it") {
    CHECK(json_line({{"reason", ""}, {"text", "a\nb"}}) == R"({"reason":"","text":"a\nb"})"
                                                           "\n");
    CHECK(json_line({{"text", "\"quoted\" \\ \t \x01 \x7f"}}) ==
          R"({"text":"\"quoted\" \\ \t \u0001 \u007f"})"
          "\n");
    CHECK(json_line({{"t", "gr\xc3\xbc\xc3\x9f"}}) == R"({"t":"gr\u00fc\u00df"})"
                                                      "\n");
    CHECK(json_line({{"t", "\xf0\x9f\x98\x80"}}) == R"({"t":"\ud83d\ude00"})"
                                                    "\n");
}

TEST_CASE("what is no UTF-8 becomes U+FFFD") {
    const auto quoted = [](const std::string& text) { return json_line({{"t", text}}); };
    CHECK(quoted("gr\xfc") == R"({"t":"gr\ufffd"})"
                              "\n");  // Latin-1
    CHECK(quoted("\xc3") == R"({"t":"\ufffd"})"
                            "\n");  // cut off
    CHECK(quoted("\xc0\xaf") == R"({"t":"\ufffd\ufffd"})"
                                "\n");  // overlong
    CHECK(quoted("\xed\xa0\x80") == R"({"t":"\ufffd\ufffd\ufffd"})"
                                    "\n");  // a surrogate
    CHECK(quoted("\xf4\x90\x80\x80") == R"({"t":"\ufffd\ufffd\ufffd\ufffd"})"
                                        "\n");  // beyond
}

TEST_CASE("of several faults the first is told whole, the others by a line, and none twice") {
    CHECK(as_one({}).reason.empty());
    CHECK(as_one({{"race", "a\nb"}}).text == "a\nb");
    const Failure one = as_one({{"race", "a\nb"}, {"leak", "c\nd"}, {"leak", "e", "e (7)"}});
    CHECK(one.reason == "race");
    CHECK(one.text == "a\nb\nAnd 2 more:\n  c\n  e (7)");
    CHECK(as_one(std::vector<Failure>(9, {"race", "a\nb"})).text == "a\nb");
    std::vector<Failure> many;
    for (int i = 0; i < 9; ++i) many.push_back({"race", std::to_string(i)});
    CHECK(as_one(many).text == "0\nAnd 8 more:\n  1\n  2\n  3\n  4\n  5\n  ...");
}
