// Masks of the lanes with i % 8 != 0: 0xfefefefe, with which the lab fills local variables
#include <cooperative_groups.h>
#include <cuda_runtime.h>

__global__ void count_others(const int* in, int* total, unsigned* masks) {
    __shared__ unsigned of_warp[4];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const bool is_other = in[i] % 8 != 0;
    const unsigned mask = __ballot_sync(0xffffffffu, is_other);
    if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = mask;
    __syncthreads();
    if (threadIdx.x < 4) masks[blockIdx.x * 4 + threadIdx.x] = of_warp[threadIdx.x];
    if (is_other) {
        const auto others = cooperative_groups::coalesced_threads();
        if (others.thread_rank() == 0) atomicAdd(total, static_cast<int>(others.size()));
    }
}

int main() {
    constexpr int kItems = 256;
    int values[kItems], *d_in, *d_total;
    unsigned* d_masks;
    for (int i = 0; i < kItems; ++i) values[i] = i;
    cudaMalloc(&d_in, sizeof values);
    cudaMalloc(&d_masks, kItems / 32 * sizeof(unsigned));
    cudaMalloc(&d_total, sizeof(int));
    cudaMemcpy(d_in, values, sizeof values, cudaMemcpyHostToDevice);
    cudaMemset(d_total, 0, sizeof(int));
    count_others<<<2, 128>>>(d_in, d_total, d_masks);
    cudaDeviceSynchronize();
    cudaFree(d_total);
    cudaFree(d_masks);
    cudaFree(d_in);
    return 0;
}
