// The options that every chapter takes, and the errors that end a run with one clear line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace tutorial {

struct Options {
    std::size_t n = 0;                ///< --n: items; also 1M, 64k, 2^20, 2^20+1
    std::string input = "random";     ///< --input: one of input_kinds()
    std::uint64_t seed = 1;           ///< --seed
    std::vector<std::string> stages;  ///< --stage NAME…; empty: all
    std::string csv;                  ///< --csv FILE: append one line per row; header if new
    std::string batch;                ///< --batch FILE: a run for each line of options in it
    bool list = false;                ///< --list: print the table's names and ideas, run nothing
    bool explain = false;             ///< --explain: what each line does (the lab)
    bool faults = false;              ///< --faults: look for races and the like (the lab)
    std::string trace;                ///< --trace FILE, with the lab: what threads do, in order
    bool json = false;                ///< --json, with --explain: for programs
    bool once = false;  ///< --once, on a GPU: run and check each stage once, for a profiler
    std::string order = "forward";  ///< --order, emulator: forward, reverse, shuffle
};

/// A wrong option or value: exit code 2.
struct UsageError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// No usable GPU, or too little memory: exit code 3. Says what was needed and what there is.
struct ResourceError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Reads 1000, 64k, 1M, 2G (powers of 1024 for k, M, G), 2^20, 2^20+3, 2^20-1. Throws UsageError
/// that says what was wrong and what is allowed.
std::size_t parse_size(const std::string& text);

}  // namespace tutorial
