#include "../options.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "../backend.hpp"
#include "../command_line.hpp"

using tutorial::CommandLine;
using tutorial::parse_command_line;
using tutorial::parse_size;
using tutorial::ParsedLine;
using tutorial::UsageError;

namespace {

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

/// A chapter with one option of each sort.
struct Example {
    bool estimate = false;
    std::string type = "float";
    std::size_t rounds = 4;

    ParsedLine parse(std::vector<const char*> words) {
        CommandLine line;
        line.program = "ch00_example";
        line.title = "an example";
        line.item = "key";
        line.default_n = 1024;
        line.max_n = std::size_t{1} << 20;
        line.why_max_n = "more takes too long";
        line.extra = {{"--estimate", "", &estimate},
                      {"--type", "type of the keys", nullptr, &type, {"float", "int"}},
                      {"--rounds", "", nullptr, nullptr, {}, &rounds, 1, 64}};
        words.insert(words.begin(), "program");
        const ParsedLine parsed =
            parse_command_line(line, static_cast<int>(words.size()), words.data());
        text = tutorial::chapter_options_text(line.extra);
        return parsed;
    }

    std::string text;  ///< of the chapter's options, after parse()
};

/// What a wrong command line says.
std::string error_of(const std::vector<const char*>& words) {
    Example example;
    try {
        example.parse(words);
    } catch (const UsageError& error) {
        CHECK_MESSAGE(!contains(error.what(), "\n"), "more than one line: " << error.what());
        return error.what();
    }
    FAIL("no error");
    return {};
}

}  // namespace

TEST_CASE("parse_size reads plain numbers, units and powers") {
    CHECK(parse_size("0") == 0);
    CHECK(parse_size("1000") == 1000);
    CHECK(parse_size("64k") == 64 * 1024);
    CHECK(parse_size("64K") == 64 * 1024);
    CHECK(parse_size("1M") == 1048576);
    CHECK(parse_size("2G") == std::size_t{2} << 30);
    CHECK(parse_size("2^20") == 1048576);
    CHECK(parse_size("2^20+3") == 1048579);
    CHECK(parse_size("2^20-1") == 1048575);
    CHECK(parse_size("2^31+3") == 2147483651u);
    CHECK(parse_size("1M+1k") == 1049600);
    CHECK(parse_size("10^3") == 1000);
    CHECK(parse_size("2^0") == 1);
    CHECK(parse_size("0^5") == 0);
    CHECK(parse_size("1^99999999999") == 1);
    CHECK(parse_size("18446744073709551615") == SIZE_MAX);
}

TEST_CASE("parse_size rejects everything else and says what it was") {
    for (const char* text : {"", "abc", "-5", "1.5", "1e6", "12x", "1MB", "2^", "^20", "2^20+",
                             "+3", " 5", "5 ", "1 M", "0x10", "2^20+3+4", "2^2^2", "M"}) {
        CAPTURE(text);
        try {
            parse_size(text);
            FAIL_CHECK("accepted");
        } catch (const UsageError& error) {
            CHECK(contains(error.what(), std::string("'") + text + "'"));
            CHECK(contains(error.what(), "2^20"));
        }
    }
    for (const char* text : {"18446744073709551616", "2^64", "99999999999G", "2^63+2^63"}) {
        CAPTURE(text);
        // A separate variable: doctest 2.4.8 reads it when a temporary would be gone.
        const std::string message = std::string("'") + text + "' is too large: sizes have 64 bits";
        CHECK_THROWS_WITH_AS(parse_size(text), message.c_str(), UsageError);
    }
    CHECK_THROWS_WITH_AS(parse_size("3-4"), "'3-4' is less than 0", UsageError);
}

TEST_CASE("with no options there are the defaults") {
    Example example;
    const ParsedLine parsed = example.parse({});
    CHECK(parsed.help.empty());
    CHECK(parsed.options.n == 1024);
    CHECK(parsed.options.input == "random");
    CHECK(parsed.options.seed == 1);
    CHECK(parsed.options.stages.empty());
    CHECK(parsed.options.csv.empty());
    CHECK_FALSE(parsed.options.list);
    CHECK_FALSE(parsed.options.explain);
    CHECK(parsed.options.order == "forward");
    CHECK(example.text == "type=float rounds=4");
}

TEST_CASE("faults are looked for in half as many items, unless n is given") {
    Example example;
    CHECK(example.parse({"--faults"}).options.n == 512);
    CHECK(example.parse({"--faults", "--n", "1000"}).options.n == 1000);
}

TEST_CASE("every option is read") {
    Example example;
    const ParsedLine parsed = example.parse(
        {"--n", "2^10+1", "--input", "organ_pipe", "--seed", "18446744073709551615", "--csv",
         "out.csv", "--list", "--explain", "--estimate", "--type", "int", "--rounds=8"});
    CHECK(parsed.options.n == 1025);
    CHECK(parsed.options.input == "organ_pipe");
    CHECK(parsed.options.seed == UINT64_MAX);
    CHECK(parsed.options.csv == "out.csv");
    CHECK(parsed.options.list);
    CHECK(parsed.options.explain);
    CHECK(example.estimate);
    CHECK(example.type == "int");
    CHECK(example.rounds == 8);
    CHECK(example.text == "estimate type=int rounds=8");
}

