// Starts the search for faults, and returns what was found.
#include <fmt/format.h>

#include <cstdlib>
#include <map>
#include <memory>

#include "emulator/for_observers.hpp"
#include "race_detector.hpp"
#include "source_values.hpp"

namespace lab {
namespace {

RaceDetector* active_detector = nullptr;

}  // namespace

void start_fault_detection() {
    if (active_detector == nullptr) active_detector = new RaceDetector;
    fault_hooks = active_detector;
    emulator::set_workers(1);
    emulator::set_observer(active_detector);
    // For programs without such an option: the gallery's, a learner's own.
    const char* const trace = std::getenv("TUTORIAL_TRACE");
    if (trace != nullptr && *trace != '\0' && !active_detector->is_traced()) {
        active_detector->set_trace(std::make_unique<Trace>(trace));
    }
}

void stop_fault_detection() {
    if (active_detector == nullptr) return;
    emulator::set_observer(nullptr);
    fault_hooks = nullptr;
    delete active_detector;
    active_detector = nullptr;
}

void start_trace(const std::string& file) {
    start_fault_detection();
    active_detector->set_trace(std::make_unique<Trace>(file));
}

void stop_trace() {
    if (active_detector != nullptr) active_detector->end_trace();
}

std::vector<Finding> take_findings(std::string* notice) {
    return active_detector != nullptr ? active_detector->take(notice) : std::vector<Finding>();
}

std::string looked_at() {
    const std::size_t launches = active_detector != nullptr ? active_detector->launches() : 0;
    const emulator::Order order = emulator::order();
    const std::string others = order == emulator::Order::forward   ? "reverse, shuffle"
                               : order == emulator::Order::reverse ? "forward, shuffle"
                                                                   : "forward, reverse";
    return fmt::format(
        "Checked: {}, threads in {} order, this input and this size.\n"
        "Not checked: other sizes and orders (--order {}), library kernels, delays of relaxed "
        "atomics{}.",
        launches == 0   ? std::string("no kernel launch")
        : launches == 1 ? std::string("1 kernel launch")
                        : fmt::format("{} kernel launches", launches),
        order == emulator::Order::forward   ? "forward"
        : order == emulator::Order::reverse ? "reverse"
                                            : "shuffled",
        others,
        active_detector != nullptr && active_detector->has_host_functions()
            ? ",\nvariables of the host that a host function in a stream changes"
            : "");
}

std::vector<Finding> leaks() {
    std::vector<Finding> found;
    std::map<std::string, std::size_t> known;
    for (const emulator::Leak& leak : emulator::leaks()) {
        const auto [at, fresh] = known.try_emplace(leak.text, found.size());
        if (!fresh) {
            ++found[at->second].times;
            continue;
        }
        Finding made;
        made.fault = Fault::leak;
        made.code = code(Fault::leak);
        made.title = leak.text;
        made.cure = Cure::free_memory;
        made.advice = std::string("\nCall ") + leak.free_call + " when it is no longer used.";
        if (leak.site.file != nullptr &&
            allocates_for_copy(leak.site.file, leak.site.line, leak.call)) {
            made.advice =
                "\nIts address is lost: the function sets a parameter of its own, not the "
                "caller's pointer.";
        }
        found.push_back(std::move(made));
    }
    return found;
}

}  // namespace lab
