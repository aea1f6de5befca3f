#include "../lib/verdict.hpp"

#include <doctest/doctest.h>

#include <string>

#include "../lib/faults.hpp"

using grading::detail::as_one;
using grading::detail::Failure;
using grading::detail::json_line;

TEST_CASE("a line of JSON is one line, whatever is in it") {
    CHECK(json_line({{"reason", ""}, {"text", "a\nb"}}) ==
          "{\"reason\": \"\", \"text\": \"a\\nb\"}\n");
    CHECK(json_line({{"text", "\"quoted\" \\ \t \x01 \x7f"}}) ==
          "{\"text\": \"\\\"quoted\\\" \\\\ \\u0009 \\u0001 \\u007f\"}\n");
}

TEST_CASE("what is no UTF-8 becomes question marks") {
    const auto quoted = [](const std::string& text) { return json_line({{"t", text}}); };
    CHECK(quoted("gr\xc3\xbc\xc3\x9f") == "{\"t\": \"gr\xc3\xbc\xc3\x9f\"}\n");
    CHECK(quoted("\xf0\x9f\x98\x80") == "{\"t\": \"\xf0\x9f\x98\x80\"}\n");
    CHECK(quoted("gr\xfc") == "{\"t\": \"gr?\"}\n");             // Latin-1
    CHECK(quoted("\xc3") == "{\"t\": \"?\"}\n");                 // cut off
    CHECK(quoted("\xc0\xaf") == "{\"t\": \"??\"}\n");            // overlong
    CHECK(quoted("\xed\xa0\x80") == "{\"t\": \"???\"}\n");       // a surrogate
    CHECK(quoted("\xf4\x90\x80\x80") == "{\"t\": \"????\"}\n");  // beyond Unicode
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
