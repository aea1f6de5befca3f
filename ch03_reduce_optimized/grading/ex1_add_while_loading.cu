// Grades exercise 3.1: the sum of each segment, of any length, by all threads of a block.
#include <numeric>

#include "tile_sums.hpp"

void segment_sums(const float* d_items, const std::size_t* d_offsets, unsigned segments,
                  float* d_sums);

namespace {

/// Segments that follow one another.
struct Segments {
    explicit Segments(const std::vector<std::size_t>& lengths) : offsets(lengths.size() + 1, 0) {
        std::partial_sum(lengths.begin(), lengths.end(), offsets.begin() + 1);
    }

    /// Exact for exact_inputs().
    std::vector<float> sums(const std::vector<float>& items) const {
        std::vector<float> all(offsets.size() - 1, 0.0f);
        for (std::size_t s = 0; s < all.size(); ++s) {
            for (std::size_t i = offsets[s]; i < offsets[s + 1]; ++i) all[s] += items[i];
        }
        return all;
    }

    std::vector<std::size_t> offsets;
};

void check_segments(grading::Answers& check, const std::string& name,
                    const std::vector<std::size_t>& lengths) {
    const Segments segments(lengths);
    for (const grading::Input<float>& input : exact_inputs(segments.offsets.back())) {
        check.begin("{}, input {}", name, input.name);
        const grading::DeviceArray<float> d_items(input.values, "d_items");
        const grading::DeviceArray<std::size_t> d_offsets(segments.offsets, "d_offsets");
        grading::DeviceArray<float> d_sums(lengths.size(), "d_sums");
        segment_sums(d_items.data(), d_offsets.data(), static_cast<unsigned>(lengths.size()),
                     d_sums.data());
        check.equal(segments.sums(input.values), d_sums.values(), "d_sums");
    }
}

void answers(grading::Answers& check) {
    for (const std::size_t n : sizes_zero_last()) {
        check_segments(check, "two segments of " + std::to_string(n), {n, n});
    }
    check_segments(check, "segments of 300, 0, 1, 0, 257, 31", {300, 0, 1, 0, 257, 31});
    std::vector<std::size_t> lengths(40);
    for (std::size_t s = 0; s < lengths.size(); ++s) lengths[s] = grading::random_bits(1, s) % 700;
    check_segments(check, "40 segments of any length", lengths);
    if (check.in_usual_order()) {
        check_segments(check, "segments of 66000 and 700", {66000, 700});  // beyond 16 bits
    }
    check_segments(check, "no segment", {});
}

#if GRADING_HAS_LAB
void counts(grading::Counts& check) {
    constexpr std::size_t kN = 8192;
    check.begin("two segments of 4096");
    const Segments segments({kN / 2, kN / 2});
    const std::vector<float> items = grading::whole_numbers(kN, 1).items;
    const grading::DeviceArray<float> d_items(items);
    const grading::DeviceArray<std::size_t> d_offsets(segments.offsets);
    grading::DeviceArray<float> d_sums(2);
    check.follow(d_items);
    const lab::Report report =
        check.count([&] { segment_sums(d_items.data(), d_offsets.data(), 2, d_sums.data()); });
    check.equal(segments.sums(items), d_sums.values(), "d_sums");
    // Twice as many, for code that looks up the end of the segment in each round.
    check.at_most("requests that load from global memory",
                  grading::requests(report, lab::Space::global, lab::Operation::load),
                  2.2 * kN / 32,
                  "The 32 lanes of a warp load together. Does every thread take its share?");
    check.at_most("sectors per request, loads from global memory",
                  grading::sectors_per_request(report, lab::Operation::load),
                  grading::kNeighbouringWords,
                  "The 32 lanes of a warp read together. Their items should lie side by side.");
    // The ends of the segments are also read: a sector for each warp, once or in each round.
    check.at_most("bytes that loads move, for each byte of items",
                  grading::bytes_moved(report, lab::Operation::load) / (kN * sizeof(float)), 1.5,
                  "Each item is read once.");
    check.at_most("steps of the longest thread", grading::longest_thread(report), 250,
                  "A segment of 4096 items has 16 for each thread. Do all warps take part?");
    // Only items: the segment's end may be looked up again in each round.
    check.shares(report,
                 {lab::Space::global, lab::Operation::load, sizeof(float), 16, kN, 2 * 256, true},
                 "A segment of 4096 items has 16 for each thread. Do all warps take part?");
    check.even_shares(report, 1.25,
                      "A segment of 4096 items has 16 for each thread. Do all warps take part?");
}
#endif

}  // namespace

int main(int argc, char** argv) {
    return grading::Grader().answers(answers).GRADING_COUNTS(counts).run(argc, argv);
}
