// Halving the distance sums a group of 8, 16 or 32 lanes; those that enter a branch may be 11.
#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include <cstdio>

namespace cg = cooperative_groups;

__global__ void sum_of_thirds(const int* values, int* sum) {
    const int value = values[threadIdx.x];
    if (value % 3 == 0) {
        const cg::coalesced_group here = cg::coalesced_threads();
        int total = value;
        for (int away = here.size() / 2; away > 0; away /= 2) {
            total += here.shfl_down(total, away);
        }
        if (here.thread_rank() == 0) atomicAdd(sum, total);
    }
}

int main() {
    int numbers[64], total = 0;
    for (int i = 0; i < 64; ++i) numbers[i] = i;
    int *values, *sum;
    cudaMalloc(&values, sizeof(numbers));
    cudaMalloc(&sum, sizeof(int));
    cudaMemcpy(values, numbers, sizeof(numbers), cudaMemcpyHostToDevice);
    cudaMemset(sum, 0, sizeof(int));
    sum_of_thirds<<<1, 64>>>(values, sum);
    cudaMemcpy(&total, sum, sizeof(int), cudaMemcpyDeviceToHost);
    std::printf("the sum is %d, and should be 693\n", total);
    cudaFree(values);
    cudaFree(sum);
    return 0;
}
