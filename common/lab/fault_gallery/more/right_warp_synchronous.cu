// A warp sums in shared memory, with __syncwarp() between reading and writing.
#include <cuda_runtime.h>

__global__ void warp_tree(const int* in, int* out) {
    __shared__ int sums[64];
    const int t = static_cast<int>(threadIdx.x);
    sums[t] = in[t];
    __syncwarp();
    for (int step = 16; step > 0; step /= 2) {
        const int other = sums[(t & 32) | ((t + step) & 31)];
        __syncwarp();
        sums[t] += other;
        __syncwarp();
    }
    if (t % 32 == 0) out[t / 32] = sums[t];
}

int main() {
    int* d_in = nullptr;
    cudaMalloc(&d_in, 64 * sizeof(int));
    cudaMemset(d_in, 0, 64 * sizeof(int));
    int* d_out = nullptr;
    cudaMalloc(&d_out, 2 * sizeof(int));
    cudaMemset(d_out, 0, 2 * sizeof(int));
    warp_tree<<<1, 64>>>(d_in, d_out);
    cudaDeviceSynchronize();
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
