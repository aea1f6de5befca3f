#include "../lib/verdict.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include "../lib/faults.hpp"

using grading::detail::as_one;
using grading::detail::Failure;

namespace {

/// The text of a verdict as JSON has it.
std::string quoted(const std::string& text) {
    grading::Verdict verdict;
    verdict.text = text;
    const std::string line = grading::json(verdict);
    const std::size_t begin = line.find("\"text\":") + 7, end = line.find(",\"file\"");
    return line.substr(begin, end - begin);
}

}  // namespace

TEST_CASE("JSON is one line, whatever is in it") {
    CHECK(quoted("a\nb") == R"("a\u000ab")");
    CHECK(quoted("\"quoted\" \\ \t \x01 \x7f") == "\"\\\"quoted\\\" \\\\ \\u0009 \\u0001 \x7f\"");
    CHECK(quoted("gr\xc3\xbc\xc3\x9f, gr\xfc") == "\"gr\xc3\xbc\xc3\x9f, gr\xfc\"");
}

TEST_CASE("numbers of bars; what is no number is null") {
    grading::Verdict verdict;
    verdict.bars = {{"a", 1.5, "at most", 128.0, true}, {"b", std::nan(""), "exactly", 0.0, false}};
    CHECK(
        grading::json(verdict).find(
            R"("bars":[{"what":"a","measured":1.5,"relation":"at most","allowed":128,"is_met":true},)"
            R"({"what":"b","measured":null,"relation":"exactly","allowed":0,"is_met":false}],)") !=
        std::string::npos);
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
