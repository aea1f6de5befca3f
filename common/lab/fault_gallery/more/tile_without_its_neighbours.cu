// The tile has room for the items beside it, which no thread stores.
#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

constexpr int kOfTile = 64;

__global__ void mean_of_three(const float* in, float* out, int n) {
    __shared__ float tile[kOfTile + 2];
    int t = threadIdx.x, i = blockIdx.x * kOfTile + t;
    tile[t + 1] = i < n ? in[i] : 0;
    __syncthreads();
    if (i < n) out[i] = (tile[t] + tile[t + 1] + tile[t + 2]) / 3;
}

int main() {
    constexpr int kItems = 256;
    std::vector<float> items(kItems, 3);
    float *in, *out;
    cudaMalloc(&in, kItems * sizeof(float));
    cudaMalloc(&out, kItems * sizeof(float));
    cudaMemcpy(in, items.data(), kItems * sizeof(float), cudaMemcpyHostToDevice);
    mean_of_three<<<kItems / kOfTile, kOfTile>>>(in, out, kItems);
    cudaMemcpy(items.data(), out, kItems * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(in);
    cudaFree(out);
    if (items[kOfTile] != 3) std::printf("wrong\n");
    return 0;
}
