// Device memory that frees itself.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

#include "cuda_check.hpp"

namespace tutorial {

/// cudaMalloc. 0 items: nullptr. Throws ResourceError if memory is short: it says how many bytes
/// were needed and how many are free; CudaError on any other failure.
void* allocate_device(std::size_t count, std::size_t bytes_each);

/// An array of `size()` items of T in device memory. Move-only; freed with the object. The contents
/// are not initialised. Copies are made on the default stream, in order with the kernels there.
template <class T>
class DeviceBuffer {
  public:
    DeviceBuffer() = default;

    /// Memory for `count` items; 0 is allowed, and data() is then nullptr.
    explicit DeviceBuffer(std::size_t count)
        : data_(static_cast<T*>(allocate_device(count, sizeof(T)))), size_(count) {}

    DeviceBuffer(DeviceBuffer&& other) noexcept
        : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

    DeviceBuffer& operator=(DeviceBuffer&& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        return *this;
    }

    DeviceBuffer(const DeviceBuffer&) = delete;
    DeviceBuffer& operator=(const DeviceBuffer&) = delete;

    // A destructor must not throw, and an error here repeats one that was already reported.
    ~DeviceBuffer() { static_cast<void>(cudaFree(data_)); }

    T* data() { return data_; }
    const T* data() const { return data_; }
    std::size_t size() const { return size_; }
    std::size_t bytes() const { return size_ * sizeof(T); }

    /// Copies `items` from the host. Throws std::length_error unless the sizes are equal.
    void upload(const std::vector<T>& items) {
        require_size(items.size());
        if (size_ == 0) return;
        CUDA_CHECK(cudaMemcpy(data_, items.data(), bytes(), cudaMemcpyHostToDevice));
    }

    /// Waits for the device, then copies the array to the host.
    std::vector<T> download() const {
        std::vector<T> items(size_);
        if (size_ == 0) return items;
        CUDA_CHECK(cudaMemcpy(items.data(), data_, bytes(), cudaMemcpyDeviceToHost));
        return items;
    }

    /// Sets every byte to `value`, e.g. as a sentinel. Does not wait.
    void fill_bytes(unsigned char value) {
        if (size_ == 0) return;
        CUDA_CHECK(cudaMemsetAsync(data_, value, bytes()));
    }

    /// Copies from another buffer of the same size. Does not wait.
    void copy_from(const DeviceBuffer& other) {
        require_size(other.size_);
        if (size_ == 0) return;
        CUDA_CHECK(cudaMemcpyAsync(data_, other.data_, bytes(), cudaMemcpyDeviceToDevice));
    }

  private:
    void require_size(std::size_t size) const {
        if (size != size_) throw std::length_error("DeviceBuffer: the sizes are not equal");
    }

    T* data_ = nullptr;
    std::size_t size_ = 0;
};

}  // namespace tutorial
