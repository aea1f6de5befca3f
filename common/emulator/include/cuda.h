// CUDA's driver API header. Programs of courses include it next to the runtime API and use its
// version, a few types, and the functions that ask for devices. The others (cuLaunchKernel,
// cuModuleLoad, ...) are not here: rewriting/libraries.py names them.
#pragma once

#include "cuda_runtime.h"

#define CUDA_VERSION CUDART_VERSION

typedef int CUdevice;
typedef unsigned long long CUdeviceptr;
typedef struct CUctx_st* CUcontext;
typedef struct CUstream_st* CUstream;
typedef struct CUevent_st* CUevent;

typedef enum cudaError_enum {
    CUDA_SUCCESS = 0,
    CUDA_ERROR_INVALID_VALUE = 1,
    CUDA_ERROR_NO_DEVICE = 100,
    CUDA_ERROR_INVALID_DEVICE = 101,
} CUresult;

typedef enum CUdevice_attribute_enum {
    CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 1,
    CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK = 8,
    CU_DEVICE_ATTRIBUTE_WARP_SIZE = 10,
    CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT = 16,
    CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75,
    CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76,
} CUdevice_attribute;

inline CUresult cuInit(unsigned flags) {
    return flags == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
inline CUresult cuDriverGetVersion(int* version) {
    if (version == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *version = CUDA_VERSION;
    return CUDA_SUCCESS;
}
inline CUresult cuDeviceGetCount(int* count) {
    return static_cast<CUresult>(cudaGetDeviceCount(count));
}
inline CUresult cuDeviceGet(CUdevice* device, int ordinal) {
    int count = 0;
    if (device == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (cudaGetDeviceCount(&count) != cudaSuccess) return CUDA_ERROR_NO_DEVICE;
    if (ordinal < 0 || ordinal >= count) return CUDA_ERROR_INVALID_DEVICE;
    *device = ordinal;
    return CUDA_SUCCESS;
}
inline CUresult cuDeviceGetName(char* name, int bytes, CUdevice device) {
    cudaDeviceProp properties;
    if (name == nullptr || bytes < 1) return CUDA_ERROR_INVALID_VALUE;
    if (cudaGetDeviceProperties(&properties, device) != cudaSuccess) {
        return CUDA_ERROR_INVALID_DEVICE;
    }
    int i = 0;
    for (; i + 1 < bytes && properties.name[i] != 0; ++i) name[i] = properties.name[i];
    name[i] = 0;
    return CUDA_SUCCESS;
}
inline CUresult cuDeviceTotalMem(std::size_t* bytes, CUdevice device) {
    cudaDeviceProp properties;
    if (bytes == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (cudaGetDeviceProperties(&properties, device) != cudaSuccess) {
        return CUDA_ERROR_INVALID_DEVICE;
    }
    *bytes = properties.totalGlobalMem;
    return CUDA_SUCCESS;
}
inline CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice device) {
    // The runtime has the same numbers.
    return static_cast<CUresult>(
        cudaDeviceGetAttribute(value, static_cast<cudaDeviceAttr>(attribute), device));
}
inline CUresult cuGetErrorName(CUresult error, const char** name) {
    if (name == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *name = error == CUDA_SUCCESS                ? "CUDA_SUCCESS"
            : error == CUDA_ERROR_INVALID_VALUE  ? "CUDA_ERROR_INVALID_VALUE"
            : error == CUDA_ERROR_NO_DEVICE      ? "CUDA_ERROR_NO_DEVICE"
            : error == CUDA_ERROR_INVALID_DEVICE ? "CUDA_ERROR_INVALID_DEVICE"
                                                 : nullptr;
    return *name != nullptr ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
inline CUresult cuGetErrorString(CUresult error, const char** text) {
    if (text == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *text = cudaGetErrorString(static_cast<cudaError_t>(error));
    return CUDA_SUCCESS;
}
