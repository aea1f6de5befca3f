// Begins to look for faults, and gives what was found.
#include <cstdlib>
#include <memory>

#include "emulator/for_observers.hpp"
#include "race_detector.hpp"

namespace lab {

void start_fault_detection() {
    if (active_detector == nullptr) active_detector = new RaceDetector;
    emulator::set_workers(1);
    emulator::set_observer(active_detector);
    // Of a program that has no option for it: the gallery's, a learner's own.
    const char* const trace = std::getenv("TUTORIAL_TRACE");
    if (trace != nullptr && *trace != '\0' && !active_detector->is_traced()) {
        active_detector->set_trace(std::make_unique<Trace>(trace));
    }
}

void stop_fault_detection() {
    if (active_detector == nullptr) return;
    emulator::set_observer(nullptr);
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

std::vector<Finding> leaks() {
    std::vector<Finding> found;
    for (const emulator::Leak& leak : emulator::leaks()) {
        Finding made;
        made.fault = Fault::leak;
        made.code = code(Fault::leak);
        made.title = leak.text;
        made.cure = Cure::free_memory;
        made.advice = std::string("\nCall ") + leak.free_call + " when it is no longer used.";
        found.push_back(std::move(made));
    }
    return found;
}

}  // namespace lab
