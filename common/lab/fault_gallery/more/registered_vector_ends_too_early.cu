// A registered vector ends with its function, while the copy from it may still run
#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

__global__ void add_one_to_each(float* items, int n) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n) items[i] += 1;
}

void send_ones(float* items, int n, cudaStream_t stream) {
    std::vector<float> ones(n, 1.0f);
    cudaHostRegister(ones.data(), n * sizeof(float), cudaHostRegisterDefault);
    cudaMemcpyAsync(items, ones.data(), n * sizeof(float), cudaMemcpyHostToDevice, stream);
}

int main() {
    constexpr int kItems = 4096;
    float* items = nullptr;
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaMalloc(&items, kItems * sizeof(float));
    send_ones(items, kItems, stream);
    add_one_to_each<<<kItems / 256, 256, 0, stream>>>(items, kItems);
    float last = 0;
    cudaMemcpyAsync(&last, items + kItems - 1, sizeof last, cudaMemcpyDeviceToHost, stream);
    cudaStreamSynchronize(stream);
    std::printf("%g\n", last);
    cudaFree(items);
    cudaStreamDestroy(stream);
    return 0;
}
