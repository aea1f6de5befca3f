// A rank in a group of eight is 0 to 7, not a thread's index in the block.
#include <cooperative_groups.h>
#include <cuda_runtime.h>

__global__ void next_kernel(int* numbers) {
    if (threadIdx.x % 4 == 0) {
        const auto group = cooperative_groups::coalesced_threads();
        numbers[threadIdx.x / 4] = group.shfl(static_cast<int>(threadIdx.x), threadIdx.x + 1);
    }
}

int main() {
    int* d_numbers = nullptr;
    cudaMalloc(&d_numbers, 8 * sizeof(int));
    next_kernel<<<1, 32>>>(d_numbers);
    cudaDeviceSynchronize();
    cudaFree(d_numbers);
    return 0;
}
