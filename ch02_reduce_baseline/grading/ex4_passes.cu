// Grades exercise 2.4: were the requests and passes of the three trees predicted?
#include <string>
#include <vector>

#include "../../common/grading/lib/grading.hpp"

struct Prediction {
    double neighbour_requests, neighbour_passes;
    double compact_requests, compact_passes;
    double sequential_requests, sequential_passes;
};
Prediction prediction();
void neighbour(const float* d_items, float* d_sum);
void compact(const float* d_items, float* d_sum);
void sequential(const float* d_items, float* d_sum);

namespace {

#if GRADING_HAS_LAB
/// What the stores of the line with += cost.
lab::Traffic stores_of_sums(const lab::Report& report) {
    lab::Traffic traffic;
    for (const lab::KernelReport& kernel : report.kernels) {
        for (const lab::Row& row : kernel.rows) {
            const bool adds = row.source.find("+=") != std::string::npos;
            if (adds && row.operation == lab::Operation::store) traffic += row.traffic;
        }
    }
    return traffic;
}

void counts(grading::Counts& check) {
    constexpr unsigned kThreads = 256;
    grading::DeviceArray<float> d_items(std::vector<float>(kThreads, 1.0f)), d_sum(1);
    const Prediction guess = prediction();
    const auto check_one = [&](const std::string& name, void (*launch)(const float*, float*),
                               double requests, double passes, const std::string& think) {
        check.begin("{}, one block of {} threads", name, kThreads);
        const lab::Traffic traffic =
            stores_of_sums(check.count([&] { launch(d_items.data(), d_sum.data()); }));
        check.equal({static_cast<float>(kThreads)}, d_sum.values(), "d_sum");
        check.predicted("requests of `" + name + "`", requests,
                        static_cast<double>(traffic.requests),
                        "For each level: which of the 8 warps have at least one lane that adds?");
        check.predicted("passes of `" + name + "`", passes, static_cast<double>(traffic.wavefronts),
                        think);
    };
    check_one("neighbour", neighbour, guess.neighbour_requests, guess.neighbour_passes,
              "The lanes of a warp store to words that all lie within 32 consecutive words. How "
              "many of these can share a bank?");
    check_one("compact", compact, guess.compact_requests, guess.compact_passes,
              "Lane i stores to word 2 s i. How many of these words share the busiest bank?");
    check_one("sequential", sequential, guess.sequential_requests, guess.sequential_passes,
              "Lane i stores to word i. How many of these words share the busiest bank?");
}
#endif

}  // namespace

int main(int argc, char** argv) { return grading::Grader().GRADING_COUNTS(counts).run(argc, argv); }
