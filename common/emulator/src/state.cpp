#include "state.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "diagnose.hpp"
#include "emulator/device_api.hpp"
#include "emulator/hooks.hpp"
#include "observer.hpp"

namespace emulator {
namespace {

struct Kept {
    std::mutex mutex;
    Report report;
    std::vector<Report> untaken;
    std::set<std::string> handled;  ///< texts
    bool print = true;
    cudaError_t fault = cudaSuccess;
    cudaStream_t captured = nullptr;
    bool is_captured_blocking = false;
    Site capture;  ///< where that began
};

Kept& kept() {
    static Kept* const state = new Kept;  // used by threads that outlive static objects
    return *state;
}

// CUDA keeps the last error for each host thread.
thread_local cudaError_t last_error = cudaSuccess;

struct Refusals {
    Report last;                  ///< what that error was
    bool is_newest = false;       ///< no other call has been made since
    std::vector<Report> fetched;  ///< those that the host has fetched since
};

/// Made at a thread's first refusal, and left to the end of the process: a thread_local object with
/// a destructor needs a runtime that a WebAssembly program does not have.
thread_local Refusals* refusals = nullptr;

thread_local bool is_in_host_function = false;

void handle(const std::string& text) {
    Kept& state = kept();
    const std::lock_guard<std::mutex> lock(state.mutex);
    state.handled.insert(text);
}

void add_call() {
    if (refusals != nullptr) refusals->is_newest = false;
}

}  // namespace

void publish(const Report& report) {
    Kept& state = kept();
    const std::lock_guard<std::mutex> lock(state.mutex);
    state.report = report;
    constexpr std::size_t kMaxUntaken = 100;
    if (state.untaken.size() < kMaxUntaken) state.untaken.push_back(report);
    if (state.print) std::fprintf(stderr, "Emulator: %s\n", report.text.c_str());
}

const char* code(Reason reason) {
    switch (reason) {
        case Reason::none:
            break;
        case Reason::divergent_barrier:
            return "divergent_barrier";
        case Reason::divergent_grid_barrier:
            return "divergent_grid_barrier";
        case Reason::incomplete_collective:
            return "incomplete_collective";
        case Reason::different_collectives:
            return "different_collectives";
        case Reason::wrong_lanes:
            return "wrong_lanes";
        case Reason::wrong_barrier:
            return "wrong_barrier";
        case Reason::not_cooperative:
            return "not_cooperative";
        case Reason::deadlock:
            return "deadlock";
        case Reason::no_progress:
            return "no_progress";
        case Reason::trap:
            return "trap";
        case Reason::assertion:
            return "assertion";
        case Reason::out_of_bounds:
            return "out_of_bounds";
        case Reason::illegal_address:
            return "illegal_address";
        case Reason::misaligned:
            return "misaligned";
        case Reason::stack_overflow:
            return "stack_overflow";
        case Reason::division_by_zero:
            return "division_by_zero";
        case Reason::missing_return:
            return "missing_return";
        case Reason::illegal_instruction:
            return "illegal_instruction";
        case Reason::host_pointer:
            return "host_pointer";
        case Reason::freed_memory:
            return "freed_memory";
        case Reason::launch:
            return "launch";
        case Reason::copy:
            return "copy";
        case Reason::free:
            return "free";
        case Reason::out_of_memory:
            return "out_of_memory";
        case Reason::not_ready:
            return "not_ready";
        case Reason::lost_output:
            return "lost_output";
        case Reason::call:
            return "call";
        case Reason::unsupported:
            return "unsupported";
    }
    return "";
}

Report last_report() {
    Kept& state = kept();
    const std::lock_guard<std::mutex> lock(state.mutex);
    return state.report;
}

void clear_report() {
    Kept& state = kept();
    const std::lock_guard<std::mutex> lock(state.mutex);
    state.report = Report{};
    state.untaken.clear();
}

std::vector<Report> take_reports() {
    Kept& state = kept();
    const std::lock_guard<std::mutex> lock(state.mutex);
    return std::exchange(state.untaken, {});
}

void print_reports(bool print) {
    Kept& state = kept();
    const std::lock_guard<std::mutex> lock(state.mutex);
    state.print = print;
}

bool are_reports_printed() {
    Kept& state = kept();
    const std::lock_guard<std::mutex> lock(state.mutex);
    return state.print;
}

cudaError_t set_error(cudaError_t error, Reason reason, Site site, std::string text) {
    if (refusals == nullptr) refusals = new Refusals;
    refusals->last = {error, reason, std::move(text), {}, file_of(site), site.line};
    refusals->last.path = site.file;
    refusals->is_newest = true;
    publish(refusals->last);
    last_error = error;
    return error;
}

void set_capture(cudaStream_t stream, bool is_blocking, Site begun) {
    Kept& state = kept();
    const std::lock_guard<std::mutex> lock(state.mutex);
    state.captured = stream;
    state.is_captured_blocking = is_blocking;
    state.capture = begun;
}

HostCall::HostCall(const char* name, Site site) : name_(name), site_(site) { add_call(); }

HostCall::HostCall(const char* name, const void* from) : name_(name), from_(from) { add_call(); }

Site HostCall::site() const {
    Observer* const observer = current_observer();
    if (from_ == nullptr || observer == nullptr) return site_;
    return observer->place(reinterpret_cast<std::uintptr_t>(from_) - 1);
}

cudaError_t HostCall::earlier() const {
    if (is_in_host_function) {
        return refuse(cudaErrorNotPermitted,
                      "a function that a stream calls (cudaLaunchHostFunc) must not call CUDA "
                      "functions: on a GPU the\ncall fails, or waits forever. Call it where the "
                      "host has waited for the stream.");
    }
    return earlier(nullptr);
}

cudaError_t HostCall::earlier(cudaStream_t waits_for) const {
    static const std::set<std::string> legacy = {
        "cudaMemcpy",   "cudaMemcpy2D", "cudaMemcpy3D",       "cudaMemset",
        "cudaMemset2D", "cudaMemset3D", "cudaMemcpyToSymbol", "cudaMemcpyFromSymbol"};
    Kept& state = kept();
    std::unique_lock<std::mutex> lock(state.mutex);
    const bool is_refused =
        state.captured != nullptr &&
        (waits_for == state.captured || std::string(name_) == "cudaDeviceSynchronize" ||
         (state.is_captured_blocking && legacy.count(name_) != 0));
    if (!is_refused) return state.fault;
    const std::string begun = words(state.capture);
    lock.unlock();
    return refuse(
        cudaErrorStreamCaptureUnsupported,
        fmt::format(
            "a stream is captured since cudaStreamBeginCapture at {},\nand nothing may wait "
            "for it: this call fails, and so does the capture. Call the ...Async function\n"
            "with that stream, or wait only after cudaStreamEndCapture.",
            begun));
}

cudaError_t HostCall::refuse(cudaError_t error, const std::string& text, Reason reason) const {
    const Site at = site();
    return set_error(
        error, reason, at,
        fmt::format("{}{}: {}", name_, at.file != nullptr ? " at " + words(at) : "", text));
}

cudaError_t HostCall::refuse_null(const char* what) const {
    return refuse(cudaErrorInvalidValue, fmt::format("the pointer to {} is null.", what));
}

InHostFunction::InHostFunction() { is_in_host_function = true; }
InHostFunction::~InHostFunction() { is_in_host_function = false; }

void set_fault(cudaError_t error) {
    Kept& state = kept();
    const std::lock_guard<std::mutex> lock(state.mutex);
    if (state.fault == cudaSuccess) state.fault = error;
}

cudaError_t fault() {
    Kept& state = kept();
    const std::lock_guard<std::mutex> lock(state.mutex);
    return state.fault;
}

bool has_fetched_errors() { return refusals != nullptr && !refusals->fetched.empty(); }

void has_succeeded(Reason reason, const std::string& kernel) {
    if (!has_fetched_errors()) return;
    Kept& state = kept();
    const std::lock_guard<std::mutex> lock(state.mutex);
    for (const Report& each : refusals->fetched) {
        const bool is_same = each.reason == reason && each.text.find(kernel) != std::string::npos;
        if (is_same) state.handled.insert(each.text);
    }
}

bool has_error() { return cudaPeekAtLastError() != cudaSuccess; }

bool was_handled(const std::string& text) {
    Kept& state = kept();
    const std::lock_guard<std::mutex> lock(state.mutex);
    return state.handled.count(text) != 0;
}

void clear_errors() {
    Kept& state = kept();
    const std::lock_guard<std::mutex> lock(state.mutex);
    state.fault = cudaSuccess;
    last_error = cudaSuccess;
}

}  // namespace emulator

