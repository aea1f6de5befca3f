#include "emulator/settings.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "left_out.hpp"
#include "settings_internal.hpp"

namespace emulator {
namespace {

constexpr int kMaxWorkers = 16;  // each has up to 1024 stacks with a guard page of its own
// No device has more. A cooperative launch that fills them all may need more stacks than the
// operating system maps; that ends the launch with a report.
constexpr int kMaxMultiprocessors = 256;

[[noreturn]] void refuse(const char* variable, const char* value, const char* allowed) {
    std::fprintf(stderr, "%s=%s: allowed: %s\n", variable, value, allowed);
    std::exit(2);
}

double read_number(const char* variable, double fallback, double least, double most,
                   const char* allowed) {
    const char* const text = std::getenv(variable);
    if (text == nullptr || *text == '\0') return fallback;
    char* end = nullptr;
    const double value = std::strtod(text, &end);
    if (*end != '\0' || !(value >= least && value <= most)) refuse(variable, text, allowed);
    return value;
}

bool parse_order(const std::string& text, Settings& into) {
    const std::size_t colon = text.find(':');
    const std::string word = text.substr(0, colon);
    if (word == "forward" || word == "reverse") {
        if (colon != std::string::npos) return false;
        into.order = word == "forward" ? Order::forward : Order::reverse;
        return true;
    }
    if (word != "shuffle") return false;
    std::uint64_t seed = 1;
    if (colon != std::string::npos) {
        const std::string digits = text.substr(colon + 1);
        char* end = nullptr;
        seed = std::strtoull(digits.c_str(), &end, 10);
        if (digits.empty() || *end != '\0' || digits[0] == '-') return false;
    }
    into.order = Order::shuffle;
    into.seed = seed;
    return true;
}

/// "main.cu:93". False: it is not a place.
bool parse_place(const std::string& text, LeftOut& into) {
    const std::size_t colon = text.rfind(':');
    if (colon == std::string::npos || colon == 0) return false;
    const std::string digits = text.substr(colon + 1);
    if (digits.empty() || digits.size() > 6) return false;
    if (digits.find_first_not_of("0123456789") != std::string::npos) return false;
    into.file = text.substr(0, colon);
    into.line = std::stoi(digits);
    return into.line != 0;
}

struct FromEnvironment : Settings {
    FromEnvironment() {
        const int cores = static_cast<int>(std::thread::hardware_concurrency());
        workers =
            static_cast<int>(read_number("TUTORIAL_CPU_WORKERS", std::clamp(cores, 1, kMaxWorkers),
                                         1, kMaxWorkers, "a number from 1 to 16"));
        const char* const model = std::getenv("TUTORIAL_CPU_DEVICE");
        is_device_chosen = model != nullptr && *model != 0;
        device = find_device_model(is_device_chosen ? model : "h200");
        if (device == nullptr) {
            refuse("TUTORIAL_CPU_DEVICE", model, device_model_keys().c_str());
        }
        if (is_device_chosen) {
            multiprocessors = device->multiprocessors;
            l2_megabytes = device->l2_megabytes;
        }
        multiprocessors = static_cast<int>(read_number(
            "TUTORIAL_CPU_SMS", multiprocessors, 1, kMaxMultiprocessors, "a number from 1 to 256"));
        l2_megabytes = static_cast<int>(
            read_number("TUTORIAL_CPU_L2_MB", l2_megabytes, 1, 1024, "a number from 1 to 1024"));
        stack_kilobytes = static_cast<int>(read_number("TUTORIAL_CPU_STACK_KB", stack_kilobytes, 16,
                                                       65536, "a number from 16 to 65536"));
        time_limit = read_number("TUTORIAL_CPU_TIME_LIMIT", time_limit, 0, 1e9,
                                 "a number of seconds, or 0 for no limit");
        if (const char* text = std::getenv("TUTORIAL_CPU_MUTATION"); text != nullptr)
            mutated = text;
        left_out_barrier();  // a wrong one is refused here, not in a kernel
        if (const char* text = std::getenv("TUTORIAL_CPU_ORDER"); text != nullptr && *text != 0) {
            if (!parse_order(text, *this)) {
                refuse("TUTORIAL_CPU_ORDER", text, "forward, reverse, shuffle or shuffle:SEED");
            }
        }
    }
};

}  // namespace

std::string Settings::device_name() const {
    return is_device_chosen ? std::string(device->name) + " (emulator)" : "emulator";
}

Settings& settings() {
    static FromEnvironment* const values = new FromEnvironment;  // workers outlive static objects
    return *values;
}

const LeftOut& left_out_barrier() {
    static const LeftOut* const place = [] {
        const char* const variable = "TUTORIAL_CPU_WITHOUT_BARRIER";
        const char* const text = std::getenv(variable);
        auto* const found = new LeftOut;
        if (text == nullptr || *text == 0) return found;
        if (!parse_place(text, *found)) refuse(variable, text, "FILE:LINE");
        std::atexit([] {
            const LeftOut& away = left_out_barrier();
            if (away.is_reached) return;
            std::fprintf(stderr,
                         "Emulator: no thread reached a barrier at %s:%d, so none was left out "
                         "(TUTORIAL_CPU_WITHOUT_BARRIER).\n",
                         away.file.c_str(), away.line);
        });
        return found;
    }();
    return *place;
}

Order order() { return settings().order; }

void set_order(Order order, std::uint64_t seed) {
    settings().order = order;
    settings().seed = seed;
}

bool set_order(const std::string& text) { return parse_order(text, settings()); }

void set_time_limit(double seconds) { settings().time_limit = seconds; }

void set_workers(int workers) { settings().workers = std::clamp(workers, 1, kMaxWorkers); }

int workers() { return settings().workers; }

}  // namespace emulator
