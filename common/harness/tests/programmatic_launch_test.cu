// Launches that overlap, each of which reads what the one before has just written. Built twice for
// a GPU: like everything else, and to PTX of compute capability 8.0 only (TUTORIAL_EXPECT_PTX),
// which a newer GPU compiles again and in which there is no wait: then launches must not overlap.
#include <cuda_runtime.h>
#include <doctest/doctest.h>

#include <vector>

#include "../backend.hpp"
#include "../cuda_check.hpp"
#include "../device_buffer.hpp"
#include "../programmatic_launch.hpp"

using namespace tutorial;

namespace {

/// Long enough for the next launch to begin, if nothing prevents that.
constexpr long long kClocks = 20000;

/// After a while, word `i + 1` is one more than word `i`.
__global__ void step_kernel(unsigned* words, unsigned i) {
    grid_dependency_synchronize();
    if (threadIdx.x != 0) return;
    const unsigned before = words[i];
    const long long start = clock64();
    while (clock64() - start < kClocks) {
    }
    words[i + 1] = before + 1;
}

}  // namespace

TEST_CASE("overlapped launches in a row see what the launch before has written") {
    constexpr unsigned kSteps = 200;
    DeviceBuffer<unsigned> d_words(kSteps + 1);
    for (int run = 0; run < 5; ++run) {
        d_words.fill_bytes(0);
        for (unsigned i = 0; i < kSteps; ++i) {
            launch_programmatic(step_kernel, 1, 32, d_words.data(), i);
        }
        const std::vector<unsigned> words = d_words.download();
        unsigned wrong = 0;
        for (unsigned i = 0; i <= kSteps; ++i) wrong += words[i] != i;
        CHECK(wrong == 0);
    }
}

TEST_CASE("whether launches overlap is decided by the PTX that the kernel was compiled to" *
          doctest::skip(on_emulator())) {
    cudaFuncAttributes attributes = {};
    CUDA_CHECK(cudaFuncGetAttributes(&attributes, step_kernel));
    CHECK(uses_programmatic_launch(step_kernel) == (attributes.ptxVersion >= 90));
#if defined(TUTORIAL_EXPECT_PTX)
    CHECK(attributes.ptxVersion == TUTORIAL_EXPECT_PTX);
    CHECK(uses_programmatic_launch(step_kernel) == (TUTORIAL_EXPECT_PTX >= 90));
#endif
}
