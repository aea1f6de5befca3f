// Every CUDA call returns an error code. CUDA_CHECK turns one that is not success into an exception
// that says where and what, so that no failure goes unnoticed.
#pragma once

#include <cuda_runtime.h>

#include <stdexcept>

namespace tutorial {

/// A CUDA call or a kernel failed. what() holds file and line, the expression, and CUDA's own text.
class CudaError : public std::runtime_error {
  public:
    CudaError(cudaError_t code, const char* expression, const char* file, int line);
    cudaError_t code() const { return code_; }

  private:
    cudaError_t code_;
};

/// Throws CudaError unless `code` is cudaSuccess. Called through CUDA_CHECK.
void cuda_check(cudaError_t code, const char* expression, const char* file, int line);

}  // namespace tutorial

/// Around every CUDA call: CUDA_CHECK(cudaMemcpy(…)). Variadic, so that commas in template
/// arguments do no harm.
#define CUDA_CHECK(...) ::tutorial::cuda_check((__VA_ARGS__), #__VA_ARGS__, __FILE__, __LINE__)

/// Right after a launch: did the launch itself fail (too many threads, too much shared memory)?
/// What goes wrong while the kernel runs shows at the next call that waits for it.
#define CUDA_CHECK_LAUNCH() CUDA_CHECK(cudaGetLastError())
