// Each thread arrives at the barrier, and none waits for the others.
#include <cuda_runtime.h>

#include <cuda/barrier>
#include <utility>

__global__ void exchange_with_next(const int* items, int* results) {
    __shared__ cuda::barrier<cuda::thread_scope_block> all_stored;
    __shared__ int stored[128];
    const int t = threadIdx.x;
    if (t == 0) init(&all_stored, blockDim.x);
    __syncthreads();
    stored[t] = items[t];
    auto token = all_stored.arrive();
    results[t] = stored[(t + 1) % 128];
    static_cast<void>(token);
}

int main() {
    int *d_items = nullptr, *d_results = nullptr;
    cudaMalloc(&d_items, 128 * sizeof(int));
    cudaMalloc(&d_results, 128 * sizeof(int));
    cudaMemset(d_items, 0, 128 * sizeof(int));
    exchange_with_next<<<1, 128>>>(d_items, d_results);
    cudaDeviceSynchronize();
    cudaFree(d_results);
    cudaFree(d_items);
    return 0;
}
