#include "lab/lab.hpp"

#include "lockstep.hpp"
#include "session.hpp"

namespace lab {

const char* text(Space space) {
    constexpr const char* kNames[] = {"global", "shared", "constant", "local"};
    return kNames[static_cast<int>(space)];
}

const char* text(Operation operation) {
    constexpr const char* kNames[] = {"load", "store", "atomic"};
    return kNames[static_cast<int>(operation)];
}

namespace {

double average(std::uint64_t sum, std::uint64_t count) {
    return count == 0 ? 0.0 : static_cast<double>(sum) / static_cast<double>(count);
}

}  // namespace

Traffic KernelReport::total(Space space) const {
    Traffic sum;
    for (const Row& row : rows) {
        if (row.space == space) sum += row.traffic;
    }
    return sum;
}

Traffic KernelReport::total(Space space, Operation operation) const {
    Traffic sum;
    for (const Row& row : rows) {
        if (row.space == space && row.operation == operation) sum += row.traffic;
    }
    return sum;
}

double KernelReport::active_lanes() const { return average(lane_steps, steps); }

Traffic Report::total(Space space) const {
    Traffic sum;
    for (const KernelReport& kernel : kernels) sum += kernel.total(space);
    return sum;
}

double Report::active_lanes() const {
    std::uint64_t lanes = 0, steps = 0;
    for (const KernelReport& kernel : kernels) {
        lanes += kernel.lane_steps;
        steps += kernel.steps;
    }
    return average(lanes, steps);
}

void follow(const void* array, std::size_t bytes) {
    followed = {reinterpret_cast<std::uintptr_t>(array), bytes};
}

Report count(const std::function<void()>& run, const std::function<void()>& reset) {
    constexpr int kMaxRuns = 4;
    Session session;
    for (int runs = 1;; ++runs) {
        session.start();
        run();
        session.stop();
        if (!session.is_stale() || runs == kMaxRuns) break;
        if (reset) reset();
        session.forget();
    }
    return session.report();
}

}  // namespace lab
