// What went wrong, in words. Every report is also printed on stderr when it is made.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "errors.hpp"

namespace cpu {

/// The last thing that the always-on checks found.
struct Report {
    cudaError_t code = cudaSuccess;  ///< what the CUDA API returns for it
    std::string text;                ///< one to three lines, as printed; empty: nothing found
    std::string kernel;              ///< the kernel, or empty
    std::string file;                ///< source file without its folder, or empty
    int line = 0;                    ///< source line, or 0
    /// A thread that never gave way: the instructions that it and its callers were at.
    std::vector<std::uintptr_t> places = {};
};

/// The last report since the program began or since clear_report().
Report last_report();
void clear_report();

/// Whether reports are also printed on stderr; true at the start.
void print_reports(bool print);

/// Device allocations that are not freed: one line for each, with size and place; empty: none.
std::string leak_report();

}  // namespace cpu
