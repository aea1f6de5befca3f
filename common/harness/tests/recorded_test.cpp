#include "../recorded.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

using tutorial::recorded_times;
using tutorial::short_device_name;
using tutorial::split_csv_line;

namespace {

/// A results folder with one machine, removed at the end.
class Results {
  public:
    Results() {
        char pattern[] = "/tmp/recorded_test_XXXXXX";
        REQUIRE(::mkdtemp(pattern) != nullptr);
        folder = pattern;
    }
    ~Results() { std::filesystem::remove_all(folder); }
    void write(const std::string& machine, const std::string& rows) const {
        std::filesystem::create_directories(folder + "/" + machine);
        std::ofstream file(folder + "/" + machine + "/ch01.csv");
        file
            << "chapter,stage,kind,n,input,options,backend,device,cuda,date,cold_us,check,message\n"
            << rows;
    }
    std::string folder;
};

std::string row(const std::string& stage, const std::string& n, const std::string& us,
                const std::string& rest = "ok,") {
    return "ch01_bubble," + stage + ",stage," + n +
           ",random,type=float,gpu,NVIDIA H200,13.0,2026-11-21T11:44:45Z," + us + "," + rest + "\n";
}

}  // namespace

TEST_CASE("a line of a CSV is cut into its fields") {
    CHECK(split_csv_line("a,,\"b, \"\"c\"\"\",d\r") ==
          std::vector<std::string>{"a", "", "b, \"c\"", "d"});
    CHECK(split_csv_line("") == std::vector<std::string>{""});
}

TEST_CASE("a device's name without its maker") {
    CHECK(short_device_name("NVIDIA H200") == "H200");
    CHECK(short_device_name("Tesla T4") == "Tesla T4");
}

TEST_CASE("recorded times: the size asked for") {
    const Results results;
    results.write("h200", row("slow", "1024", "100") + row("fast", "1024", "12.5") +
                              row("slow", "4096", "900"));
    const auto times = recorded_times(results.folder, "ch01_bubble", 1024, "random", "type=float");
    REQUIRE(times);
    CHECK(times->n == 1024);
    CHECK(times->device == "NVIDIA H200");
    CHECK(times->cuda == "13.0");
    CHECK(times->date == "2026-11-21");
    CHECK(times->cold_seconds.size() == 2);
    CHECK(times->cold_seconds.at("fast") == doctest::Approx(12.5e-6));
    CHECK(recorded_times(results.folder, "ch01", 4096, "random", "type=float")->n == 4096);
}

TEST_CASE("recorded times: of runs with several seeds the first") {
    const Results results;
    results.write("h200", row("fast", "1024", "12.5") + row("fast", "1024", "99"));
    const auto times = recorded_times(results.folder, "ch01_bubble", 1024, "random", "type=float");
    REQUIRE(times);
    CHECK(times->cold_seconds.at("fast") == doctest::Approx(12.5e-6));
}

TEST_CASE("recorded times: of several machines the last by name that has the run") {
    const Results results;
    results.write("h100", row("fast", "1024", "20") + row("fast", "4096", "30"));
    results.write("h200", row("fast", "1024", "12.5"));
    const auto times = [&](std::size_t n) {
        const auto found = recorded_times(results.folder, "ch01", n, "random", "type=float");
        return found->cold_seconds.at("fast");
    };
    CHECK(times(1024) == doctest::Approx(12.5e-6));
    CHECK(times(4096) == doctest::Approx(12.5e-6));  // another size, of that machine
}

TEST_CASE("recorded times: another size says which, and has the most stages, or is the nearest") {
    const Results results;
    results.write("h200", row("slow", "1024", "100") + row("fast", "1024", "12.5") +
                              row("slow", "4096", "900") + row("slow", "65536", "9000") +
                              row("fast", "65536", "1000"));
    const auto n = [&](std::size_t wanted) {
        return recorded_times(results.folder, "ch01", wanted, "random", "type=float")->n;
    };
    CHECK(n(2048) == 1024);
    CHECK(n(1) == 1024);
    CHECK(n(20000) == 65536);
    CHECK(n(std::size_t{1} << 40) == 65536);
}

TEST_CASE("recorded times: nothing where nothing fits") {
    const Results results;
    const auto times = [&](std::size_t n, const std::string& input, const std::string& options) {
        return recorded_times(results.folder, "ch01", n, input, options);
    };
    CHECK_FALSE(times(1024, "random", "type=float"));  // no machine at all
    results.write("cpu", row("slow", "1024", "100"));
    CHECK_FALSE(times(1024, "random", "type=float"));  // a CPU's times say nothing
    results.write("h200", row("slow", "1024", "", ",skipped") + row("bad", "1024", "5", "wrong,x") +
                              row("broken", "1024", "abc"));
    CHECK_FALSE(times(1024, "random", "type=float"));  // skipped, wrong, no number
    results.write("h200", row("slow", "1024", "100"));
    CHECK(times(1024, "random", "type=float"));
    CHECK_FALSE(times(0, "random", "type=float"));
    CHECK_FALSE(times(1024, "sorted", "type=float"));
    CHECK_FALSE(times(1024, "random", "type=int"));
    CHECK_FALSE(recorded_times(results.folder, "ch02", 1024, "random", "type=float"));
    CHECK_FALSE(recorded_times(results.folder + "/absent", "ch01", 1024, "random", "type=float"));
}
