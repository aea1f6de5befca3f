#include "../lib/messages.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "../lib/report_message.hpp"

using grading::detail::Channel;
using grading::detail::Closed;
using grading::detail::Failure;
using grading::detail::Kind;
using grading::detail::Reader;
using grading::detail::Writer;

TEST_CASE("what is put into a message comes out of it") {
    Writer out;
    out.put(7).put(std::string("a\0b", 3)).put(std::vector<float>{1.0f, -0.0f}).put(true);
    Reader in(out.bytes());
    CHECK(in.get<int>() == 7);
    CHECK(in.get<std::string>() == std::string("a\0b", 3));
    CHECK(in.get<std::vector<float>>() == std::vector<float>{1.0f, -0.0f});
    CHECK(in.get<bool>());
    in.end();
}

TEST_CASE("a message that is too short, or says so, is none") {
    const std::string number = Writer().put(std::uint64_t{1} << 61).bytes();
    CHECK_THROWS_AS(Reader(number).get<std::string>(), Closed);
    CHECK_THROWS_AS(Reader(number).get<std::vector<double>>(), Closed);
    const std::string three(3, 'x');
    CHECK_THROWS_AS(Reader(three).get<int>(), Closed);
    CHECK_THROWS_AS(Reader(three).end(), Closed);
    CHECK_THROWS_AS(grading::detail::failures_of(number), Closed);
}

TEST_CASE("a channel ends with its other side, and bounds what it reads") {
    int there[2], back[2];
    REQUIRE(pipe(there) == 0);
    REQUIRE(pipe(back) == 0);
    Channel here(back[0], there[1]);
    {
        Channel other(there[0], back[1]);
        here.send(Kind::call, "words");
        CHECK(other.receive(5).bytes == "words");
        other.send(Kind::answer, "123456");
        CHECK_THROWS_AS(here.receive(5), Closed);
    }
}

TEST_CASE("faults go through a message") {
    const std::vector<Failure> found = {{"race", "a\nb", "a", "race_in_block", "f.cu", 7},
                                        {"leak", "", ""}};
    const std::vector<Failure> got = grading::detail::failures_of(grading::detail::bytes_of(found));
    REQUIRE(got.size() == 2);
    CHECK(got[0].reason == "race");
    CHECK(got[0].text == "a\nb");
    CHECK(got[0].brief == "a");
    CHECK(got[0].code == "race_in_block");
    CHECK(got[0].file == "f.cu");
    CHECK(got[0].line == 7);
    CHECK(got[1].reason == "leak");
}

#if GRADING_HAS_LAB
TEST_CASE("a report goes through a message, and no half of it does") {
    lab::Report report;
    report.kernels.resize(2);
    lab::KernelReport& kernel = report.kernels[1];
    kernel.name = "sum_kernel<2>";
    kernel.launches = 3;
    kernel.longest_thread = 99;
    kernel.shapes.push_back({{4, 1, 1}, {256, 1, 1}, 16, 3});
    lab::Row row;
    row.line = 12;
    row.source = "sum += x;";
    row.operation = lab::Operation::store;
    row.space = lab::Space::shared;
    row.traffic.requests = 5;
    row.traffic.longest_queue = 8;
    kernel.rows.push_back(row);
    const std::string bytes = grading::detail::bytes_of(report);
    const lab::Report got = grading::detail::report_of(bytes);
    CHECK(lab::json(got) == lab::json(report));
    CHECK(got.kernels[1].longest_thread == 99);
    CHECK(got.kernels[1].shapes[0].block.x == 256);
    for (std::size_t size = 0; size < bytes.size(); ++size) {
        CHECK_THROWS_AS(grading::detail::report_of(bytes.substr(0, size)), Closed);
    }
}
#endif
