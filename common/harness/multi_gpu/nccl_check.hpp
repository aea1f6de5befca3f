// NCCL_CHECK turns a failed call of NCCL into an exception that says where and what, as CUDA_CHECK
// does for CUDA.
#pragma once

#include <nccl.h>

#include <stdexcept>

namespace tutorial {

/// A call of NCCL failed, or what it started did. what() holds file and line, the expression and
/// NCCL's own text.
class NcclError : public std::runtime_error {
  public:
    NcclError(ncclResult_t code, const char* expression, const char* file, int line);
};

/// Throws NcclError unless `code` is ncclSuccess. Called through NCCL_CHECK.
void nccl_check(ncclResult_t code, const char* expression, const char* file, int line);

}  // namespace tutorial

/// Around every call of NCCL: NCCL_CHECK(ncclSend(…)).
#define NCCL_CHECK(...) ::tutorial::nccl_check((__VA_ARGS__), #__VA_ARGS__, __FILE__, __LINE__)
