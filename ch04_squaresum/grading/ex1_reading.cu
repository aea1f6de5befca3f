// Grades exercise 4.1: predicted requests, sectors and bytes, against arithmetic and the lab.
#include <algorithm>
#include <numeric>
#include <set>

#include "../../common/grading/lib/grading.hpp"

using Sum = unsigned long long;

struct Reading {
    double bytes_one;
    double sectors_chunked;
    double most_items;
    double requests;
    double sectors_requests;
};

Reading predict();
void launch(int which, const int* d_items, unsigned n, Sum* d_sums);

namespace {

constexpr unsigned kOne = 1000, kChunked = 640, kInterleaved = 10000;  // n of each kernel

void compare(grading::Checks& check, const Reading& found) {
    const Reading said = predict();
    check.predicted(
        "bytes moved by one_thread_kernel's loads", said.bytes_one, found.bytes_one,
        "How many requests does one thread make, and what is the least that a request moves?");
    check.predicted("sectors per request of chunked_kernel", said.sectors_chunked,
                    found.sectors_chunked,
                    "How long is a piece, and how many bytes apart are neighbouring lanes' words?");
    check.predicted("items of the busiest thread of interleaved_kernel", said.most_items,
                    found.most_items,
                    "The 512 threads take one item each per round. How many rounds are there?");
    check.predicted("requests of interleaved_kernel", said.requests, found.requests,
                    "Multiply the warps of a full round by the full rounds. Then add the warps of "
                    "the last round, of which one is not full.");
    check.predicted("sectors of interleaved_kernel", said.sectors_requests, found.sectors_requests,
                    "Is any byte moved twice, or moved for nothing?");
}

/// With pencil and paper: what the lanes load together, request by request.
class Tally {
  public:
    void request(const std::set<unsigned>& words) {
        std::set<unsigned> sectors;
        for (const unsigned word : words) sectors.insert(word * sizeof(int) / 32);
        requests_ += words.empty() ? 0 : 1;
        sectors_ += static_cast<double>(sectors.size());
    }
    double requests() const { return requests_; }
    double sectors() const { return sectors_; }

  private:
    double requests_ = 0, sectors_ = 0;
};

Reading work_out() {
    Tally one, chunked, interleaved;
    for (unsigned i = 0; i < kOne; ++i) one.request({i});
    const unsigned piece = kChunked / 128;
    for (unsigned warp = 0; warp < 4; ++warp) {
        for (unsigned k = 0; k < piece; ++k) {
            std::set<unsigned> words;
            for (unsigned t = warp * 32; t < warp * 32 + 32; ++t) words.insert(t * piece + k);
            chunked.request(words);
        }
    }
    // Items follow each other in rounds, so a warp's 32 items are 32 in a row.
    for (unsigned first = 0; first < kInterleaved; first += 32) {
        std::set<unsigned> words;
        for (unsigned i = first; i < first + 32 && i < kInterleaved; ++i) words.insert(i);
        interleaved.request(words);
    }
    return {one.sectors() * 32, chunked.sectors() / chunked.requests(),
            static_cast<double>((kInterleaved + 511) / 512), interleaved.requests(),
            interleaved.sectors()};
}

void answers(grading::Answers& check) { compare(check, work_out()); }

#if GRADING_HAS_LAB
/// Runs the kernel on ones, so that a thread's sum is the number of its items.
lab::Report measure(grading::Counts& check, int which, unsigned n, double* most_items = nullptr) {
    const grading::DeviceArray<int> d_items(std::vector<int>(n, 1));
    grading::DeviceArray<Sum> d_sums(std::vector<Sum>(512, 0));
    lab::Report report = check.count([&] { launch(which, d_items.data(), n, d_sums.data()); });
    const std::vector<Sum> sums = d_sums.values();
    check.equal(Sum{n}, std::accumulate(sums.begin(), sums.end(), Sum{0}), "all sums together");
    if (most_items != nullptr) {
        *most_items = static_cast<double>(*std::max_element(sums.begin(), sums.end()));
    }
    return report;
}

void counts(grading::Counts& check) {
    constexpr lab::Operation kLoad = lab::Operation::load;
    Reading found = {};
    found.bytes_one = grading::bytes_moved(measure(check, 0, kOne), kLoad);
    found.sectors_chunked = grading::sectors_per_request(measure(check, 1, kChunked), kLoad);
    const lab::Report interleaved = measure(check, 2, kInterleaved, &found.most_items);
    found.requests = grading::requests(interleaved, lab::Space::global, kLoad);
    found.sectors_requests = grading::bytes_moved(interleaved, kLoad) / 32;
    compare(check, found);
}
#endif

}  // namespace

int main(int argc, char** argv) {
    return grading::Grader().answers(answers).GRADING_COUNTS(counts).run(argc, argv);
}
