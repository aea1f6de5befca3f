// Device memory for tests: allocated and filled in the constructor, freed in the destructor.
//
// The suite does not depend on the tutorial's harness and uses only the CUDA runtime, so that a
// fault in the harness cannot hide a fault in the emulator.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

namespace conformance {

/// Throws std::runtime_error with CUDA's name and text unless `status` is cudaSuccess.
inline void require(cudaError_t status, const char* what) {
    if (status == cudaSuccess) return;
    throw std::runtime_error(std::string(what) + ": " + cudaGetErrorName(status) + ": " +
                             cudaGetErrorString(status));
}

/// Waits for the device and throws if the last launch failed or ended in an error.
inline void finish() {
    require(cudaGetLastError(), "launch");
    require(cudaDeviceSynchronize(), "kernel");
}

/// An array of `T` on the device. Items that a kernel does not write keep the sentinel, so that a
/// kernel that does nothing never leaves the answer of an earlier test.
template <class T>
class DeviceArray {
  public:
    static constexpr unsigned char kSentinelByte = 0xA5;

    /// `count` items, every byte the sentinel. A count of 0 is allowed.
    explicit DeviceArray(std::size_t count) : count_(count) {
        require(cudaMalloc(&data_, bytes() > 0 ? bytes() : sizeof(T)), "cudaMalloc");
        require(cudaMemset(data_, kSentinelByte, bytes() > 0 ? bytes() : sizeof(T)), "cudaMemset");
    }

    /// A copy of `values`.
    explicit DeviceArray(const std::vector<T>& values) : DeviceArray(values.size()) {
        upload(values);
    }

    DeviceArray(const DeviceArray&) = delete;
    DeviceArray& operator=(const DeviceArray&) = delete;
    ~DeviceArray() { cudaFree(data_); }

    T* data() const { return data_; }
    std::size_t size() const { return count_; }
    std::size_t bytes() const { return count_ * sizeof(T); }

    void upload(const std::vector<T>& values) {
        if (values.size() != count_) throw std::runtime_error("upload: another size");
        require(cudaMemcpy(data_, values.data(), bytes(), cudaMemcpyHostToDevice), "cudaMemcpy");
    }

    /// Waits for the device, throws on its error, and returns the array's contents.
    std::vector<T> download() const {
        finish();
        std::vector<T> values(count_);
        require(cudaMemcpy(values.data(), data_, bytes(), cudaMemcpyDeviceToHost), "cudaMemcpy");
        return values;
    }

  private:
    T* data_ = nullptr;
    std::size_t count_;
};

}  // namespace conformance
