// Takes the place of Thrust's own header of that name: where Thrust gets its memory from. It
// becomes managed memory of the emulator, so that kernels may use a device_vector's data, and
// writes past its end are found. The rest is the real library, with its C++ device system.
#pragma once

#include <thrust/detail/config.h>
#include <thrust/mr/memory_resource.h>

#include <cstddef>
#include <new>

#include "../../cuda_runtime.h"

THRUST_NAMESPACE_BEGIN
namespace mr {

class new_delete_resource final : public memory_resource<> {
  public:
    void* do_allocate(std::size_t bytes, std::size_t alignment) override {
        void* pointer = nullptr;
        // The emulator aligns to 256 bytes, as CUDA does.
        if (alignment > 256 || cudaMallocManaged(&pointer, bytes) != cudaSuccess) {
            throw std::bad_alloc();
        }
        return pointer;
    }
    void do_deallocate(void* pointer, std::size_t, std::size_t) override { cudaFree(pointer); }
};

}  // namespace mr
THRUST_NAMESPACE_END
