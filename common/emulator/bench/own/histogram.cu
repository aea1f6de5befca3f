// A histogram of 4 MB of bytes: first one per block in shared memory, then their sum.
#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

constexpr int kBytes = 4 << 20;
constexpr int kBins = 256;

__global__ void histogram_kernel(const unsigned char* in, unsigned* bins, int n) {
    __shared__ unsigned mine[kBins];
    mine[threadIdx.x] = 0;
    __syncthreads();  // all bins are empty
    const int step = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
        atomicAdd(&mine[in[i]], 1u);
    }
    __syncthreads();  // all bytes are counted
    atomicAdd(&bins[threadIdx.x], mine[threadIdx.x]);
}

int main() {
    std::vector<unsigned char> in(kBytes);
    unsigned state = 1;
    for (unsigned char& each : in) each = (state = state * 1664525u + 1013904223u) >> 24;
    std::vector<unsigned> expected(kBins), bins(kBins);
    for (const unsigned char each : in) ++expected[each];
    unsigned char* d_in = nullptr;
    unsigned* d_bins = nullptr;
    cudaMalloc(&d_in, kBytes);
    cudaMalloc(&d_bins, kBins * sizeof(unsigned));
    cudaMemcpy(d_in, in.data(), kBytes, cudaMemcpyHostToDevice);
    cudaMemset(d_bins, 0, kBins * sizeof(unsigned));
    histogram_kernel<<<64, kBins>>>(d_in, d_bins, kBytes);
    cudaMemcpy(bins.data(), d_bins, kBins * sizeof(unsigned), cudaMemcpyDeviceToHost);
    const bool is_right = bins == expected;
    std::printf("%s\n", is_right ? "right" : "wrong");
    cudaFree(d_in);
    cudaFree(d_bins);
    return is_right ? 0 : 1;
}
