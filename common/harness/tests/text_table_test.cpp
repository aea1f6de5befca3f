#include "../text_table.hpp"

#include <doctest/doctest.h>

using namespace tutorial;

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
