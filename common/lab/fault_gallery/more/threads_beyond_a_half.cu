// Two halves of n items, and more threads than items: those store to the other half.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void smooth_rounds(const int* in, int* out, int n, int rounds) {
    extern __shared__ int halves[];
    const int t = threadIdx.x;
    int from = 0;
    halves[t] = t < n ? in[t] : 0;
    __syncthreads();
    for (int round = 0; round < rounds; ++round) {
        const int left = t > 0 ? halves[from * n + t - 1] : 0;
        halves[(1 - from) * n + t] = halves[from * n + t] + left;
        from = 1 - from;
        __syncthreads();
    }
    if (t < n) out[t] = halves[from * n + t];
}

int main() {
    constexpr int kItems = 100, kThreads = 128;
    int items[kItems];
    for (int i = 0; i < kItems; ++i) items[i] = i % 5;
    int *d_in, *d_out;
    cudaMalloc(&d_in, sizeof items);
    cudaMalloc(&d_out, sizeof items);
    cudaMemcpy(d_in, items, sizeof items, cudaMemcpyHostToDevice);
    smooth_rounds<<<1, kThreads, 2 * kItems * sizeof(int)>>>(d_in, d_out, kItems, 3);
    cudaMemcpy(items, d_out, sizeof items, cudaMemcpyDeviceToHost);
    std::printf("%d\n", items[0]);
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