const char* cudaGetErrorName(cudaError_t error) {
    switch (error) {
#define CPU_ERROR_NAME(name, value, text) \
    case name:                            \
        return #name;
        CPU_CUDA_ERRORS(CPU_ERROR_NAME)
#undef CPU_ERROR_NAME
    }
    return "unrecognized error code";
}

const char* cudaGetErrorString(cudaError_t error) {
    switch (error) {
#define CPU_ERROR_TEXT(name, value, text) \
    case name:                            \
        return text;
        CPU_CUDA_ERRORS(CPU_ERROR_TEXT)
#undef CPU_ERROR_TEXT
    }
    return "unrecognized error code";
}

cudaError_t cudaPeekAtLastError() {
    const cudaError_t fault = emulator::fault();
    return fault != cudaSuccess ? fault : emulator::last_error;
}

cudaError_t cudaGetLastError() {
    const cudaError_t error = cudaPeekAtLastError();
    emulator::last_error = cudaSuccess;
    emulator::Refusals* const refusals = emulator::refusals;
    if (error != cudaSuccess && refusals != nullptr && error == refusals->last.code) {
        // What was wrong with a call is handled if the host looks right after it.
        const bool is_handled =
            refusals->is_newest && refusals->last.reason == emulator::Reason::call;
        if (is_handled) emulator::handle(refusals->last.text);
        refusals->fetched.push_back(std::move(refusals->last));
        refusals->last = {};
    }
    return error;
}
