#include "device_buffer.hpp"

#include "device_info.hpp"
#include "fmt.hpp"
#include "options.hpp"
#include "text.hpp"

namespace tutorial {

void* allocate_device(std::size_t count, std::size_t bytes_each) {
    if (count == 0) return nullptr;
    if (count > SIZE_MAX / bytes_each) {
        throw ResourceError(
            fmt::format("{} items of {} bytes are more than any memory holds", count, bytes_each));
    }
    const std::size_t bytes = count * bytes_each;
    void* data = nullptr;
    const cudaError_t error = cudaMalloc(&data, bytes);
    if (error == cudaErrorMemoryAllocation) {
        static_cast<void>(cudaGetLastError());  // reported here; the next check must not see it
        throw ResourceError(fmt::format("out of device memory: {} were needed, {} are free",
                                        format_bytes(bytes), format_bytes(free_device_bytes())));
    }
    cuda_check(error, "cudaMalloc", __FILE__, __LINE__);
    return data;
}

}  // namespace tutorial
