// What went wrong, in words. Every report is also printed on stderr when it is made.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "errors.hpp"
#include "site.hpp"

namespace emulator {

/// What a report is about. Texts may change, but these may not: other programs rely on them.
enum class Reason : std::uint8_t {
    none,
    // A kernel that cannot continue.
    divergent_barrier,
    divergent_grid_barrier,
    incomplete_collective,  ///< lanes that a mask names returned, or are elsewhere
    different_collectives,  ///< lanes of one mask reached different calls
    wrong_lanes,            ///< a mask or a width that the call cannot have
    wrong_barrier,    ///< a cuda::barrier that was not initialised, or at which too many arrive
    not_cooperative,  ///< grid.sync() in a kernel without a cooperative launch
    deadlock,
    no_progress,
    // What a thread did.
    trap,
    assertion,
    out_of_bounds,
    illegal_address,
    misaligned,
    stack_overflow,
    division_by_zero,
    illegal_instruction,
    missing_return,  ///< of a function that has a value
    // Requests that cannot be met.
    host_pointer,  ///< an argument of a kernel
    freed_memory,  ///< the same
    launch,        ///< against the limits of the device or of the kernel
    copy,          ///< cudaMemcpy, cudaMemset and their like
    free,          ///< cudaFree and the like
    out_of_memory,
    not_ready,    ///< an event that the host has not waited for
    lost_output,  ///< what a kernel printed, lost because the host did not wait
    call,         ///< any other call of the runtime that returns an error
    unsupported,  ///< the emulator does not support it
};

/// "divergent_barrier" for Reason::divergent_barrier; none: an empty text.
const char* code(Reason reason);

/// The last thing that the always-on checks found.
struct Report {
    cudaError_t code = cudaSuccess;  ///< what the CUDA API returns for it
    Reason reason = Reason::none;
    std::string text;    ///< one to three lines, as printed; empty: nothing found
    std::string kernel;  ///< the kernel, or empty
    std::string file;    ///< source file without its folder, or empty
    int line = 0;        ///< source line, or 0
    /// For a thread that never yielded: the instructions at which it and its callers were.
    std::vector<std::uintptr_t> places = {};
    const char* path = nullptr;  ///< of the source file, if it is a call's; or null
};

/// The last report since the program began or since clear_report().
Report last_report();
void clear_report();

/// All reports since then, or since the last call; at most the first hundred.
std::vector<Report> take_reports();

/// Whether the host has fetched the error of the report with this text (cudaGetLastError): right
/// after the call, or before the same was done in a way that works: a smaller allocation, the
/// kernel in smaller blocks.
bool was_handled(const std::string& text);

/// Whether an error is there that the host has not fetched, or that stays: a kernel's.
bool has_error();

/// Whether reports are also printed on stderr; true at the start.
void print_reports(bool print);

/// What kernels have printed and the host has not waited for, in words; empty: nothing. For the end
/// of the program.
std::string lost_output();

/// An allocation that is not freed.
struct Leak {
    std::string text;       ///< one line, with size and place
    const char* free_call;  ///< what would free it: cudaFree or cudaFreeHost
    const char* call;       ///< the one that has allocated it, and its place
    Site site;
};

/// In the order of allocation.
std::vector<Leak> leaks();

}  // namespace emulator
