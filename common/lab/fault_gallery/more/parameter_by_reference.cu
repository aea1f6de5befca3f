// The kernel takes a structure of the host by reference.
#include <cuda_runtime.h>

struct LineOfGain {
    float gain, offset;
};

__global__ void apply_gain(float* values, const LineOfGain& line) {
    values[threadIdx.x] = values[threadIdx.x] * line.gain + line.offset;
}

int main() {
    const LineOfGain line{2, 1};
    float* d_values = nullptr;
    cudaMalloc(&d_values, 32 * sizeof(float));
    cudaMemset(d_values, 0, 32 * sizeof(float));
    apply_gain<<<1, 32>>>(d_values, line);
    cudaDeviceSynchronize();
    cudaFree(d_values);
    return 0;
}
