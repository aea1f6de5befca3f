// Grades exercise 1.3: are the keys sorted in shared memory, so that each crosses to the block and
// back once?
#include <algorithm>
#include <cstddef>
#include <vector>

#include "../../common/cuda_check.hpp"
#include "../../common/grading/grading.hpp"

void sort_keys(int* d_keys, unsigned n);

namespace {

constexpr unsigned kManyKeys = 1024;

/// The work grows with the square of n, so of large sizes there is only one.
std::vector<std::size_t> sizes() {
    std::vector<std::size_t> sizes = grading::sizes(257);
    sizes.push_back(1025);
    return sizes;
}

/// All inputs for small n, the worst one for large n.
std::vector<grading::Input<int>> inputs(std::size_t n) {
    if (n <= 33) return grading::int_inputs(n);
    if (n <= 257) return grading::inputs<int>(n, {"random", "reversed", "sixteen"});
    return grading::inputs<int>(n, {"reversed"});
}

void answers(grading::Answers& check) {
    for (std::size_t n : sizes()) {
        for (const grading::Input<int>& input : inputs(n)) {
            check.begin("n = {}, input {}", n, input.name);
            std::vector<int> expected = input.values;
            std::sort(expected.begin(), expected.end());
            grading::DeviceArray<int> d_keys(input.values, "d_keys");
            sort_keys(d_keys.data(), static_cast<unsigned>(n));
            check.equal(expected, d_keys.values(), "d_keys");
        }
    }
}

#if GRADING_HAS_LAB
void counts(grading::Counts& check) {
    const std::vector<int> keys = grading::make_input<int>("random", kManyKeys, 1);
    grading::DeviceArray<int> d_keys(keys);
    check.begin("n = {}", kManyKeys);
    const lab::Report report =
        check.count([&] { sort_keys(d_keys.data(), kManyKeys); }, [&] { d_keys.set(keys); });
    check.at_most("bytes moved between the block and global memory, for each key",
                  grading::bytes_moved(report) / kManyKeys, 9.0,
                  "4 bytes come and 4 go. Is each key loaded once and stored once? And does a warp "
                  "use all of the sectors that it touches?");
    check.at_most("steps of the longest thread", grading::longest_thread(report), 60000,
                  "The threads share the pairs of each half-step out: odd_even_steps() does that, "
                  "with whatever memory it is given.");
}
#endif

/// The chapter's stage `global`, for ints.
__global__ void global_kernel(int* keys, unsigned n) {
    for (unsigned step = 0; step < n; ++step) {
        const unsigned i = 2 * threadIdx.x + step % 2;
        if (i + 1 < n && keys[i + 1] < keys[i]) {
            const int other = keys[i];
            keys[i] = keys[i + 1];
            keys[i + 1] = other;
        }
        __syncthreads();  // between half-steps
    }
}

void times(grading::Times& check) {
    const std::vector<int> keys = grading::make_input<int>("random", kManyKeys, 1);
    grading::DeviceArray<int> d_keys(keys);
    check.begin("n = {}", kManyKeys);
    check.at_most_times(
        "the chapter's stage `global`",
        [&] {
            global_kernel<<<1, kManyKeys / 2>>>(d_keys.data(), kManyKeys);
            CUDA_CHECK_LAUNCH();
        },
        [&] { sort_keys(d_keys.data(), kManyKeys); }, 0.6, [&] { d_keys.set(keys); });
}

}  // namespace

int main(int argc, char** argv) {
    return grading::Grader().answers(answers).GRADING_COUNTS(counts).times(times).run(argc, argv);
}
