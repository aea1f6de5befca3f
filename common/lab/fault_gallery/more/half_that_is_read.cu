// The next tile is loaded into the half that this round still reads.
#include <cuda_runtime.h>

__global__ void sum_of_rounds_kernel(const int* in, int* out, int rounds) {
    __shared__ int tiles[2][64];
    const int t = static_cast<int>(threadIdx.x);
    int sum = 0;
    tiles[0][t] = in[t];
    tiles[1][t] = 0;
    __syncthreads();
    for (int round = 0; round < rounds; ++round) {
        const int now = round % 2;
        if (round + 1 < rounds) tiles[now][t] = in[(round + 1) * 64 + t];
        sum += tiles[now][63 - t];
        __syncthreads();
    }
    out[t] = sum;
}

int main() {
    int h_in[512];
    for (int i = 0; i < 512; ++i) h_in[i] = i;
    int* d_in = nullptr;
    int* d_out = nullptr;
    cudaMalloc(&d_in, sizeof h_in);
    cudaMalloc(&d_out, 64 * sizeof(int));
    cudaMemcpy(d_in, h_in, sizeof h_in, cudaMemcpyHostToDevice);
    sum_of_rounds_kernel<<<1, 64>>>(d_in, d_out, 8);
    cudaDeviceSynchronize();
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
