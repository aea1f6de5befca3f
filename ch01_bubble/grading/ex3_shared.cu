// Grades exercise 1.3: are the rows sorted in shared memory, so that each key is loaded and stored
// once?
#include <algorithm>
#include <cstddef>
#include <vector>

#include "../../common/harness/cuda_check.hpp"
#include "sorted_keys.hpp"

void sort_rows(int* d_matrix, unsigned rows, unsigned columns);

namespace {

constexpr unsigned kColumns = 1024;

/// Every row sorted.
std::vector<int> sorted_rows(std::vector<int> matrix, std::size_t columns) {
    const auto step = static_cast<std::ptrdiff_t>(columns);
    for (auto row = matrix.begin(); row != matrix.end(); row += step) std::sort(row, row + step);
    return matrix;
}

void check_rows(grading::Answers& check, const std::vector<int>& matrix, std::size_t rows,
                std::size_t columns) {
    grading::DeviceArray<int> d_matrix(matrix, "d_matrix");
    sort_rows(d_matrix.data(), static_cast<unsigned>(rows), static_cast<unsigned>(columns));
    check.equal(sorted_rows(matrix, columns), d_matrix.values(), "d_matrix");
}

void answers(grading::Answers& check) {
    for (std::size_t columns : grading::sizes(257)) {
        for (std::size_t rows : {1, 3}) {
            const std::size_t n = rows * columns;
            for (const grading::Input<int>& input :
                 n > 257 ? grading::inputs<int>(n, {"reversed"}) : inputs_for_bubbles(n)) {
                check.begin("columns = {}, rows = {}, input {}", columns, rows, input.name);
                check_rows(check, input.values, rows, columns);
            }
        }
    }
    // The longest rows that the task allows.
    for (std::size_t columns : {1025, 2049}) {
        if (!check.in_usual_order()) break;
        const grading::Input<int> input = first_key_last(columns);
        check.begin("columns = {}, rows = 1, input {}", columns, input.name);
        check_rows(check, input.values, 1, columns);
    }
    check.begin("columns = 40, rows = 0");
    check_rows(check, {}, 0, 40);
}

#if GRADING_HAS_LAB
void counts(grading::Counts& check) {
    constexpr unsigned kRows = 2, kKeys = kRows * kColumns;
    const std::vector<int> keys = grading::make_input<int>("random", kKeys, 1);
    grading::DeviceArray<int> d_matrix(keys);
    check.begin("columns = {}, rows = {}", kColumns, kRows);
    const lab::Report report = check.count([&] { sort_rows(d_matrix.data(), kRows, kColumns); },
                                           [&] { d_matrix.set(keys); });
    check.equal(sorted_rows(keys, kColumns), d_matrix.values(), "d_matrix");
    check.at_most("bytes moved between the blocks and global memory, per key",
                  grading::bytes_moved(report) / kKeys, 9.0,
                  "A key takes 4 bytes each way. Is each key loaded once and stored once? And does "
                  "a warp use the whole of each sector that it touches?");
    check.at_most("steps of the longest thread", grading::longest_thread(report), 60000,
                  "The threads share the pairs of each half-step: odd_even_steps() does that, in "
                  "whatever memory it is given.");
    for (const lab::Operation operation : {lab::Operation::load, lab::Operation::store}) {
        check.shares(report, {lab::Space::global, operation, sizeof(int), 2, kKeys, kKeys / 2},
                     "512 threads load and store the 1024 keys of a row: two keys each.");
    }
    check.shares(report,
                 {lab::Space::shared, lab::Operation::load, sizeof(int), 4 * kColumns + 2,
                  kKeys * (kColumns - 1.0), kKeys / 2},
                 "In each half-step every thread compares one pair of keys in shared memory.");
    // A thread that swaps two keys may read them once more.
    check.even_loads(report, lab::Space::shared, 1.6,
                     "In each half-step every thread compares one pair of keys in shared memory.");
    check.shares(report,
                 {lab::Space::shared, lab::Operation::store, sizeof(int), 2 * kColumns + 2, kKeys,
                  kKeys / 2},
                 "In each half-step every thread swaps at most one pair of keys.");
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
    const std::vector<int> keys = grading::make_input<int>("random", kColumns, 1);
    grading::DeviceArray<int> d_keys(keys);
    check.begin("n = {}", kColumns);
    check.at_most_times(
        "the chapter's stage `global`",
        [&] {
            global_kernel<<<1, kColumns / 2>>>(d_keys.data(), kColumns);
            CUDA_CHECK_LAUNCH();
        },
        [&] { sort_rows(d_keys.data(), 1, kColumns); }, 0.6, [&] { d_keys.set(keys); });
}

}  // namespace

int main(int argc, char** argv) {
    return grading::Grader().answers(answers).GRADING_COUNTS(counts).times(times).run(argc, argv);
}
