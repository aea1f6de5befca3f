// Shared by the lab's tests.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <vector>

#include "lab/lab.hpp"

/// Device memory that is freed at the end of its scope.
template <class T>
struct DeviceArray {
    T* data = nullptr;
    explicit DeviceArray(std::size_t size) {
        cudaMalloc(reinterpret_cast<void**>(&data), size * sizeof(T));
        cudaMemset(data, 0, size * sizeof(T));
    }
    ~DeviceArray() { cudaFree(data); }
    DeviceArray(const DeviceArray&) = delete;
    DeviceArray& operator=(const DeviceArray&) = delete;
};
