// A round loads the next part before the barrier, into the half that others still read.
#include <cuda_runtime.h>

constexpr int kPart = 64;

__global__ void sum_reversed_parts(const int* items, int* sums, int parts) {
    __shared__ int half[2][kPart];
    const int t = threadIdx.x;
    int sum = 0, now = 0;
    half[now][t] = items[t];
    for (int part = 0; part < parts; ++part) {
        if (part + 1 < parts) half[now ^ 1][t] = items[(part + 1) * kPart + t];
        __syncthreads();
        sum += half[now][kPart - 1 - t];
        now ^= 1;
    }
    sums[t] = sum;
}

int main() {
    constexpr int kParts = 5;
    int *d_items = nullptr, *d_sums = nullptr;
    cudaMalloc(&d_items, kParts * kPart * sizeof(int));
    cudaMalloc(&d_sums, kPart * sizeof(int));
    cudaMemset(d_items, 0, kParts * kPart * sizeof(int));
    sum_reversed_parts<<<1, kPart>>>(d_items, d_sums, kParts);
    cudaDeviceSynchronize();
    cudaFree(d_sums);
    cudaFree(d_items);
    return 0;
}
