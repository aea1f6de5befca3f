// The last block has more threads than items, and the kernel does not know how many items there
// are.
#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

__global__ void raise_prices(float* prices, float factor) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    prices[i] *= factor;
}

int main() {
    const int n = 1000;
    std::vector<float> prices(n, 2);
    float* d_prices;
    cudaMalloc(&d_prices, n * sizeof(float));
    cudaMemcpy(d_prices, prices.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    raise_prices<<<(n + 255) / 256, 256>>>(d_prices, 1.5f);
    cudaMemcpy(prices.data(), d_prices, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(d_prices);
    if (prices[n - 1] != 3) std::printf("wrong\n");
    return 0;
}
