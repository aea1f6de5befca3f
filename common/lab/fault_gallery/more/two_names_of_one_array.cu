// A function's __shared__ array is one array, though each call seems to give a new one.
#include <cuda_runtime.h>

#include <cstdio>

template <typename T, int kItems>
__device__ T* room_for() {
    __shared__ T room[kItems];
    return room;
}

__global__ void subtract_mean(const float* input, float* output) {
    const int t = threadIdx.x;
    float* values = room_for<float, 64>();
    float* means = room_for<float, 64>();
    values[t] = input[t];
    __syncthreads();
    float sum = 0;
    for (int i = 0; i < 64; ++i) sum += values[i];
    means[t] = sum / 64;
    __syncthreads();
    output[t] = values[t] - means[t];
}

int main() {
    float *input, *output;
    cudaMallocManaged(&input, 64 * sizeof(float));
    cudaMallocManaged(&output, 64 * sizeof(float));
    for (int i = 0; i < 64; ++i) input[i] = static_cast<float>(i);
    subtract_mean<<<1, 64>>>(input, output);
    cudaDeviceSynchronize();
    std::printf("%g\n", output[0]);
    cudaFree(input);
    cudaFree(output);
    return 0;
}
