// A kernel gets more shared memory for 64 items per thread, and is launched for 128.
#include <cuda_runtime.h>

#include <cstdio>

template <int kItems>
__global__ void keep_items(float* data) {
    extern __shared__ float kept[];
    for (int i = 0; i < kItems; ++i) kept[i * blockDim.x + threadIdx.x] = data[threadIdx.x];
    __syncthreads();
    data[threadIdx.x] = kept[(kItems - 1) * blockDim.x + (threadIdx.x + 1) % blockDim.x];
}

int main() {
    constexpr int kThreads = 128, kBytes = 128 * kThreads * sizeof(float);
    float* data;
    cudaMalloc(&data, kThreads * sizeof(float));
    cudaMemset(data, 0, kThreads * sizeof(float));
    cudaFuncSetAttribute(keep_items<64>, cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes);
    keep_items<128><<<1, kThreads, kBytes>>>(data);
    std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    cudaFree(data);
    return 0;
}