TEST_CASE("--stage takes several names, in any of the usual ways") {
    using Names = std::vector<std::string>;
    CHECK(Example().parse({"--stage", "a", "b", "--n", "5"}).options.stages == Names{"a", "b"});
    CHECK(Example().parse({"--stage", "a,b"}).options.stages == Names{"a", "b"});
    CHECK(Example().parse({"--stage", "a", "--stage", "b"}).options.stages == Names{"a", "b"});
}

TEST_CASE("of an option given twice the last one counts") {
    CHECK(Example().parse({"--n", "5", "--n", "6"}).options.n == 6);
}

TEST_CASE("--help names every option, its values and its default") {
    const std::string help = Example().parse({"--help"}).help;
    for (const char* part : {"ch00_example", "an example", "--n", "1024", "1048576 (2^20)",
                             "--input", "organ_pipe", "--seed", "--stage", "--csv", "--list",
                             "--explain", "--estimate", "--type", "float, int"}) {
        CAPTURE(part);
        CHECK(contains(help, part));
    }
    CHECK(contains(help, "--order") == tutorial::on_emulator());
}

TEST_CASE("every wrong option gets one line that says what is allowed") {
    CHECK(error_of({"--frobnicate"}) == "unknown option '--frobnicate'; --help lists the options");
    CHECK(error_of({"extra"}) == "unknown option 'extra'; --help lists the options");
    for (const char* option : {"--n", "--input", "--seed", "--csv", "--type", "--rounds"}) {
        const std::string missing = std::string(option) + ": a value is missing";
        CHECK(error_of({option}) == missing);
        CHECK(error_of({option, "--list"}) == missing);
        CHECK(error_of({option, ""}) == missing);
    }
    CHECK(error_of({"--stage"}) == "--stage: a name is missing; --list lists the stages");
    CHECK(error_of({"--stage", ""}) == "--stage: a name is missing; --list lists the stages");
    CHECK(contains(error_of({"--n", "many"}), "--n: 'many' is not a size"));
    CHECK(contains(error_of({"--n", "-5"}), "--n"));
    CHECK(
        error_of({"--n", "2^20+1"}) ==
        "--n: 1048577 is too many: ch00_example takes at most 1048576 (2^20) keys: more takes too "
        "long");
    CHECK(contains(error_of({"--input", "chaos"}), "--input: unknown value 'chaos'; allowed: "));
    CHECK(contains(error_of({"--input", "chaos"}), "organ_pipe"));
    for (const char* seed : {"x", "-1", "1.5", "18446744073709551616", "1k"}) {
        CHECK(error_of({"--seed", seed}) == std::string("--seed: '") + seed +
                                                "' is not a whole number from 0 to "
                                                "18446744073709551615");
    }
    CHECK(error_of({"--type", "half"}) == "--type: unknown value 'half'; allowed: float, int");
    CHECK(error_of({"--rounds", "0"}) == "--rounds: 0 is not from 1 to 64");
    CHECK(error_of({"--rounds", "65"}) == "--rounds: 65 is not from 1 to 64");
    CHECK(contains(error_of({"--rounds", "x"}), "--rounds: 'x' is not a size"));
    CHECK(contains(error_of({"--estimate=maybe"}), "--estimate"));
    if (tutorial::on_emulator()) {
        CHECK(error_of({"--order", "random"}) ==
              "--order: unknown value 'random'; allowed: forward, reverse, shuffle");
    } else {
        CHECK(error_of({"--order", "reverse"}) == "--order works only on the emulator");
    }
}

TEST_CASE("a program without a table of stages knows no option of one, and has inputs of its own") {
    CommandLine line;
    line.program = "ch00_multi_gpu";
    line.item = "key";
    line.default_n = 100;
    line.max_n = 1000;
    line.inputs = {"random", "large_first"};
    line.has_stages = false;
    const auto parse = [&](std::vector<const char*> words) {
        words.insert(words.begin(), "program");
        return parse_command_line(line, static_cast<int>(words.size()), words.data());
    };
    const ParsedLine parsed = parse({"--n", "2^3", "--input", "large_first", "--seed", "7"});
    CHECK(parsed.options.n == 8);
    CHECK(parsed.options.input == "large_first");
    CHECK(parsed.options.seed == 7);
    CHECK(parse({}).options.n == 100);
    CHECK_THROWS_WITH_AS(parse({"--input", "sorted"}),
                         "--input: unknown value 'sorted'; allowed: random, large_first",
                         UsageError);
    for (const char* option : {"--stage", "--list", "--batch", "--faults", "--explain", "--trace",
                               "--order", "--once"}) {
        CAPTURE(option);
        CHECK_THROWS_WITH_AS(
            parse({option}),
            (std::string("unknown option '") + option + "'; --help lists the options").c_str(),
            UsageError);
        CHECK(!contains(parse({"--help"}).help, option));
    }
    CHECK(contains(parse({"--help"}).help, "default 100; at most 1000"));
}
