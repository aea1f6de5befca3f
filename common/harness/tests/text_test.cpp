#include "../text.hpp"

#include <doctest/doctest.h>

using namespace tutorial;

TEST_CASE("times have four significant digits and a unit that fits") {
    CHECK(format_time(0.5e-6) == "0.5000 us");
    CHECK(format_time(1.2344e-6) == "1.234 us");
    CHECK(format_time(12.344e-6) == "12.34 us");
    CHECK(format_time(123.44e-6) == "123.4 us");
    CHECK(format_time(999.94e-6) == "999.9 us");
    CHECK(format_time(999.96e-6) == "1.000 ms");
    CHECK(format_time(65.7e-3) == "65.70 ms");
    CHECK(format_time(0.99996) == "1.000 s");
    CHECK(format_time(1234.4) == "1234 s");
    CHECK(format_time(9.9996e-6) == "10.00 us");
}

TEST_CASE("numbers have four significant digits and no exponent") {
    CHECK(format_number(4652.4) == "4652");
    CHECK(format_number(98.76) == "98.76");
    CHECK(format_number(0.01234) == "0.0123");
    CHECK(format_number(123456.0) == "123456");
    CHECK(format_number(0.0) == "0.000");
}

TEST_CASE("rates have a decimal unit") {
    CHECK(format_rate(12.344) == "12.34");
    CHECK(format_rate(15.75e6) == "15.75 M");
    CHECK(format_rate(1.2344e9) == "1.234 G");
    CHECK(format_rate(999.96e6) == "1.000 G");
    CHECK(format_rate(2e12) == "2.000 T");
    CHECK(format_rate(5e3) == "5.000 k");
}

TEST_CASE("bytes and sizes") {
    CHECK(format_bytes(512) == "512 B");
    CHECK(format_bytes(1536) == "1.5 KiB");
    CHECK(format_bytes(std::size_t{139} << 30) == "139.0 GiB");
    CHECK(format_size(0) == "0");
    CHECK(format_size(1000) == "1000");
    CHECK(format_size(512) == "512");
    CHECK(format_size(1024) == "1024 (2^10)");
    CHECK(format_size(1048577) == "1048577");
}

TEST_CASE("a misspelt word: the nearest name, none where all are far") {
    const std::vector<std::string> names = {"shared", "shuffle", "sequential", "best"};
    CHECK(most_like("shufle", names) == "shuffle");
    CHECK(most_like("shuflfe", names) == "shuffle");
    CHECK(most_like("Shared", names) == "shared");
    CHECK(most_like("bst", names) == "best");
    CHECK(most_like("sequentialy", names) == "sequential");
    CHECK(most_like("shuf", names) == "");
    CHECK(most_like("nosuch", names) == "");
    CHECK(most_like("", names) == "");
    CHECK(most_like("best", {}) == "");
}

TEST_CASE("text table: columns as wide as their widest cell, numbers to the right") {
    CHECK(text_table({}) == "");
    CHECK(text_table({{"one"}}) == "one\n");
    CHECK(text_table({{"stage", "time"}, {"tree", "12.5 us"}, {"best"}}) ==
          "stage     time\n"
          "tree   12.5 us\n"
          "best\n");
    CHECK(text_table({{"", "a", "bb"}, {"x", "", "c"}}) ==
          "   a  bb\n"
          "x      c\n");
}
