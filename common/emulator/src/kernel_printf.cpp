// printf() and the like for kernels. They replace the C library's functions, which do the rest; on
// the host these are called at once.
#include "kernel_printf.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>

#include "diagnose.hpp"
#include "emulator/hooks.hpp"
#include "emulator/report.hpp"
#include "launch.hpp"
#include "state.hpp"
#include "worker.hpp"

namespace emulator {
namespace {

struct Said {
    std::mutex mutex;
    std::string text;
    std::string kernel, launch;       ///< of the first call
    std::size_t calls = 0, used = 0;  ///< of the device's buffer
    std::size_t limit = std::size_t{1} << 20;
    bool is_cut = false, is_at_exit = false;
};

Said& said() {
    static Said* const all = new Said;
    return *all;
}

void tell_at_exit() {
    const std::string text = lost_output();
    // A tool that prints its own reports asks for it.
    if (!text.empty() && are_reports_printed()) {
        std::fprintf(stderr, "Emulator: %s\n", text.c_str());
    }
}

/// `items`: the most numbers that a device keeps for the call.
int say(const std::string& text, std::size_t items) {
    const ToolIsBusy not_to_be_interrupted;
    Said& all = said();
    const std::lock_guard<std::mutex> lock(all.mutex);
    if (!all.is_at_exit) {
        all.is_at_exit = true;
        std::atexit(tell_at_exit);
    }
    // A device keeps the call's arguments, not the text: the output is kept if either of the two
    // fits.
    const std::size_t bytes = std::min(text.size(), 8 * items);
    if (all.used + bytes > all.limit) {
        all.is_cut = true;
        return -1;
    }
    all.used += bytes;
    all.text += text;
    if (all.calls++ == 0) {
        all.kernel = this_worker->launch->kernel_name();
        all.launch = words(this_worker->launch->where.site);
    }
    return static_cast<int>(items) - 1;
}

int say_formatted(const char* format, std::va_list arguments) {
    std::va_list again;
    va_copy(again, arguments);
    const int length = std::vsnprintf(nullptr, 0, format, again);
    va_end(again);
    if (length < 0) return -1;
    std::string text(static_cast<std::size_t>(length) + 1, '\0');
    std::vsnprintf(text.data(), text.size(), format, arguments);
    text.pop_back();
    const std::size_t items =
        1 + static_cast<std::size_t>(std::count(format, format + std::strlen(format), '%'));
    return say(text, items);
}

}  // namespace

void print_what_kernels_said() {
    Said& all = said();
    const std::lock_guard<std::mutex> lock(all.mutex);
    if (all.text.empty() && !all.is_cut) return;
    std::fwrite(all.text.data(), 1, all.text.size(), stdout);
    if (all.is_cut) {
        std::fflush(stdout);
        std::fprintf(
            stderr,
            "Emulator: kernel %s printed more than the device's buffer of %zu bytes holds; "
            "the rest is not shown. cudaDeviceSetLimit(cudaLimitPrintfFifoSize, bytes) "
            "makes it larger.\n",
            all.kernel.c_str(), all.limit);
    }
    all.text.clear();
    all.calls = all.used = 0;
    all.is_cut = false;
}

std::size_t printf_buffer_bytes() { return said().limit; }
void set_printf_buffer_bytes(std::size_t bytes) {
    // No device has a smaller one.
    said().limit = std::max(bytes, std::size_t{1} << 10);
}

std::string lost_output() {
    Said& all = said();
    const std::lock_guard<std::mutex> lock(all.mutex);
    if (all.calls == 0) return {};
    return fmt::format(
        "kernel {} called printf() {} time{}, and the host did not wait for it: on a GPU none of "
        "that is shown.\nAfter the launch at {}, call cudaDeviceSynchronize() before the program "
        "ends.",
        all.kernel, all.calls, all.calls == 1 ? "" : "s", all.launch);
}

}  // namespace emulator

// Under other names in C++, because <stdio.h> may define them inline.
extern "C" {
// Weak, so that a program may bring its own printf(), as the grader does; that one calls vprintf().
int emulator_printf(const char* format, ...) __asm__("printf") __attribute__((weak));
int emulator_vprintf(const char* format, std::va_list arguments) __asm__("vprintf");
int emulator_printf_chk(int flag, const char* format, ...) __asm__("__printf_chk")
    __attribute__((weak));
int emulator_puts(const char* text) __asm__("puts");
int emulator_putchar(int c) __asm__("putchar");
}

int emulator_vprintf(const char* format, std::va_list arguments) {
    return emulator::in_kernel() ? emulator::say_formatted(format, arguments)
                                 : std::vfprintf(stdout, format, arguments);
}

int emulator_printf(const char* format, ...) {
    std::va_list arguments;
    va_start(arguments, format);
    const int result = emulator_vprintf(format, arguments);
    va_end(arguments);
    return result;
}

int emulator_printf_chk(int, const char* format, ...) {
    std::va_list arguments;
    va_start(arguments, format);
    const int result = emulator_vprintf(format, arguments);
    va_end(arguments);
    return result;
}

int emulator_puts(const char* text) {
    if (emulator::in_kernel()) return emulator::say(std::string(text) + "\n", 1);
    flockfile(stdout);
    const bool failed = std::fputs(text, stdout) == EOF || std::fputc('\n', stdout) == EOF;
    funlockfile(stdout);
    return failed ? EOF : 1;
}

int emulator_putchar(int c) {
    if (!emulator::in_kernel()) return std::fputc(c, stdout);
    emulator::say(std::string(1, static_cast<char>(c)), 1);
    return c;
}
