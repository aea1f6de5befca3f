// Grades exercise 3.2: predicted sectors, against arithmetic and against the lab.
#include <set>

#include "../../common/grading/lib/grading.hpp"

struct Sectors {
    double items_2, items_3, items_8, items_32;
    double shifted;
};

Sectors predict();
void sum(unsigned items, const float* d_items, std::size_t threads, float* d_sums);
void shifted(const float* d_items, std::size_t threads, float* d_sums);

namespace {

void compare(grading::Checks& check, const Sectors& found) {
    const Sectors said = predict();
    const std::string think =
        "A request is 32 lanes with the same k. At which byte does each lane's word begin, and in "
        "which sector of 32 bytes does it lie?";
    check.predicted("sectors per request, 2 items per thread", said.items_2, found.items_2, think);
    check.predicted("sectors per request, 3 items per thread", said.items_3, found.items_3, think);
    check.predicted("sectors per request, 8 items per thread", said.items_8, found.items_8, think);
    check.predicted("sectors per request, 32 items per thread", said.items_32, found.items_32,
                    "A lane's word lies in one sector, however far it is from its neighbour's.");
    check.predicted("sectors per request, shifted", said.shifted, found.shifted,
                    "The 128 bytes are contiguous, but where do they begin?");
}

/// With pencil and paper: sectors touched by 32 lanes whose words lie `stride` apart, from word
/// `first` on; the mean over `firsts` requests, each of which begins one word further on.
double sectors(unsigned stride, unsigned first, unsigned firsts) {
    double sum = 0.0;
    for (unsigned k = 0; k < firsts; ++k) {
        std::set<unsigned> touched;
        for (unsigned lane = 0; lane < 32; ++lane) {
            touched.insert((first + k + lane * stride) * sizeof(float) / 32);
        }
        sum += static_cast<double>(touched.size());
    }
    return sum / firsts;
}

void answers(grading::Answers& check) {
    compare(check, {sectors(2, 0, 2), sectors(3, 0, 3), sectors(8, 0, 8), sectors(32, 0, 32),
                    sectors(1, 1, 1)});
}

#if GRADING_HAS_LAB
double measure(grading::Counts& check, unsigned items) {
    constexpr std::size_t kThreads = 512;
    const grading::DeviceArray<float> d_items(std::vector<float>(kThreads * items, 1.0f));
    grading::DeviceArray<float> d_sums(kThreads);
    const lab::Report report =
        check.count([&] { sum(items, d_items.data(), kThreads, d_sums.data()); });
    check.equal(std::vector<float>(kThreads, static_cast<float>(items)), d_sums.values(), "d_sums");
    return grading::sectors_per_request(report, lab::Operation::load);
}

double measure_shifted(grading::Counts& check) {
    constexpr std::size_t kThreads = 512;
    const grading::DeviceArray<float> d_items(std::vector<float>(kThreads + 1, 1.0f));
    grading::DeviceArray<float> d_sums(kThreads);
    const lab::Report report =
        check.count([&] { shifted(d_items.data(), kThreads, d_sums.data()); });
    check.equal(std::vector<float>(kThreads, 1.0f), d_sums.values(), "d_sums");
    return grading::sectors_per_request(report, lab::Operation::load);
}

void counts(grading::Counts& check) {
    compare(check, {measure(check, 2), measure(check, 3), measure(check, 8), measure(check, 32),
                    measure_shifted(check)});
}
#endif

}  // namespace

int main(int argc, char** argv) {
    return grading::Grader().answers(answers).GRADING_COUNTS(counts).run(argc, argv);
}
