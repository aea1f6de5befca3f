// Grades exercise 1.3: are the keys sorted in shared memory, so that each crosses to the block and
// back once?
#include <vector>

#include "../../common/harness/cuda_check.hpp"
#include "sorted_keys.hpp"

void sort_keys(int* d_keys, unsigned n);

namespace {

constexpr unsigned kManyKeys = 1024;

void answers(grading::Answers& check) { check_sorted(check, sort_keys); }

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
