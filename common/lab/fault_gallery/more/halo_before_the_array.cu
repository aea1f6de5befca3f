// The halo of the first block is loaded from in front of the array.
#include <cuda_runtime.h>

constexpr int kHalo = 2, kHaloTile = 64;

__global__ void sums_of_five(const int* in, int* out) {
    __shared__ int tile[kHaloTile + 2 * kHalo];
    const int i = blockIdx.x * kHaloTile + threadIdx.x, n = gridDim.x * kHaloTile;
    const int t = threadIdx.x + kHalo;
    tile[t] = in[i];
    if (threadIdx.x < kHalo) {
        tile[t - kHalo] = in[i - kHalo];
        tile[t + kHaloTile] = i + kHaloTile < n ? in[i + kHaloTile] : 0;
    }
    __syncthreads();
    int sum = 0;
    for (int k = -kHalo; k <= kHalo; ++k) sum += tile[t + k];
    out[i] = sum;
}

int main() {
    int *d_in = nullptr, *d_out = nullptr;
    cudaMalloc(&d_in, 4 * kHaloTile * sizeof(int));
    cudaMalloc(&d_out, 4 * kHaloTile * sizeof(int));
    cudaMemset(d_in, 0, 4 * kHaloTile * sizeof(int));
    sums_of_five<<<4, kHaloTile>>>(d_in, d_out);
    cudaDeviceSynchronize();
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
