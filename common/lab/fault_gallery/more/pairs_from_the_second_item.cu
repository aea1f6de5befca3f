// The launch leaves out the first float, and gives the kernel the others as float2.
#include <cuda_runtime.h>
#include <vector>

__global__ void exchange_pairs(float2* pairs, int count) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    const float2 pair = pairs[i];
    pairs[i] = make_float2(pair.y, pair.x);
}

int main() {
    const std::vector<float> values(129, 1.0f);
    const std::size_t bytes = values.size() * sizeof(float);
    float* d_values = nullptr;
    cudaMalloc(&d_values, bytes);
    cudaMemcpy(d_values, values.data(), bytes, cudaMemcpyHostToDevice);
    exchange_pairs<<<1, 64>>>(reinterpret_cast<float2*>(d_values + 1), 64);
    cudaDeviceSynchronize();
    cudaFree(d_values);
    return 0;
}
