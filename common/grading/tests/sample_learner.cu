// What a learner may hand in, right and wrong; SAMPLE says which. For library_test.py.
#include <cuda_runtime.h>

#include <sys/stat.h>
#include <unistd.h>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <stdexcept>
#include <string>

#include "../../harness/cuda_check.hpp"

namespace {

constexpr int kThreads = 64;

__global__ void reverse_kernel(const int* items, int* reversed, std::size_t n) {
    const std::size_t i = std::size_t{blockIdx.x} * kThreads + threadIdx.x;
    if (i < n) reversed[n - 1 - i] = items[i];
}

__global__ void off_by_one_kernel(const int* items, int* reversed, std::size_t n) {
    const std::size_t i = std::size_t{blockIdx.x} * kThreads + threadIdx.x;
    if (i < n) reversed[n - i] = items[i];
}

__global__ void last_is_missing_kernel(const int* items, int* reversed, std::size_t n) {
    const std::size_t i = std::size_t{blockIdx.x} * kThreads + threadIdx.x;
    if (i + 1 < n) reversed[n - 1 - i] = items[i];
}

/// Correct, although two threads write to each word.
__global__ void race_kernel(const int* items, int* reversed, std::size_t n) {
    const std::size_t i = std::size_t{blockIdx.x} * kThreads + threadIdx.x;
    if (i < n) reversed[i] = static_cast<int>(i);
    if (i < n) reversed[n - 1 - i] = items[i];
}

__global__ void unwritten_kernel(int* reversed, std::size_t n) {
    const std::size_t i = std::size_t{blockIdx.x} * kThreads + threadIdx.x;
    if (i < n) reversed[i] += 1;
}

__global__ void barrier_kernel(std::size_t n) {
    if (threadIdx.x < n % kThreads) __syncthreads();
}

__global__ void endless_kernel(const volatile int* items) {
    while (items[0] == items[0]) {
    }
}

#if defined(TUTORIAL_EMULATOR)
// nvcc rejects such calls. Here a __host__ __device__ function hides them from the rewriter.
__host__ __device__ void set_attribute(int bytes) {
    cudaFuncSetAttribute(reverse_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
}
__global__ void sets_attribute_kernel(const int* items, std::size_t n) {
    if (n != 0) set_attribute(items[0] & 1023);
}

__host__ __device__ void fail_call(int item) { cudaSetDevice(item < 0 ? 0 : 99); }
__global__ void fails_call_kernel(const int* items, std::size_t n) {
    if (n != 0) fail_call(items[0]);
}
#endif

unsigned blocks_for(std::size_t n) { return static_cast<unsigned>((n + kThreads - 1) / kThreads); }

const std::string& sample() {
    static const std::string name = std::getenv("SAMPLE") != nullptr ? std::getenv("SAMPLE") : "";
    return name;
}

/// Is the nonce's pipe open when the learner's first code runs? Later its number may be that of
/// another pipe: CUDA opens some.
const bool kNonceWasInReach = [] {
    struct stat what;
    const char* const pipe = std::getenv("GRADING_NONCE_FD");
    return pipe != nullptr && fstat(std::atoi(pipe), &what) == 0 && S_ISFIFO(what.st_mode);
}();

/// Begins before main().
const bool ends_early = [] {
    if (sample() == "ends_before_main") std::exit(0);
    return true;
}();

}  // namespace

void reverse(const int* d_items, int* d_reversed, std::size_t n) {
    if (n == 0 && sample() != "bad_launch") return;
    const unsigned blocks = blocks_for(n);
    if (sample() == "off_by_one") {
        off_by_one_kernel<<<blocks, kThreads>>>(d_items, d_reversed, n);
    } else if (sample() == "last_is_missing") {
        last_is_missing_kernel<<<blocks, kThreads>>>(d_items, d_reversed, n);
    } else if (sample() == "race") {
        race_kernel<<<blocks, kThreads>>>(d_items, d_reversed, n);
    } else if (sample() == "race_and_wrong") {
        race_kernel<<<blocks, kThreads>>>(d_items, d_reversed, n);
        last_is_missing_kernel<<<blocks, kThreads>>>(d_reversed, d_reversed, n);
    } else if (sample() == "unwritten") {
        unwritten_kernel<<<blocks, kThreads>>>(d_reversed, n);
    } else if (sample() == "barrier") {
        barrier_kernel<<<blocks, kThreads>>>(n);
        CUDA_CHECK_LAUNCH();
    } else if (sample() == "endless") {
        endless_kernel<<<blocks, kThreads>>>(d_items);
        CUDA_CHECK(cudaDeviceSynchronize());
    } else if (sample() == "leak") {
        int* d_copy = nullptr;
        CUDA_CHECK(cudaMalloc(&d_copy, n * sizeof *d_copy));
        reverse_kernel<<<blocks, kThreads>>>(d_items, d_reversed, n);
    } else if (sample() == "host_pointer") {
        static int items[20000];
        reverse_kernel<<<blocks, kThreads>>>(items, d_reversed, n);
        CUDA_CHECK_LAUNCH();
    } else if (sample() == "touches_unseen") {
        if (std::memchr(d_items, 1, n) == d_reversed) std::abort();
        reverse_kernel<<<blocks, kThreads>>>(d_items, d_reversed, n);
#if defined(TUTORIAL_EMULATOR)
    } else if (sample() == "sets_attribute") {
        sets_attribute_kernel<<<blocks, kThreads>>>(d_items, n);
        reverse_kernel<<<blocks, kThreads>>>(d_items, d_reversed, n);
    } else if (sample() == "fails_call") {
        fails_call_kernel<<<1, 1>>>(d_items, n);
        reverse_kernel<<<blocks, kThreads>>>(d_items, d_reversed, n);
#endif
    } else if (sample() == "prints_n") {
        int count = 0;
        std::printf("%d%n\n", blocks, &count);
    } else if (sample() == "throws") {
        throw std::runtime_error("thrown by the learner");
    } else if (sample() == "throws_a_number") {
        throw 42;
    } else if (sample() == "cuda_error") {
        CUDA_CHECK(cudaErrorInvalidResourceHandle);
    } else if (sample() == "much_memory") {
        throw std::bad_alloc();
    } else if (sample() == "crash") {
        volatile int* nowhere = nullptr;
        *nowhere = 1;
    } else if (sample() == "exit") {
        std::exit(0);
    } else if (sample() == "fake") {
        // Neither printed text nor text written to the pipe without the nonce counts.
        const char fake[] = "{\"nonce\": \"\", \"reason\": \"\", \"text\": \"\"}\n";
        std::fputs(fake, stdout);
        std::fflush(stdout);
        const char* const pipe = std::getenv("GRADING_VERDICT_FD");
        if (pipe != nullptr && write(std::atoi(pipe), fake, sizeof fake - 1) < 0) std::abort();
        std::_Exit(0);
    } else if (sample() == "reads_nonce") {
        if (kNonceWasInReach) {
            std::fprintf(stderr, "the nonce's pipe is open\n");
            std::_Exit(3);
        }
        reverse_kernel<<<blocks, kThreads>>>(d_items, d_reversed, n);
    } else {
        reverse_kernel<<<blocks, kThreads>>>(d_items, d_reversed, n);
    }
}

double predicted_sectors() {
    return sample() == "predicts_too_much" ? 9.0 : sample() == "predicts_too_little" ? 0.0 : 4.0;
}
