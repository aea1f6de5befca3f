// Grades exercise 1.6: does each warp sort its 32 keys with shuffles alone?
#include <algorithm>
#include <cstddef>
#include <vector>

#include "../../common/grading/lib/grading.hpp"

void sort_runs(int* d_keys, unsigned n);

namespace {

constexpr std::size_t kRun = 32;

std::vector<int> sorted_runs(std::vector<int> keys) {
    for (std::size_t begin = 0; begin < keys.size(); begin += kRun) {
        std::sort(keys.begin() + begin, keys.begin() + std::min(begin + kRun, keys.size()));
    }
    return keys;
}

void answers(grading::Answers& check) {
    for (std::size_t n : grading::sizes()) {
        for (const grading::Input<int>& input :
             n <= 33 ? grading::int_inputs(n) : grading::inputs<int>(n, {"random"})) {
            check.begin("n = {}, input {}", n, input.name);
            grading::DeviceArray<int> d_keys(input.values, "d_keys");
            sort_runs(d_keys.data(), static_cast<unsigned>(n));
            check.equal(sorted_runs(input.values), d_keys.values(), "d_keys");
        }
    }
}

#if GRADING_HAS_LAB
/// The sum of what the lanes pass on in 32 half-steps: each passes its key at that time, multiplied
/// by its lane's number, counted from 1.
double given_to_half_steps(std::vector<int> keys, std::size_t first) {
    double sum = 0;
    for (std::size_t step = first; step < first + kRun; ++step) {
        for (std::size_t i = 0; i < keys.size(); ++i) {
            sum += static_cast<double>(static_cast<unsigned>(keys[i])) * (i % kRun + 1);
        }
        for (std::size_t i = step % 2; i + 1 < keys.size(); i += 2) {
            if (i / kRun == (i + 1) / kRun && keys[i + 1] < keys[i])
                std::swap(keys[i], keys[i + 1]);
        }
    }
    return sum;
}

void counts(grading::Counts& check) {
    constexpr unsigned kKeys = 256;
    const std::vector<int> keys = grading::make_input<int>("random", kKeys, 1);
    grading::DeviceArray<int> d_keys(keys);
    check.begin("n = {}", kKeys);
    const lab::Report report =
        check.count([&] { sort_runs(d_keys.data(), kKeys); }, [&] { d_keys.set(keys); });
    check.equal(sorted_runs(keys), d_keys.values(), "d_keys");
    check.exactly("requests that load from global memory",
                  grading::requests(report, lab::Space::global, lab::Operation::load), kKeys / kRun,
                  "Each lane loads its own key, and gets other lanes' keys by shuffles.");
    check.shares(report, {lab::Space::global, lab::Operation::load, sizeof(int), 1, kKeys, kKeys},
                 "Each lane loads its own key.");
    check.shares(report, {lab::Space::global, lab::Operation::store, sizeof(int), 1, kKeys, kKeys},
                 "Each lane stores the key that it holds at the end.");
    check.exactly("barriers", grading::barriers(report), 0,
                  "Only the lanes of a warp work together, and a shuffle synchronizes them.");
    check.exactly("requests to shared memory", grading::requests(report, lab::Space::shared), 0,
                  "Each lane keeps its key in a register: the variable `key`.");
    check.exactly("uses of __syncwarp()", grading::warp_barriers(report), 0,
                  "__syncwarp() orders memory. A shuffle of registers needs none.");
    check.at_most("shuffles of a warp", grading::exchanges(report) / (kKeys / kRun), 32,
                  "A half-step needs one: each lane names the one lane that is its partner.");
    // The even or the odd half-step may come first.
    const double given = grading::shuffle_values(report);
    const double even = given_to_half_steps(keys, 0), odd = given_to_half_steps(keys, 1);
    check.exactly("sum of the keys given to shuffles, each multiplied by its lane's number", given,
                  given == odd ? odd : even,
                  "In each half-step a lane gives the key that it has at that time, and compares "
                  "it with a neighbour's. No lane needs all keys.");
}
#endif

}  // namespace

int main(int argc, char** argv) {
    return grading::Grader().answers(answers).GRADING_COUNTS(counts).run(argc, argv);
}
