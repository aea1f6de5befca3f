#include "../lib/verdict.hpp"

#include <doctest/doctest.h>

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

TEST_CASE("JSON is one line of ASCII, whatever is in it") {
    CHECK(quoted("a\nb") == R"("a\nb")");
    CHECK(quoted("\"quoted\" \\ \t \x01 \x7f") == R"("\"quoted\" \\ \t \u0001 \u007f")");
    CHECK(quoted("gr\xc3\xbc\xc3\x9f") == R"("gr\u00fc\u00df")");
    CHECK(quoted("\xf0\x9f\x98\x80") == R"("\ud83d\ude00")");
}

TEST_CASE("what is no UTF-8 becomes U+FFFD") {
    CHECK(quoted("gr\xfc") == R"("gr\ufffd")");                            // Latin-1
    CHECK(quoted("\xc3") == R"("\ufffd")");                                // cut off
    CHECK(quoted("\xc0\xaf") == R"("\ufffd\ufffd")");                      // overlong
    CHECK(quoted("\xed\xa0\x80") == R"("\ufffd\ufffd\ufffd")");            // a surrogate
    CHECK(quoted("\xf4\x90\x80\x80") == R"("\ufffd\ufffd\ufffd\ufffd")");  // beyond
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
