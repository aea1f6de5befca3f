// The test of the inner items begins one too high: item 1 gets no value.
#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

__global__ void diffuse_heat(const float* in, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i == 0) out[0] = in[0];
    if (i > 1 && i < n - 1) out[i] = in[i] + 0.25f * (in[i - 1] - 2 * in[i] + in[i + 1]);
    if (i == n - 1) out[n - 1] = in[n - 1];
}

int main() {
    constexpr int kItems = 256;
    std::vector<float> heat(kItems, 1);
    float *in, *out;
    cudaMalloc(&in, kItems * sizeof(float));
    cudaMalloc(&out, kItems * sizeof(float));
    cudaMemcpy(in, heat.data(), kItems * sizeof(float), cudaMemcpyHostToDevice);
    diffuse_heat<<<2, kItems / 2>>>(in, out, kItems);
    cudaMemcpy(heat.data(), out, kItems * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(in);
    cudaFree(out);
    float sum = 0;
    for (float each : heat) sum += each;
    if (sum != kItems) std::printf("wrong\n");
    return 0;
}
