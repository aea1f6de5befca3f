// printf in kernels: it arrives on stdout, at the latest when the host waits for the device.
#include <cuda_runtime.h>
#include <unistd.h>

#include <doctest/doctest.h>
#include <algorithm>
#include <cstdio>
#include <sstream>
#include <string>
#include <vector>

#include "../device_array.hpp"
#include "../expect.hpp"

namespace {

__global__ void print_kernel(const char* word) {
    printf("block %d thread %u: %s %.2f %lld %c%%\n", int(blockIdx.x), threadIdx.x, word,
           0.5 + threadIdx.x, 1LL << 40, 'x');
}

/// What arrives on stdout while `body` runs.
template <class Body>
std::string printed(Body body) {
    std::fflush(stdout);
    std::FILE* const file = std::tmpfile();
    REQUIRE(file != nullptr);
    const int saved = dup(STDOUT_FILENO);
    dup2(fileno(file), STDOUT_FILENO);
    body();
    std::fflush(stdout);
    dup2(saved, STDOUT_FILENO);
    close(saved);
    std::rewind(file);
    std::string text;
    for (int c; (c = std::fgetc(file)) != EOF;) text += char(c);
    std::fclose(file);
    return text;
}

}  // namespace

TEST_CASE("printf: every thread's line arrives whole, in any order") {
    const char word[] = "number";
    conformance::DeviceArray<char> d_word(std::vector<char>(word, word + sizeof word));
    const std::string text = printed([&] {
        print_kernel<<<2, 3>>>(d_word.data());
        REQUIRE_OK(cudaDeviceSynchronize());
    });
    std::vector<std::string> lines, expected;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    std::sort(lines.begin(), lines.end());
    for (int block = 0; block < 2; ++block) {
        for (int thread = 0; thread < 3; ++thread) {
            expected.push_back("block " + std::to_string(block) + " thread " +
                               std::to_string(thread) + ": number " + std::to_string(thread) +
                               ".50 1099511627776 x%");
        }
    }
    CHECK(lines == expected);
}

TEST_CASE("printf: nothing arrives before somebody waits") {
    const char word[] = "late";
    conformance::DeviceArray<char> d_word(std::vector<char>(word, word + sizeof word));
    const std::string before = printed([&] { print_kernel<<<1, 1>>>(d_word.data()); });
    CHECK(before.empty());
    const std::string after = printed([] { REQUIRE_OK(cudaDeviceSynchronize()); });
    CHECK(after == "block 0 thread 0: late 0.50 1099511627776 x%\n");
}
