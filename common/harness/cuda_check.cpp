#include "cuda_check.hpp"

#include <string>

#include "fmt.hpp"

namespace tutorial {
namespace {

/// The last two parts of a path: "ch01_bubble/main.cu". Builds name their sources by full paths.
std::string short_path(const std::string& path) {
    const std::size_t name = path.find_last_of('/');
    if (name == std::string::npos || name == 0) return path;
    const std::size_t folder = path.find_last_of('/', name - 1);
    return folder == std::string::npos ? path : path.substr(folder + 1);
}

}  // namespace

CudaError::CudaError(cudaError_t code, const char* expression, const char* file, int line)
    : std::runtime_error(fmt::format("{}:{}: {}: {} ({})", short_path(file), line, expression,
                                     cudaGetErrorString(code), cudaGetErrorName(code))),
      code_(code) {}

void cuda_check(cudaError_t code, const char* expression, const char* file, int line) {
    if (code != cudaSuccess) throw CudaError(code, expression, file, line);
}

}  // namespace tutorial
